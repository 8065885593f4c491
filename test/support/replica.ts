/** A real PostgreSQL primary and its streaming replica, by Debian's programs, with the faults that become of servers. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { freePort } from "./ports.ts";
import { needsProgram } from "./debian.ts";

const BIN = "/usr/lib/postgresql/15/bin";
const PASSWORD = "password";

export interface Server {
  readonly port: number;
  /** As kill -9 of all its processes. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Stops all its processes where they are: what was asked hangs, and so does who connects. */
  freeze(): void;
  thaw(): void;
  /** Killed, started as a standby and promoted: a primary again, on a timeline of its own. */
  beginTimeline(): Promise<void>;
}

export interface Replicated {
  readonly primary: Server;
  readonly replica: Server;
  /** An empty database. @returns how it is reached on the primary, and on the replica by a role that reads alone */
  createDatabase(): Promise<{ readonly url: string; readonly readUrl: string }>;
  /** On that server, as its administrator. */
  sql(server: Server, text: string, database?: string): Promise<Record<string, any>[]>;
  /** When the replica has all that the primary has now. */
  caughtUp(): Promise<void>;
  remove(): Promise<void>;
}

/** PostgreSQL refuses to run as root: it then runs as Debian's own user. */
function identity(): { uid?: number; gid?: number } {
  if (userInfo().uid !== 0) return {};
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith("postgres:"));
  const [, , uid, gid] = (line ?? "").split(":");
  return { uid: Number(uid), gid: Number(gid) };
}

/** For a `before`; without Debian's programs the file's tests are skipped. */
export async function startReplicated(test: Mocha.Context): Promise<Replicated> {
  needsProgram(test, `${BIN}/pg_basebackup`, "postgresql-15");
  const who = identity();
  const folder = mkdtempSync(join(tmpdir(), "assay-replica-"));
  if (who.uid !== undefined) chownSync(folder, who.uid, who.gid as number);
  const run = (program: string, args: readonly string[]) =>
    promisify(execFile)(join(BIN, program), args, { ...who, cwd: folder, env: { PGPASSWORD: PASSWORD } });

  const primaryFolder = join(folder, "primary");
  await run("initdb", [
    "-D",
    primaryFolder,
    "-U",
    "postgres",
    "--auth=trust",
    "--no-sync",
    "--locale=C",
    "-E",
    "UTF8",
  ]);
  const primary = serverOf(primaryFolder, await freePort(), who);
  await primary.start();
  const replicaFolder = join(folder, "replica");
  const source = `postgres://postgres:${PASSWORD}@127.0.0.1:${primary.port}/postgres`;
  await run("pg_basebackup", [
    "-d",
    source,
    "-D",
    replicaFolder,
    "-R",
    "-X",
    "stream",
    "-c",
    "fast",
    "--no-sync",
  ]);
  const replica = serverOf(replicaFolder, await freePort(), who);
  await replica.start();

  const urlOf = (port: number, database: string, user = "postgres") =>
    `postgres://${user}:${PASSWORD}@127.0.0.1:${port}/${database}`;
  const sql = async (server: Server, text: string, database = "postgres") => {
    const client = new pg.Client({ connectionString: urlOf(server.port, database) });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  await sql(primary, `create role reader login password '${PASSWORD}'; grant pg_read_all_data to reader`);
  const caughtUp = async () => {
    const [{ position }] = (await sql(primary, "select pg_current_wal_lsn()::text as position")) as any;
    for (let tries = 0; ; tries++) {
      const rows = await sql(replica, `select pg_last_wal_replay_lsn() >= '${position}'::pg_lsn as is`);
      if (rows[0]?.is) return;
      if (tries > 400) throw new Error("the replica did not catch up");
      await sleep(25);
    }
  };
  let databases = 0;
  return {
    primary,
    replica,
    sql,
    caughtUp,
    createDatabase: async () => {
      const name = `test_${++databases}`;
      await sql(primary, `create database ${name}`);
      await caughtUp();
      return { url: urlOf(primary.port, name), readUrl: urlOf(replica.port, name, "reader") };
    },
    remove: async () => {
      for (const server of [replica, primary]) await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function serverOf(dataFolder: string, port: number, who: { uid?: number; gid?: number }): Server {
  let child: ChildProcess | undefined;
  const options = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    fsync: "off",
    max_wal_senders: "4",
    wal_receiver_status_interval: "1",
    wal_retrieve_retry_interval: "200ms",
  };
  const signalAll = (signal: NodeJS.Signals) => {
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    // The backends are sessions of their own: a group would not have them.
    for (const pid of [child.pid, ...childrenOf(child.pid)])
      try {
        process.kill(pid, signal);
      } catch {
        // It ended in the meantime.
      }
  };
  const server: Server = {
    port,
    start: async () => {
      mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
      const settings = Object.entries(options).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
      child = spawn(join(BIN, "postgres"), ["-D", dataFolder, "-p", String(port), ...settings], {
        ...who,
        cwd: dataFolder,
        stdio: "ignore",
      });
      for (let tries = 0; ; tries++) {
        const client = new pg.Client({
          connectionString: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`,
        });
        client.on("error", () => {});
        const isUp = await client.connect().then(
          () => true,
          () => false,
        );
        await client.end().catch(() => {});
        if (isUp) return;
        if (tries > 400 || child.exitCode !== null) throw new Error("PostgreSQL did not start");
        await sleep(50);
      }
    },
    kill: async () => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      signalAll("SIGKILL");
      await ended;
    },
    freeze: () => signalAll("SIGSTOP"),
    thaw: () => signalAll("SIGCONT"),
    beginTimeline: async () => {
      await server.kill();
      writeFileSync(join(dataFolder, "standby.signal"), "", { mode: 0o666 });
      if (who.uid !== undefined) chownSync(join(dataFolder, "standby.signal"), who.uid, who.gid as number);
      await server.start();
      const client = new pg.Client({
        connectionString: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`,
      });
      await client.connect();
      await client.query("select pg_promote()");
      await client.end();
    },
  };
  return server;
}

function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .filter((pid) => {
      try {
        // The name in brackets may hold anything; the parent is the second word behind it.
        return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1]) === parent;
      } catch {
        return false;
      }
    })
    .map(Number);
}
