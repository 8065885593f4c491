/**
 * POST /a2mcp/verify in both phases. In the paid one a request without payment is judged too, so that nobody is asked to
 * pay for what cannot be had, but nothing of it is stored; with a payment it is judged and stored, then settled,
 * then released (`payments/payments.ts`).
 */
import { canonicalHash } from "../../attestor/canonical.ts";
import type { Report } from "../../attestor/report.ts";
import type { Payments } from "../payments/payments.ts";
import { VERIFY_PATH } from "../payments/quote.ts";
import { type Receipt, withReceipt } from "../payments/receipt.ts";
import type { StoredPayment } from "../payments/rows.ts";
import { withSignInError } from "../payments/signIn/refusals.ts";
import { createOneShot, intentOf, newOneShot } from "./create.ts";
import type { JobDeps } from "./deps.ts";
import { boughtJobToken, digestOf, newJobToken } from "./ids.ts";
import { judgeable } from "./judge.ts";
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
  judgeable(intent, deps.chain.deployment.registry);
  const sale = {
    intentHash: canonicalHash(intent),
    policyId: intent.policyId,
    ownerAddress: intent.ownerAddress,
  };
  // The job has tokens of its own, one a payment; this one is never told to anybody.
  const judged = () => newOneShot(deps, intent, digestOf(newJobToken(deps.random)));

  if (payment === undefined) {
    const bought =
      signIn === undefined ? null : await payments.signIns.boughtBody(signIn, VERIFY_PATH, sale.intentHash);
    if (typeof bought === "object" && bought !== null) return boughtBefore(deps, payments, bought);
    const challenge = await payments.challengeBody(sale);
    await judged();
    throw bought === null ? challenge : withSignInError(challenge, bought);
  }
  const { jobId, receipt, replayed, proof } = await payments.purchaseBody(sale, payment, async () => {
    const { job, report } = await judged();
    return async (trx) => {
      await storeJob(trx, job, report);
      await deps.rawAnswers.store(trx, report.evidence);
      return job.id;
    };
  });
  return withReceipt(receipt, async () => {
    const report = await findReport(deps.db, jobId, 1);
    if (report === null) throw new Error(`job ${jobId} was bought but has no report`);
    const jobToken = boughtJobToken(jobId, proof);
    await addJobToken(deps.db, jobId, digestOf(jobToken), deps.clock());
    return { report: await withProof(deps, report), jobToken, receipt, replayed };
  });
}
