/**
 * POST /a2mcp/verify in both phases. In the paid one a request without payment has the facts gathered too, so that nobody is
 * asked to pay for what cannot be had, but nothing of it is stored; they are kept for a moment for the request that pays.
 * With a payment they are judged while it is verified, then report and payment are stored, settled, and released
 * (`payments/payments.ts`); should judging fail, nothing is charged.
 */

import type { Report } from "../../attestor/report.ts";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import type { Payments } from "../payments/payments.ts";
import { VERIFY_PATH } from "../payments/quote.ts";
import { type Receipt, withReceipt } from "../payments/receipt.ts";
import type { StoredPayment } from "../payments/rows.ts";
import { withSignInError } from "../payments/signIn/refusals.ts";
import { createOneShot, intentOf, newOneShot } from "./create.ts";
import type { JobDeps } from "./deps.ts";
import { boughtJobToken, digestOf, newJobToken } from "./ids.ts";
import { gather, judgeable } from "./judge.ts";
import { withProof } from "./proofs.ts";
import { tokenForPayer } from "./purchases.ts";
import type { VerifyBody } from "./schemas.ts";
import { addJobToken, findReport, storeJob } from "./store.ts";

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
 * @param signIn the header SIGN-IN-WITH-X; of no account beside a payment
 * @throws as `createOneShot`, and in the paid phase as `Payments.admit`
 */
export async function verifyOnce(
  deps: JobDeps,
  body: VerifyBody,
  payment: string | undefined,
  signIn?: string,
): Promise<OneShot> {
  if (!deps.payments) return { ...(await createOneShot(deps, body)), receipt: null, replayed: false };
  return buyOnce(deps, deps.payments, body, payment, signIn);
}

/** By who signed in with the wallet that paid. */
async function boughtBefore(deps: JobDeps, payments: Payments, payment: StoredPayment): Promise<OneShot> {
  const receipt = payments.receiptOf(payment);
  const report = await findReport(deps.db, payment.jobId, 1);
  const jobToken = await tokenForPayer(deps, payment.jobId);
  if (report === null || jobToken === null) throw new Error(`job ${payment.jobId} was bought but is gone`);
  return { report: await withProof(deps, report), jobToken, receipt, replayed: true };
}

async function buyOnce(
  deps: JobDeps,
  payments: Payments,
  body: VerifyBody,
  payment: string | undefined,
  signIn: string | undefined,
): Promise<OneShot> {
  const intent = intentOf(body);
  judgeable(deps, intent);
  const sale = { ...intent, intentHash: canonicalHash(intent) };
  if (payment === undefined) {
    const bought =
      signIn === undefined ? null : await payments.signIns.boughtBody(signIn, VERIFY_PATH, sale.intentHash);
    if (typeof bought === "object" && bought !== null) return boughtBefore(deps, payments, bought);
    const challenge = await payments.challengeBody(sale);
    deps.keptFacts.keep(sale.intentHash, await gather(deps, intent));
    throw bought === null ? challenge : withSignInError(challenge, bought);
  }
  let answer: Promise<Report> | undefined;
  const { jobId, receipt, replayed, fresh, proof } = await payments.purchaseBody(sale, payment, async () => {
    // The job has tokens of its own, one a payment.
    const neverTold = digestOf(newJobToken(deps.random));
    const kept = deps.keptFacts.take(sale.intentHash);
    const { job, report } = await newOneShot(deps, intent, neverTold, kept);
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
