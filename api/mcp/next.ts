/** The sentence that comes with a tool's answer: what it means, and which call is next. */
import { leftFor } from "../../attestor/mandates/mandate.ts";
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

/** What the mandate of a trade leaves its agent; nothing without a mandate. */
function leftOfMandate({ evidence }: Report): string {
  const { intent, mandate } = evidence;
  if (intent.mandate === undefined || mandate === undefined) return "";
  const { granted, spentWithinDay } = mandate;
  const who = `Of the mandate of the Safe ${intent.mandate.safe} for the agent ${intent.mandate.agent}`;
  if (granted === null) return ` ${who} nothing is left: there is none, or it was revoked.`;
  const { budget, perTrade, perDay, expiresAt } = granted;
  const left = leftFor(granted, spentWithinDay);
  return ` ${who}, one trade can count ${left} raw units of the settlement token at block ${evidence.chain.blockNumber}, before this one: ${perTrade} a trade, ${perDay} within 24 hours of which ${spentWithinDay} are spent, ${budget} left in all, until unix time ${expiresAt}.`;
}

export function afterJob({ jobId, payment, entitlement, report }: Job): string {
  if (!entitlement.granted)
    return payment.state === "settling"
      ? `The payment of ${jobId} is being settled; do not pay again. Next: purchase_verification without a signature, in a few seconds.`
      : `The report of ${jobId} must be paid for. Next: purchase_verification with this jobId and no signature.`;
  if (report === undefined) return `${jobId} has no report yet. Next: get_verification.`;
  const judged = `Version ${report.version} of ${jobId}: ${report.decision}.${leftOfMandate(report)}`;
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
  const left = leftOfMandate(report);
  if (execution === null)
    return `DENY, version ${report.version}: ${refusals(report)}.${left} There is nothing to sign. Tell the user why.`;
  return [
    `ALLOW, version ${report.version}. The certificate expires at unix time ${execution.certificate.message.expiresAt}.${left}`,
    ...howToSend(execution),
    "This server signs and sends nothing. Next: get_execution_status with the transaction hash.",
  ].join(" ");
}

function howToSend({ approval, walletCalls, mandateCall }: NonNullable<Prepared["execution"]>): string[] {
  if (mandateCall !== undefined)
    return [
      "The agent sends mandateCall as it is (to, data, value) with its own key; no approval is needed, and the user's wallet signs nothing.",
    ];
  const enough = BigInt(approval.currentAllowance) >= BigInt(approval.amount);
  return [
    enough
      ? "The allowance is already large enough."
      : `First the user's wallet approves: it sends approval.data to the token ${approval.token}, and waits until that is mined.`,
    `Then it sends guardCall as it is (to, data, value).${walletCalls === undefined ? "" : " A wallet that takes wallet_sendCalls (EIP-5792) gets walletCalls as its parameter instead: one confirmation for all of it."}`,
  ];
}

const OF_STATE: Readonly<Record<Execution["state"], string>> = AFTER_EXECUTION;

export function afterExecutions({ execution, executions }: ExecutionStatus): string {
  const latest = execution ?? executions.at(-1);
  if (latest === undefined)
    return "No transaction is recorded yet. Once the user's wallet has sent the guard call, or the agent its mandateCall, call get_execution_status with transactionHash.";
  return OF_STATE[latest.state];
}
