/** Submitted hashes, honest and not, and how long the honest ones take. */
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { type Database, engineOf } from "../../database/open.ts";
import type { Service } from "./service.ts";

/** Each within the patience that a service has with a statement. */
const ROWS_A_STATEMENT = 10_000;

/** Submissions of one job that look like those of many jobs: due now, of the last hour. */
export async function submitBogus(db: Database, jobId: string, count: number, nowMs: number): Promise<void> {
  const hash =
    engineOf(db) === "postgres"
      ? sql.raw("md5(random()::text) || md5(random()::text)")
      : sql.raw("lower(hex(randomblob(32)))");
  const now = Math.floor(nowMs / 1000);
  for (let from = 0; from < count; from += ROWS_A_STATEMENT) {
    const last = Math.min(from + ROWS_A_STATEMENT, count) - 1;
    await sql`insert into executions (id, job_id, transaction_hash, state, submitted_at, next_look_at)
      with recursive numbers (n) as
        (select cast(${from} as integer) union all select n + 1 from numbers where n < ${last})
      select 'exec_bogus' || n, cast(${jobId} as text), '0x' || ${hash}, 'submitted',
        cast(${now} as integer) - n % 3600, cast(${nowMs} as bigint) from numbers`.execute(db);
  }
}

/** A job whose trade may be sent. */
export async function preparedTrade(service: Service): Promise<{ jobId: string; execution: any }> {
  await service.world.tick(0);
  // Without a signed price: that of the tick before may be kept, and the newer one of the chain counts.
  const { job, prepared } = await service.newPrepared({ policyId: "EXTENDED_HOURS" });
  if (prepared.execution === null) throw new Error(JSON.stringify(prepared.report?.findings));
  return { jobId: job.jobId, execution: prepared.execution };
}

/** Milliseconds until the job's trade is confirmed; infinite when that takes longer than `patienceMs`. */
export async function confirmedAfter(service: Service, jobId: string, patienceMs: number): Promise<number> {
  const from = performance.now();
  while (performance.now() - from < patienceMs) {
    const { body } = await service.call(`/v1/jobs/${jobId}`);
    if (body.executions[0].state === "confirmed") return performance.now() - from;
    await sleep(20);
  }
  return Number.POSITIVE_INFINITY;
}
