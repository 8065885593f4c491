/** A PostgreSQL server by Debian's programs, which include pg_dump and pg_restore of its version. */
import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startDaemon } from "../support/debian.ts";
import { freePort } from "../support/ports.ts";
import { lacking } from "../support/suite.ts";

const INSTALLED = "/usr/lib/postgresql";

/** Without Debian's programs the test is skipped. */
export async function startDebianPostgres(test: Mocha.Context) {
  const programs =
    newestPrograms() ?? lacking(test, "PostgreSQL is not installed (apt-get install postgresql)");
  const user = serverUser();
  const folder = mkdtempSync(join(tmpdir(), "assay-postgres-"));
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const { status, stderr } = spawnSync(
    join(programs, "initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "--locale=C", "-E", "UTF8", "--no-sync"],
    { ...user, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`initdb ended with ${status}:\n${stderr}`);
  const port = await freePort();
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const server = await startDaemon(
    join(programs, "postgres"),
    ["-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="],
    () =>
      ask(url("postgres"), "select 1").then(
        () => true,
        () => false,
      ),
    user,
  );
  return {
    async createEmptyDatabase(name: string): Promise<string> {
      await ask(url("postgres"), `create database ${name}`);
      return url(name);
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The folder of the newest version that is installed; null: none is. */
function newestPrograms(): string | null {
  if (!existsSync(INSTALLED)) return null;
  const versions = readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a));
  const folders = versions.map((version) => join(INSTALLED, version, "bin"));
  return folders.find((folder) => existsSync(join(folder, "postgres"))) ?? null;
}

/** Whom the package makes, since the server refuses root; null: the user of the test. */
function serverUser(): { uid: number; gid: number } | null {
  if (userInfo().uid !== 0) return null;
  const id = (flag: string) => Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout);
  return { uid: id("-u"), gid: id("-g") };
}

async function ask(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(sql);
  await client.end();
}
