/** Paying for a verification, and reading its verdict again. */
import { z } from "zod";
import { Problem } from "../http/problems.ts";
import type { Caller } from "../http/route.ts";
import { purchaseJob, readJob, sellReport } from "../jobs/operations.ts";
import { Job } from "../jobs/schemas.ts";
import { withReceipt } from "../payments/receipt.ts";
import type { Service } from "../service.ts";
import { JobId, JobToken, next, PaymentSignature } from "./inputs.ts";
import { Settlement, settlementOf } from "./payment.ts";
import { documentLink } from "./resources.ts";
import { always, defineTool, holderIn, PAYING, READING } from "./tool.ts";
import { BEING_SETTLED, Verdict, verdictOf } from "./verdict.ts";

export const purchaseVerification = defineTool({
  name: "purchase_verification",
  title: "Pay for a verification",
  description:
    "Shows whether a job's report must be paid for, and settles the payment. Without a payment it answers the payment requirements (x402 version 2), which the user's wallet signs outside of this server; with the payment, in paymentSignature or as x402 has it in _meta, it settles exactly once and releases the report. In the free phase there is nothing to pay. Never takes keys. Ask the user before paying. Next: get_verification.",
  hints: { paid: PAYING, free: READING },
  sells: true,
  input: z.strictObject({ jobId: JobId, paymentSignature: PaymentSignature, jobToken: JobToken }),
  output: z.object({
    jobId: z.string(),
    payment: Job.shape.payment.shape.state,
    settlement: Settlement.nullable().describe("Receipt; null without a payment"),
    next,
  }),
  async run({ jobId }, context, payment) {
    const { service } = context;
    const caller = holderIn(context);
    const receipt = await receiptOf(service, caller, jobId, payment);
    const job = await withReceipt(receipt, () => readJob(service, caller, jobId));
    return {
      content: {
        jobId,
        payment: job.payment.state,
        settlement: settlementOf(receipt),
        next: nextOf(job),
      },
      receipt,
    };
  },
});

/** Without a payment, the answer is the state of a pending one instead of a failure. */
async function receiptOf(service: Service, caller: Caller, jobId: string, payment: string | undefined) {
  try {
    return (await purchaseJob(service, caller, jobId, payment)).receipt;
  } catch (error) {
    const isPending = error instanceof Problem && error.code === "payment_in_progress";
    if (payment === undefined && isPending) return null;
    throw error;
  }
}

function nextOf({ jobId, payment, entitlement }: Job): string {
  if (payment.state === "not_required")
    return "No payment is required. Next: get_verification or prepare_guard_trade.";
  if (entitlement.granted) return `${jobId} is paid for. Next: get_verification.`;
  if (payment.state === "settling") return BEING_SETTLED;
  return "The payment is not settled. Next: purchase_verification without a signature.";
}

const Version = z.int().min(1).max(999_999_999);

export const getVerification = defineTool({
  name: "get_verification",
  title: "Get a verification",
  description:
    "Reads a job's verdict again, the latest or the version asked for, with a link to the whole report; until the report is paid for, only what is to be paid. Use it after paying, or to find out where a job stands. Next: prepare_guard_trade after ALLOW.",
  hints: always(READING),
  input: z.strictObject({
    jobId: JobId,
    version: Version.optional().describe("Of the report; the latest without it"),
    jobToken: JobToken,
  }),
  output: Verdict,
  async run({ jobId, version, jobToken }, context) {
    const { service } = context;
    const job = await jobWith(service, holderIn(context), jobId, version);
    return {
      content: verdictOf(job, service.deployment.registry.assets),
      links: documentLink(jobId, job.report, jobToken),
    };
  },
});

/** The job with the report of a version, or without one while it is not paid for. Costs nothing. */
async function jobWith(service: Service, caller: Caller, jobId: string, version?: number): Promise<Job> {
  const job = await readJob(service, caller, jobId);
  if (version === undefined || !job.entitlement.granted) return job;
  const { content } = await sellReport(service, caller, jobId, version, undefined);
  const { execution: _, hints, ...report } = content;
  return { ...job, report, hints };
}
