/** PostgreSQL as Debian packages it: a primary, and standbys that stream from it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chownSync, mkdirSync, rmSync } from "node:fs";
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
  wal_keep_size: "128MB",
  hot_standby: "on",
  // A commit waits for the standby that is not there only until the primary has noticed.
  wal_sender_timeout: "3s",
  wal_receiver_timeout: "3s",
  // How often the replacement of the standby reports its progress, which commits wait for.
  wal_receiver_status_interval: "1s",
  wal_retrieve_retry_interval: "500ms",
};

interface Place {
  /** By which the primary knows it as a standby. */
  readonly name: string;
  /** Of its log. */
  readonly folder: string;
  /** Holds the folder with its data, which is made when it is not there. */
  readonly dataIn: string;
  readonly port: number;
  /** Beside those of every server here. */
  readonly settings?: Readonly<Record<string, string>>;
}

export function postgresServer(programs: PostgresPrograms, { name, folder, dataIn, port, settings }: Place) {
  const { postgresBin, user } = programs;
  const own = join(dataIn, name);
  const data = join(own, "data");
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const ask = <Row extends pg.QueryResultRow>(sql: string, database = "postgres") =>
    askOnce<Row>(url(database), sql);
  const ownFolder = () => {
    mkdirSync(own, { recursive: true });
    if (user !== null) chownSync(own, user.uid, user.gid);
  };
  const conninfo = (to: number) =>
    `host=127.0.0.1 port=${to} user=postgres application_name=${name} connect_timeout=3`;
  const part = createPart({
    name,
    command: join(postgresBin, "postgres"),
    args: () => ["-D", data, "-p", String(port), ...flags({ ...SETTINGS, ...settings })],
    user,
    logFile: join(folder, `${name}.log`),
    ready: async () => (await ask("select 1")).length === 1,
  });
  return Object.assign(part, {
    port,
    /** Of a database on it, without a detour. */
    url,
    ask,
    async create() {
      ownFolder();
      const locale = ["--locale=C", "-E", "UTF8", "--no-sync"];
      await run(programs, "initdb", "-D", data, "-U", "postgres", "-A", "trust", ...locale);
    },
    /** Everything anew, from a running primary. @param through port through which the standby follows it */
    async follow(primary: { readonly port: number }, through: number) {
      ownFolder();
      rmSync(data, { recursive: true, force: true });
      const how = ["-X", "stream", "-c", "fast", "-R"];
      await run(programs, "pg_basebackup", "-d", conninfo(primary.port), "-D", data, ...how);
      appendFileSync(join(data, "postgresql.auto.conf"), `primary_conninfo = '${conninfo(through)}'\n`);
    },
    async promote() {
      await ask("select pg_promote(true, 30)");
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
async function askOnce<Row extends pg.QueryResultRow>(connectionString: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

const flags = (settings: Readonly<Record<string, string>>): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
