/**
 * POST /a2mcp/verify in both phases. In the paid one a request without payment gathers the facts too, so that nobody is
 * asked to pay for what is unavailable. They are cached for the request that pays, and not stored. With a payment they
 * are judged while it is verified, then report and payment are stored, settled, and released (`payments/payments.ts`). If
 * judging fails, nothing is charged.
 */
import type { Intent } from "../../attestor/intent.ts";
import type { Report } from "../../attestor/report.ts";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import type { Database } from "../../database/open.ts";
import type { Payments } from "../payments/payments.ts";
import { type Receipt, withReceipt } from "../payments/receipt.ts";
import { intentOf, judgedJob } from "./create.ts";
import type { JobDeps } from "./deps.ts";
import { boughtJobToken, digestOf, newJobToken } from "./ids.ts";
import { gather } from "./judge.ts";
import { judgeable } from "./judgeable.ts";
import type { GatheredFacts } from "./keptFacts.ts";
import { withProof } from "./proofs.ts";
import type { VerifyBody } from "./schemas.ts";
import { addJobToken, findReport, insertJob, storeJob } from "./store.ts";

export interface OneShot {
  readonly report: Report;
  /** Opens the job's calls. */
  readonly jobToken: string;
  /** null in the free phase. */
  readonly receipt: Receipt | null;
  /** Answered from an earlier purchase: the payment that came is not settled. */
  readonly replayed: boolean;
}

/**
 * @param payment the header PAYMENT-SIGNATURE
 * @throws as `createJob`, but for the conflict, and in the paid phase as `Payments.admit`
 */
export async function verifyOnce(
  deps: JobDeps,
  body: VerifyBody,
  payment: string | undefined,
): Promise<OneShot> {
  if (deps.payments) return buyOnce(deps, deps.payments, body, payment);
  const jobToken = newJobToken(deps.random);
  const { job, report } = await judgedOnce(deps, intentOf(body), digestOf(jobToken));
  const also = (trx: Database) => deps.rawAnswers.store(trx, report.evidence);
  if (!(await insertJob(deps.db, job, report, also))) throw new Error(`job id ${job.id} was issued twice`);
  deps.rawAnswers.committed(report.evidence);
  return { report, jobToken, receipt: null, replayed: false };
}

/** A job without a key and its first report, not stored yet. */
function judgedOnce(deps: JobDeps, intent: Intent, tokenDigest: string, kept: GatheredFacts | null = null) {
  const given = { keyId: null, tokenDigest, requestHash: canonicalHash(intent, deps.hashText) };
  return judgedJob(deps, intent, given, kept);
}

async function buyOnce(
  deps: JobDeps,
  payments: Payments,
  body: VerifyBody,
  payment: string | undefined,
): Promise<OneShot> {
  const intent = intentOf(body);
  judgeable(deps, intent);
  const sale = { ...intent, intentHash: canonicalHash(intent) };
  if (payment === undefined) {
    const challenge = await payments.challengeBody(sale);
    deps.keptFacts.keep(sale.intentHash, await gather(deps, intent));
    throw challenge;
  }
  let answer: Promise<Report> | undefined;
  const { jobId, receipt, replayed, fresh, proof } = await payments.purchaseBody(sale, payment, async () => {
    // The job has tokens of its own, one a payment.
    const neverTold = digestOf(newJobToken(deps.random));
    const kept = deps.keptFacts.take(sale.intentHash);
    const { job, report } = await judgedOnce(deps, intent, neverTold, kept);
    return {
      async store(trx, its) {
        await storeJob(trx, job, report);
        await deps.rawAnswers.store(trx, report.evidence);
        await addJobToken(trx, job.id, digestOf(boughtJobToken(job.id, its)), deps.clock());
        return job.id;
      },
      onStored() {
        deps.rawAnswers.committed(report.evidence);
        answer = withProof(deps, report);
        // Whether it could be had shows when it is needed.
        answer.catch(() => {});
      },
    };
  });
  return withReceipt(receipt, async () => {
    const jobToken = boughtJobToken(jobId, proof);
    if (fresh && answer !== undefined) return { report: await answer, jobToken, receipt, replayed };
    const report = await findReport(deps.db, jobId, 1);
    if (report === null) throw new Error(`job ${jobId} was bought but has no report`);
    await addJobToken(deps.db, jobId, digestOf(jobToken), deps.clock());
    return { report: await withProof(deps, report), jobToken, receipt, replayed };
  });
}
