/** The sentence that comes with a tool's answer: what it means, and which call is next. */
import type { Report } from "../../attestor/report.ts";
import type { Execution, Job, Prepared } from "../jobs/schemas.ts";
import AFTER_EXECUTION from "./afterExecution.json" with { type: "json" };
import type { ExecutionStatus, Purchase } from "./schemas.ts";

function refusals({ findings }: Report): string {
  return findings
    .filter(({ outcome }) => outcome !== "pass")
    .map(({ check, message }) => `${check} (${message})`)
    .join("; ");
}

export function afterJob({ jobId, payment, entitlement, report }: Job): string {
  if (!entitlement.granted)
    return payment.state === "settling"
      ? `The payment of ${jobId} is being settled; do not pay again. Next: purchase_verification without a signature, in a few seconds.`
      : `The report of ${jobId} must be paid for. Next: purchase_verification with this jobId and no signature.`;
  if (report === undefined) return `${jobId} has no report yet. Next: get_verification.`;
  const judged = `Version ${report.version} of ${jobId}: ${report.decision}.`;
  return report.decision === "ALLOW"
    ? `${judged} Next: prepare_guard_trade with this jobId, when the user wants the trade.`
    : `${judged} Refused by: ${refusals(report)}. Do not trade. Tell the user why; change the trade or wait, then prepare_verification with a new clientRequestId.`;
}

export function afterPurchase({ jobId, payment, entitlement }: Purchase): string {
  if (payment.state === "not_required")
    return "No payment is required. Next: get_verification or prepare_guard_trade.";
  if (entitlement.granted) return `${jobId} is paid for. Next: get_verification.`;
  if (payment.state === "settling")
    return "The payment is being settled; do not pay again. Next: purchase_verification without a signature, in a few seconds.";
  return "The payment is not settled. Next: purchase_verification without a signature.";
}

export function afterPrepared({ report, execution }: Prepared): string {
  if (execution === null)
    return `DENY, version ${report.version}: ${refusals(report)}. There is nothing to sign. Tell the user why.`;
  const { approval, certificate, walletCalls } = execution;
  const enough = BigInt(approval.currentAllowance) >= BigInt(approval.amount);
  return [
    `ALLOW, version ${report.version}. The certificate expires at unix time ${certificate.message.expiresAt}.`,
    enough
      ? "The allowance is already large enough."
      : `First the user's wallet approves: it sends approval.data to the token ${approval.token}, and waits until that is mined.`,
    `Then it sends guardCall as it is (to, data, value).${walletCalls === undefined ? "" : " A wallet that takes wallet_sendCalls (EIP-5792) gets walletCalls as its parameter instead: one confirmation for all of it."} This server signs and sends nothing. Next: get_execution_status with the transaction hash.`,
  ].join(" ");
}

const OF_STATE: Readonly<Record<Execution["state"], string>> = AFTER_EXECUTION;

export function afterExecutions({ execution, executions }: ExecutionStatus): string {
  const latest = execution ?? executions.at(-1);
  if (latest === undefined)
    return "No transaction is recorded yet. Once the user's wallet has sent the guard call, call get_execution_status with transactionHash.";
  return OF_STATE[latest.state];
}
