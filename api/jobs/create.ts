/** Creates a job with its first report; the same request again finds the same job. */
import type { Intent } from "../../attestor/intent.ts";
import type { Report } from "../../attestor/report.ts";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import { Problem } from "../http/problems.ts";
import { type JobDeps, seconds } from "./deps.ts";
import { newJobId } from "./ids.ts";
import { gather, judge } from "./judge.ts";
import { judgeable } from "./judgeable.ts";
import type { JobBody, VerifyBody } from "./requests.ts";
import { findJobByRequest, type NewJob, type StoredJob, storeJob } from "./store.ts";

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
  const sameJob = await findSameRequest(deps, keyId, body.clientRequestId, requestHash);
  if (sameJob !== null) return { job: sameJob, report: null, replayed: true };

  const { clientRequestId } = body;
  const holder = { keyId, tokenDigest: null, clientRequestId, requestHash };
  const { job, report } = await judgedJob(deps, intent, holder);
  if (await insertJob(deps, job, report)) return { job, report, replayed: false };
  // The same request came in twice at once and the other one was first.
  const winner = await findSameRequest(deps, keyId, clientRequestId, requestHash);
  if (winner === null) throw new Error(`job ${job.id} met a unique key but no job stands under it`);
  return { job: winner, report: null, replayed: true };
}

async function findSameRequest(
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

/** Whose job it is, and the request that it is made for. */
type Holding = Pick<NewJob, "keyId" | "tokenDigest" | "requestHash"> & { readonly clientRequestId?: string };

/** A job and its first report, not stored yet. */
export async function judgedJob(
  deps: JobDeps,
  intent: Intent,
  holding: Holding,
): Promise<{ job: NewJob; report: Report }> {
  const policy = judgeable(deps, intent);
  const id = newJobId(deps.random);
  const createdAt = seconds(deps);
  const job: NewJob = {
    clientRequestId: `a2mcp:${id}`,
    ...holding,
    id,
    intent,
    policyVersion: policy.definition.version,
    createdAt,
    expiresAt: createdAt + JOB_LIFETIME_SECONDS,
  };
  return { job, report: judge(deps, job, policy, await gather(deps, intent), 1) };
}

/**
 * Stores a job with its first report, and in the paid phase with its price.
 * @returns false when a job of that key and clientRequestId exists already
 */
export async function insertJob(deps: JobDeps, job: NewJob, report: Report): Promise<boolean> {
  const { db, payments, attachments } = deps;
  const rows = await attachments.rowsFor(db, report);
  const isNew =
    payments === null
      ? await storeJob(db, job, report, rows, "public")
      : await db.transaction().execute(async (trx) => {
          const isStored = await storeJob(trx, job, report, rows, "withheld");
          if (isStored) await payments.freeze(trx, job);
          return isStored;
        });
  if (isNew) attachments.committed(rows);
  return isNew;
}
