/**
 * POST /a2mcp/verify in both phases. In the paid one a request without payment gathers the facts too, so that nobody is
 * asked to pay for what is unavailable. With a payment they are judged while it is verified, then report and payment are
 * stored, settled, and released (`payments/payments.ts`). If judging fails, nothing is charged.
 */
import type { Intent } from "../../attestor/intent.ts";
import type { Report } from "../../attestor/report.ts";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import type { Payments } from "../payments/payments.ts";
import { type Receipt, withReceipt } from "../payments/receipt.ts";
import { insertJob, intentOf, judgedJob } from "./create.ts";
import type { JobDeps } from "./deps.ts";
import { boughtJobToken, digestOf, newJobToken } from "./ids.ts";
import { gather } from "./judge.ts";
import { judgeable } from "./judgeable.ts";
import { findReport } from "./reports.ts";
import type { VerifyBody } from "./requests.ts";
import { addJobToken, storeJob } from "./store.ts";
import { withProof } from "./view.ts";

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
  const intent = intentOf(body);
  if (deps.payments) return buyOnce(deps, deps.payments, intent, payment);
  const jobToken = newJobToken(deps.random);
  const { job, report } = await judgedOnce(deps, intent, jobToken);
  if (!(await insertJob(deps, job, report))) throw new Error(`job id ${job.id} was issued twice`);
  return { report, jobToken, receipt: null, replayed: false };
}

/** A job without a key and its first report, not stored yet. */
function judgedOnce(deps: JobDeps, intent: Intent, jobToken: string) {
  const requestHash = canonicalHash(intent, deps.hashText);
  return judgedJob(deps, intent, { keyId: null, tokenDigest: digestOf(jobToken), requestHash });
}

async function buyOnce(
  deps: JobDeps,
  payments: Payments,
  intent: Intent,
  payment: string | undefined,
): Promise<OneShot> {
  judgeable(deps, intent);
  const sale = { ...intent, intentHash: canonicalHash(intent) };
  if (payment === undefined) {
    const challenge = await payments.challengeBody(sale);
    await gather(deps, intent);
    throw challenge;
  }
  let answer: Promise<Report> | undefined;
  const { jobId, receipt, replayed, fresh, proof } = await payments.purchaseBody(sale, payment, async () => {
    // A token that nobody is told: those of the job are made of its payments, one of each.
    const { job, report } = await judgedOnce(deps, intent, newJobToken(deps.random));
    return {
      async store(trx, its) {
        const rows = await deps.attachments.rowsFor(trx, report);
        await storeJob(trx, job, report, rows, "public");
        await addJobToken(trx, job.id, digestOf(boughtJobToken(job.id, its)), deps.now());
        return job.id;
      },
      onStored() {
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
    await addJobToken(deps.db, jobId, digestOf(jobToken), deps.now());
    return { report: await withProof(deps, report), jobToken, receipt, replayed };
  });
}
