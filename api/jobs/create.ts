/** Creates a job with its first report; the same request again finds the same job. */
import { sessionAt } from "../../attestor/calendar.ts";
import type { Intent } from "../../attestor/intent.ts";
import type { Report } from "../../attestor/report.ts";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import type { Database } from "../../database/open.ts";
import { Problem } from "../http/problems.ts";
import { type JobDeps, seconds } from "./deps.ts";
import type { GatheredFacts } from "./gatheredFacts.ts";
import { digestOf, newJobId, newJobToken } from "./ids.ts";
import { gather, judge, judgeable } from "./judge.ts";
import type { JobBody, VerifyBody } from "./schemas.ts";
import { findJobByRequest, insertJob, type NewJob, type StoredJob } from "./store.ts";

const JOB_LIFETIME_SECONDS = 86_400;

export function intentOf(body: JobBody | VerifyBody): Intent {
  const { ownerAddress, inputAssetKey, outputAssetKey, amountInRaw, policyId, maxSlippageBps } = body;
  const recipientAddress = ("recipientAddress" in body && body.recipientAddress) || ownerAddress;
  return {
    ownerAddress,
    recipientAddress,
    inputAssetKey,
    outputAssetKey,
    amountInRaw,
    policyId,
    maxSlippageBps,
  };
}

/**
 * POST /v1/jobs.
 * @returns the job with its first report; null in its place where the job stood there already
 * @throws Problem `idempotency_conflict`, `unsupported_asset`, `unknown_policy`; UpstreamUnavailable.
 *   Nothing is stored then.
 */
export async function createJob(
  deps: JobDeps,
  keyId: string,
  body: JobBody,
): Promise<{ job: StoredJob; report: Report | null; replayed: boolean }> {
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
 * POST /a2mcp/verify in the free phase: a job without a key.
 * @returns the report, and the token that opens the job's calls
 * @throws as `createJob`, but for the conflict
 */
export async function createOneShot(
  deps: JobDeps,
  body: VerifyBody,
): Promise<{ report: Report; jobToken: string }> {
  const jobToken = newJobToken(deps.random);
  const { job, report } = await newOneShot(deps, intentOf(body), digestOf(jobToken));
  const also = (trx: Database) => deps.rawAnswers.store(trx, report.evidence);
  if (!(await insertJob(deps.db, job, report, also))) throw new Error(`job id ${job.id} was given out twice`);
  deps.rawAnswers.committed(report.evidence);
  return { report, jobToken };
}

/**
 * A job without a key and its first report, not stored yet.
 * @param kept facts of a moment ago; without them they are gathered
 */
export function newOneShot(
  deps: JobDeps,
  intent: Intent,
  tokenDigest: string,
  kept: GatheredFacts | null = null,
): Promise<{ job: NewJob; report: Report }> {
  const given = { keyId: null, tokenDigest, requestHash: canonicalHash(intent, deps.hashText) };
  return judgedJob(deps, intent, given, kept);
}

/** A job and its first report, not stored yet. */
async function judgedJob(
  deps: JobDeps,
  intent: Intent,
  given: Pick<NewJob, "keyId" | "tokenDigest" | "requestHash"> & { clientRequestId?: string },
  kept: GatheredFacts | null = null,
): Promise<{ job: NewJob; report: Report }> {
  const policy = judgeable(deps, intent);
  const id = newJobId(deps.random);
  const createdAt = seconds(deps);
  // Judged now, whenever the facts came in; of another session they are not the facts of now.
  const isOfNow = kept !== null && sessionAt(kept.capturedAt).state === sessionAt(createdAt).state;
  const gathered = isOfNow ? { ...kept, capturedAt: createdAt } : await gather(deps, intent);
  const job: NewJob = {
    clientRequestId: `a2mcp:${id}`,
    ...given,
    id,
    intent,
    policyVersion: policy.definition.version,
    createdAt,
    expiresAt: createdAt + JOB_LIFETIME_SECONDS,
  };
  return { job, report: judge(deps, job, policy, gathered, 1) };
}
