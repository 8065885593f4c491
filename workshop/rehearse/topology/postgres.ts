/** PostgreSQL as Debian packages it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { PostgresPrograms } from "./packages.ts";
import { createPart } from "./part.ts";

const PATIENCE_MS = 5_000;

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  shared_buffers: "64MB",
  max_wal_size: "128MB",
};

/** @param folder in which it gets its own, for its data, and its log */
export function postgresServer(
  programs: PostgresPrograms,
  { folder, port }: { readonly folder: string; readonly port: number },
) {
  const { postgresBin, user } = programs;
  const own = join(folder, "postgres");
  const data = join(own, "data");
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const ask = (sql: string) => askOnce(url("postgres"), sql);
  const part = createPart({
    name: "PostgreSQL",
    command: join(postgresBin, "postgres"),
    args: () => ["-D", data, "-p", String(port), ...flags(SETTINGS)],
    user,
    logFile: join(folder, "postgres.log"),
    ready: async () => (await ask("select 1")).length === 1,
  });
  return Object.assign(part, {
    url,
    ask,
    async create() {
      mkdirSync(own, { recursive: true });
      if (user !== null) chownSync(own, user.uid, user.gid);
      const locale = ["--locale=C", "-E", "UTF8", "--no-sync"];
      await run(programs, "initdb", "-D", data, "-U", "postgres", "-A", "trust", ...locale);
    },
  });
}

async function run({ postgresBin, user }: PostgresPrograms, program: string, ...args: string[]) {
  const child = spawn(join(postgresBin, program), args, {
    ...(user ?? {}),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${errors.slice(-2_000)}`);
}

/** Over a connection of its own; nobody waits for it longer than five seconds. */
async function askOnce(connectionString: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

const flags = (settings: Readonly<Record<string, string>>): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
