/** PostgreSQL that goes without a word. */
import pg from "pg";
import { type ApiProcess, startApi } from "../../../test/support/apiProcess.ts";
import { postgresServer } from "../../../test/support/postgres.ts";
import { throughProxy } from "../../../test/support/silentProxy.ts";
import { type Outcome, promises, type Rehearsal } from "../rehearsal.ts";
import { all, apply, askPublic, saidDown, seconds, slowest, statuses, untilUp } from "../watch.ts";

const PUBLIC_WITHIN_MS = 2_000;
const BACK_WITHIN_MS = 10_000;
const OUTAGE_MS = 6_000;

/** @param whole whether new connections are of no use either */
async function outage(api: ApiProcess, whole: boolean, begin: () => void, end: () => void): Promise<Outcome> {
  const { hold, broken } = promises();
  await askPublic(api, 1_000);
  begin();
  const [seen, down, write] = await Promise.all([askPublic(api, OUTAGE_MS), saidDown(api), apply(api)]);
  hold("public endpoints answer 200", all(seen, 200));
  hold("public endpoints answer within 2 s", slowest(seen) < PUBLIC_WITHIN_MS);
  hold("a write is answered truly", write.status === 503 || (!whole && write.status === 202));
  // Where new connections work it may be over before anybody asks.
  if (whole) hold("/readyz says that the database is down", down);
  end();
  const back = await untilUp(api);
  hold("back within 10 s", back < BACK_WITHIN_MS);
  return {
    clients: `public endpoints ${statuses(seen)}, after ${seconds(slowest(seen))} at most; a write ${write.status} after ${seconds(write.ms)}`,
    recoveredAfterMs: back,
    operator: "/readyz: database down; the log: a dependency is unavailable",
    broken,
  };
}

export const silentPostgres: Rehearsal = {
  fault: "PostgreSQL falls silent (fail-over, packets vanish)",
  async run() {
    const through = await throughProxy(await (await postgresServer()).createDatabase());
    const api = await startApi("pipe", { DATABASE_URL: through.url });
    api.child.stdout?.resume();
    try {
      return await outage(
        api,
        true,
        () => through.proxy.silence(),
        () => through.proxy.recover(),
      );
    } finally {
      await api.remove();
      await through.proxy.close();
    }
  },
};

export const frozenPostgres: Rehearsal = {
  fault: "PostgreSQL's backends are frozen",
  async run() {
    const url = await (await postgresServer()).createDatabase();
    const api = await startApi("pipe", { DATABASE_URL: url });
    api.child.stdout?.resume();
    const frozen: number[] = [];
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      // They are back by new connections, while the frozen ones stay so.
      const { rows } = await askPublic(api, 500).then(() =>
        client.query<{ pid: number }>(
          "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
        ),
      );
      frozen.push(...rows.map(({ pid }) => pid));
      const begin = () => {
        for (const pid of frozen) process.kill(pid, "SIGSTOP");
      };
      return await outage(api, false, begin, () => {});
    } finally {
      for (const pid of frozen) process.kill(pid, "SIGCONT");
      await client.end();
      await api.remove();
    }
  },
};
