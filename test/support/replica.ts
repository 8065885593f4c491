/** A real PostgreSQL primary and its streaming replica, by Debian's programs, with the faults that become of servers. */
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPostgres, type PostgresPrograms } from "../../workshop/rehearse/topology/packages.ts";
import { postgresServer } from "../../workshop/rehearse/topology/postgres.ts";
import { needsProgram } from "./debian.ts";
import { freePort } from "./ports.ts";
import { until } from "./until.ts";

/** For a `before`; without Debian's programs the file's tests are skipped. */
export async function startReplicated(test: Mocha.Context) {
  const programs = findPostgres();
  if (programs === null) needsProgram(test, "/usr/lib/postgresql", "postgresql");
  const { user } = programs as PostgresPrograms;
  const folder = mkdtempSync(join(tmpdir(), "assay-replica-"));
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const settings = { fsync: "off" };
  const place = async (name: string) => ({ name, folder, dataIn: folder, port: await freePort(), settings });
  const primary = postgresServer(programs as PostgresPrograms, await place("primary"));
  await primary.create();
  await primary.start();
  const replica = postgresServer(programs as PostgresPrograms, await place("replica"));
  await replica.follow(primary, primary.port);
  await replica.start();

  await primary.ask("create role reader login; grant pg_read_all_data to reader");
  /** When the replica has all that the primary has now. */
  const caughtUp = async () => {
    const [now] = await primary.ask<{ position: string }>("select pg_current_wal_lsn()::text as position");
    const reached = `select pg_last_wal_replay_lsn() >= '${now?.position}'::pg_lsn as is`;
    const isReached = async () => (await replica.ask<{ is: boolean }>(reached))[0]?.is;
    await until("the replica's catching up", isReached);
  };
  let databases = 0;
  return {
    primary,
    replica,
    caughtUp,
    /** An empty database. @returns how it is reached on the primary, and on the replica by a role that reads alone */
    async createDatabase() {
      const name = `test_${++databases}`;
      await primary.ask(`create database ${name}`);
      await caughtUp();
      return { url: primary.url(name), readUrl: replica.url(name).replace("postgres@", "reader:password@") };
    },
    /** The primary is killed, started as a standby and promoted: a primary again, on a timeline of its own. */
    async beginTimeline() {
      await primary.kill();
      const standby = join(folder, "primary/data/standby.signal");
      writeFileSync(standby, "", { mode: 0o666 });
      if (user !== null) chownSync(standby, user.uid, user.gid);
      await primary.start();
      await primary.promote();
    },
    async remove() {
      for (const server of [replica, primary]) await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
