/** Creates a job with its first report; the same request again finds the same job. */
import { sessionAt } from "../../attestor/calendar.ts";
import type { Intent } from "../../attestor/intent.ts";
import type { Report } from "../../attestor/report.ts";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import type { Database } from "../../database/open.ts";
import { Problem } from "../http/problems.ts";
import { type JobDeps, seconds } from "./deps.ts";
import { newJobId } from "./ids.ts";
import { gather, judge } from "./judge.ts";
import { judgeable } from "./judgeable.ts";
import type { GatheredFacts } from "./keptFacts.ts";
import type { JobBody, VerifyBody } from "./schemas.ts";
import { findJobByRequest, insertJob, type NewJob, type StoredJob } from "./store.ts";

const JOB_LIFETIME_SECONDS = 86_400;

export function intentOf(body: JobBody | VerifyBody): Intent {
  const { ownerAddress, inputAssetKey, outputAssetKey, amountInRaw, policyId, maxSlippageBps } = body;
  const { limits } = body;
  const recipientAddress = ("recipientAddress" in body && body.recipientAddress) || ownerAddress;
  return {
    ownerAddress,
    recipientAddress,
    inputAssetKey,
    outputAssetKey,
    amountInRaw,
    policyId,
    maxSlippageBps,
    ...(limits && { limits }),
  };
}

/**
 * POST /v1/jobs.
 * @returns the job with its first report; null in its place where the job stood there already
 * @throws Problem `idempotency_conflict`, `unsupported_asset`, `unknown_policy`, `limit_too_wide`; UpstreamUnavailable.
 *   Nothing is stored then.
 */
export async function createJob(deps: JobDeps, keyId: string, body: JobBody) {
  const intent = intentOf(body);
  const requestHash = canonicalHash(intent, deps.hashText);
  const known = await replay(deps, keyId, body.clientRequestId, requestHash);
  if (known !== null) return { job: known, report: null, replayed: true };

  const { job, report } = await judgedJob(deps, intent, {
    keyId,
    tokenDigest: null,
    requestHash,
    clientRequestId: body.clientRequestId,
  });
  const also = async (trx: Database) => {
    await deps.payments?.freeze(trx, { id: job.id, createdAt: job.createdAt, intent });
    await deps.rawAnswers.store(trx, report.evidence);
  };
  if (await insertJob(deps.db, job, report, also)) {
    deps.rawAnswers.committed(report.evidence);
    return { job, report, replayed: false };
  }
  // The same request came in twice at once and the other one was first.
  const winner = await replay(deps, keyId, body.clientRequestId, requestHash);
  if (winner === null) throw new Error(`job ${job.id} met a unique key but no job stands under it`);
  return { job: winner, report: null, replayed: true };
}

async function replay(
  { db }: JobDeps,
  keyId: string,
  clientRequestId: string,
  requestHash: string,
): Promise<StoredJob | null> {
  const job = await findJobByRequest(db, keyId, clientRequestId);
  if (job !== null && job.requestHash !== requestHash)
    throw new Problem("idempotency_conflict", "Another request was made under this clientRequestId.", {
      errors: [{ path: "clientRequestId", message: "belongs to a job with another intent" }],
    });
  return job;
}

/**
 * A job and its first report, not stored yet.
 * @param kept facts of a moment ago; without them they are gathered
 */
export async function judgedJob(
  deps: JobDeps,
  intent: Intent,
  given: Pick<NewJob, "keyId" | "tokenDigest" | "requestHash"> & { clientRequestId?: string },
  kept: GatheredFacts | null = null,
): Promise<{ job: NewJob; report: Report }> {
  const policy = judgeable(deps, intent);
  const id = newJobId(deps.random);
  const createdAt = seconds(deps);
  const job: NewJob = {
    clientRequestId: `a2mcp:${id}`,
    ...given,
    id,
    intent,
    policyVersion: policy.definition.version,
    createdAt,
    expiresAt: createdAt + JOB_LIFETIME_SECONDS,
  };
  // Judged now, whenever the facts came in; of another session they are not the facts of now.
  const isOfNow = kept !== null && sessionAt(kept.capturedAt).state === sessionAt(createdAt).state;
  const { report } = await judge(deps, {
    job,
    policy,
    facts: async () => (isOfNow ? { ...kept, capturedAt: createdAt } : gather(deps, intent)),
    numbered: (reportOf) => reportOf(1),
  });
  return { job, report };
}
