/** Submitted hashes, honest and not, and how long the honest ones take. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../database/open.ts";
import { addRows } from "./database.ts";
import type { Service } from "./service.ts";

const HASHES_A_STATEMENT = 2_500;

const randomHash = () => `0x${randomBytes(32).toString("hex")}`;

/** Submissions of one job that look like those of many jobs: due now, of the last hour. */
export async function submitBogus(db: Database, jobId: string, count: number, nowMs: number): Promise<void> {
  const bogus = (index: number) => ({
    id: `exec_bogus${index}`,
    job_id: jobId,
    transaction_hash: randomHash(),
    report_version: null,
    state: "submitted" as const,
    confirmed: null,
    reason: null,
    submitted_at: Math.floor(nowMs / 1000) - (index % 3_600),
    next_look_at: nowMs,
  });
  for (let done = 0; done < count; done += HASHES_A_STATEMENT) {
    const length = Math.min(HASHES_A_STATEMENT, count - done);
    await addRows(db, "executions", ...Array.from({ length }, (_, index) => bogus(done + index)));
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
