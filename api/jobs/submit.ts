/** Records the transaction that an agent says it sent. What it really was, the watcher finds out. */
import { Problem } from "../http/problems.ts";
import { type JobDeps, seconds } from "./deps.ts";
import { countSubmitted, findExecution, insertExecution, type StoredExecution } from "./executions.ts";
import { newExecutionId } from "./ids.ts";

/** Each hash that is not on chain costs look-ups for a while; an agent has one or two on the way. */
const MAX_UNSEEN = 16;

/**
 * @param transactionHash lower case
 * @returns the execution, and whether it was there already
 * @throws Problem `rate_limited` when too many of the job's hashes are not on chain
 */
export async function submitTransaction(
  deps: JobDeps,
  jobId: string,
  transactionHash: string,
): Promise<{ execution: StoredExecution; known: boolean }> {
  const known = await findExecution(deps.db, jobId, transactionHash);
  if (known !== null) return { execution: known, known: true };
  if ((await countSubmitted(deps.db, jobId)) >= MAX_UNSEEN)
    throw new Problem(
      "rate_limited",
      `${MAX_UNSEEN} submitted transactions of this job are not on chain yet.`,
      {
        retryAfterSeconds: 60,
      },
    );
  const execution: StoredExecution = {
    id: newExecutionId(deps.random),
    job_id: jobId,
    transaction_hash: transactionHash,
    report_version: null,
    state: "submitted",
    confirmed: null,
    reason: null,
    submitted_at: seconds(deps),
    next_look_at: deps.clock(),
  };
  if (await insertExecution(deps.db, execution)) return { execution, known: false };
  const winner = await findExecution(deps.db, jobId, transactionHash);
  if (winner === null) throw new Error("an execution met a unique key but none stands under it");
  return { execution: winner, known: true };
}
