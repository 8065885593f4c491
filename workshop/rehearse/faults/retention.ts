/** A database in which much is old. */
import { clearOldJobs } from "../../../api/jobs/retention.ts";
import { DEFAULT_JOB_RETENTION } from "../../../api/settings/retention.ts";
import { retentionCommand } from "../../../cli/retention/retentionCommand.ts";
import { openDatabase } from "../../../database/open.ts";
import { startApi } from "../../../test/support/apiProcess.ts";
import { postgresServer } from "../../../test/support/postgres.ts";
import { promises, type Rehearsal } from "../rehearsal.ts";
import { all, apply, askFor, seconds, slowest, statuses } from "../watch.ts";

const OLD_JOBS = 10_000;
const JOBS_A_STATEMENT = 1_000;
const QUICK_MS = 2_000;
const WATCH_MS = 4_000;
const YEAR_SECONDS = 365 * 86_400;

async function addOldJobs(url: string, now: number): Promise<void> {
  const db = openDatabase(url);
  for (let made = 0; made < OLD_JOBS; made += JOBS_A_STATEMENT) {
    const ids = Array.from({ length: JOBS_A_STATEMENT }, (_, index) => `job_old${made + index}`);
    const created_at = now - YEAR_SECONDS;
    const named = (id: string) => ({ id, token_digest: id, client_request_id: id, request_hash: id });
    const dated = { created_at, expires_at: created_at + 86_400 };
    await db
      .insertInto("jobs")
      .values(ids.map((id) => ({ ...named(id), ...dated, key_id: null, intent: "{}", last_version: 1 })))
      .execute();
  }
  await db.destroy();
}

export const oldJobs: Rehearsal = {
  fault: "Tables that grow for ever",
  async run() {
    const { hold, broken } = promises();
    const url = await (await postgresServer()).createDatabase();
    const api = await startApi("pipe", { DATABASE_URL: url });
    api.child.stdout?.resume();
    const db = openDatabase(url);
    try {
      const now = Math.floor(Date.now() / 1_000);
      await addOldJobs(url, now);
      const plan: string[] = [];
      const out = (line: string) => void plan.push(line);
      const world = { out } as unknown as Parameters<typeof retentionCommand>[1];
      await retentionCommand(["--plan"], world, { env: { DATABASE_URL: url }, now: Date.now });
      const reading = askFor(`${api.url}/api/market-overview`, WATCH_MS);
      const writing = apply(api);
      const rounds: number[] = [];
      for (let left = true; left; left = rounds.at(-1) !== 0)
        rounds.push((await clearOldJobs(db, DEFAULT_JOB_RETENTION, now)).oneShot);
      const [seen, written] = [await reading, await writing];
      hold(
        "others are answered as ever",
        all(seen, 200) && slowest(seen) < QUICK_MS && written.status === 202,
      );
      hold("what is old goes, so much a round", Math.max(...rounds) <= 2_000);
      hold("all of it", rounds.reduce((sum, round) => sum + round, 0) === OLD_JOBS);
      hold(
        "the plan told it before",
        plan.some((line) => line.startsWith("10,000 one-shot jobs")),
      );
      return {
        clients: `nothing: ${statuses(seen)} after ${seconds(slowest(seen))} at most, while ${OLD_JOBS} jobs went in ${rounds.length - 1} rounds`,
        recoveredAfterMs: null,
        operator: "npm run assay -- retention --plan; the log: old jobs and payments deleted",
        broken,
      };
    } finally {
      await db.destroy();
      await api.remove();
    }
  },
};
