import type { Execution, Job, Prepared } from "../jobs/schemas.ts";
import AFTER_EXECUTION from "./afterExecution.json" with { type: "json" };

export function afterJob({ jobId, payment, entitlement, report }: Job): string {
  if (!entitlement.granted)
    return payment.state === "settling"
      ? "The payment is being settled; do not pay again. Next: purchase_verification without a signature, in a few seconds."
      : "The report must be paid for. Next: purchase_verification with this jobId and no signature.";
  if (report === undefined) return `${jobId} has no report yet. Next: get_verification.`;
  return report.decision === "ALLOW"
    ? "Next: prepare_guard_trade with this jobId, when the user wants the trade."
    : "Do not trade. Tell the user why, and what would pass; then prepare_verification with a new clientRequestId.";
}

export function afterPurchase({
  jobId,
  payment,
  entitlement,
}: Pick<Job, "jobId" | "payment" | "entitlement">): string {
  if (payment.state === "not_required")
    return "No payment is required. Next: get_verification or prepare_guard_trade.";
  if (entitlement.granted) return `${jobId} is paid for. Next: get_verification.`;
  if (payment.state === "settling")
    return "The payment is being settled; do not pay again. Next: purchase_verification without a signature, in a few seconds.";
  return "The payment is not settled. Next: purchase_verification without a signature.";
}

/** @param withCall the answer has the call data */
export function afterPrepared(prepared: Sendable, withCall: boolean): string {
  if (prepared.execution === null) return "There is nothing to sign. Tell the user why.";
  return `${howToSend(prepared, withCall)} This server sends nothing. Next: get_execution_status with the transaction hash.`;
}

type Sendable = Pick<Prepared, "execution" | "signUrl">;

function howToSend({ signUrl }: Sendable, withCall: boolean): string {
  const where = withCall ? "" : ` (in the linked document, or with include: "call")`;
  const page = signUrl === null ? "" : "the user opens signUrl, which tells the hash by itself, or ";
  return `Before expiresAt ${page}the user's wallet approves what sends.approve names, if anything, and sends guardCall as it is${where}.`;
}

const OF_STATE: Readonly<Record<Execution["state"], string>> = AFTER_EXECUTION;

export function afterExecution(execution: Execution | undefined): string {
  return execution === undefined
    ? "No transaction is recorded yet. Once it is sent, call get_execution_status with transactionHash."
    : OF_STATE[execution.state];
}
