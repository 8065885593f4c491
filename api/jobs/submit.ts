/** Records the transaction that an agent says it sent. What it really was, the watcher finds out. */
import { type Limit, overLimit } from "../http/limits.ts";
import { type JobDeps, seconds } from "./deps.ts";
import {
  countOfJob,
  countWaitingOfKey,
  findExecution,
  insertExecution,
  type StoredExecution,
} from "./executions.ts";
import { newExecutionId } from "./ids.ts";
import type { StoredJob } from "./store.ts";

/** Each hash that is not on chain costs lookups for a while; an agent has one or two on the way. */
const MAX_WAITING_OF_JOB = 8;
const MAX_WAITING_OF_KEY = 64;
/** A job lives for a day and can be prepared twice in five minutes; most are traded once. */
const MAX_OF_JOB = 48;
const AGAIN_SECONDS = 60;
const LATER_SECONDS = 3_600;

type SubmitDeps = Pick<JobDeps, "db" | "now" | "random">;

/**
 * @param job counts for its key, even when submitted with the token of a prepared version
 * @param transactionHash lower case
 * @returns the execution, and whether it was there already
 * @throws Problem `rate_limited` when too many hashes of the job, or of its key, are not on chain
 */
export async function submitTransaction(
  deps: SubmitDeps,
  { id: jobId, keyId }: Pick<StoredJob, "id" | "keyId">,
  transactionHash: string,
): Promise<{ execution: StoredExecution; isRepeated: boolean }> {
  const earlier = await findExecution(deps.db, jobId, transactionHash);
  if (earlier !== null) return { execution: earlier, isRepeated: true };
  await assertRoom(deps, jobId, keyId);
  const execution: StoredExecution = {
    id: newExecutionId(deps.random),
    job_id: jobId,
    transaction_hash: transactionHash,
    report_version: null,
    state: "submitted",
    confirmed: null,
    reason: null,
    submitted_at: seconds(deps),
    next_look_at: deps.now(),
    key_id: keyId,
  };
  if (await insertExecution(deps.db, execution)) return { execution, isRepeated: false };
  const winner = await findExecution(deps.db, jobId, transactionHash);
  if (winner === null) throw new Error("an execution met a unique key but none stands under it");
  return { execution: winner, isRepeated: true };
}

async function assertRoom({ db }: SubmitDeps, jobId: string, keyId: string | null): Promise<void> {
  const { all, waiting } = await countOfJob(db, jobId);
  if (all >= MAX_OF_JOB)
    throw tooMany("job", MAX_OF_JOB, "transactions were submitted for this job.", LATER_SECONDS);
  if (waiting >= MAX_WAITING_OF_JOB)
    throw tooMany("job", MAX_WAITING_OF_JOB, "submitted transactions of this job are not on chain yet.");
  if (keyId !== null && (await countWaitingOfKey(db, keyId, MAX_WAITING_OF_KEY)) >= MAX_WAITING_OF_KEY)
    throw tooMany("key", MAX_WAITING_OF_KEY, "submitted transactions of this API key are not on chain yet.");
}

const tooMany = (scope: Limit["scope"], quota: number, what: string, retryAfterSeconds = AGAIN_SECONDS) =>
  overLimit(
    { name: "submissions", quota, windowSeconds: null, scope },
    retryAfterSeconds,
    `${quota} ${what}`,
  );
