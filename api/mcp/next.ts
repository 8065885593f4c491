/** The sentence that comes with a tool's answer: what it means, and which call is next. */
import { leftFor } from "../../attestor/mandates/mandate.ts";
import type { Report } from "../../attestor/report.ts";
import type { Execution, Job, Prepared } from "../jobs/schemas.ts";
import AFTER_EXECUTION from "./afterExecution.json" with { type: "json" };
import { type Assets, inUnits } from "./amounts.ts";
import type { Signing } from "./signing.ts";

/** What the mandate of a trade leaves its agent; nothing without a mandate. */
function leftOfMandate({ evidence }: Report, assets: Assets): string {
  const { intent, mandate, trade } = evidence;
  if (intent.mandate === undefined || mandate === undefined) return "";
  const { granted, spentWithinDay } = mandate;
  if (granted === null) return "Nothing is left of the mandate: there is none, or it was revoked. ";
  const settlement = trade.side === "buy" ? intent.inputAssetKey : intent.outputAssetKey;
  const units = (raw: string) => inUnits(raw, settlement, assets);
  const { budget, perTrade, perDay, expiresAt } = granted;
  return `Left of the mandate before this trade: ${units(leftFor(granted, spentWithinDay))} for one trade, at most ${units(perTrade)} each, ${units(perDay)} within 24 hours of which ${units(spentWithinDay)} are spent, ${units(budget)} in all, until ${new Date(Number(expiresAt) * 1000).toISOString()}. `;
}

export function afterJob({ jobId, payment, entitlement, report }: Job, assets: Assets): string {
  if (!entitlement.granted)
    return payment.state === "settling"
      ? "The payment is being settled; do not pay again. Next: purchase_verification without a signature, in a few seconds."
      : "The report must be paid for. Next: purchase_verification with this jobId and no signature.";
  if (report === undefined) return `${jobId} has no report yet. Next: get_verification.`;
  const left = leftOfMandate(report, assets);
  return report.decision === "ALLOW"
    ? `${left}Next: prepare_guard_trade with this jobId, when the user wants the trade.`
    : `${left}Do not trade. Tell the user why, and what would pass; then prepare_verification with a new clientRequestId.`;
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
export function afterPrepared(
  prepared: Sendable,
  assets: Assets,
  withCall: boolean,
  signing?: Signing,
): string {
  const left = leftOfMandate(prepared.report, assets);
  if (prepared.execution === null) return `${left}There is nothing to sign. Tell the user why.`;
  if (signing?.isOpened)
    return `${left}The user was led to the page where the wallet signs and sends. Next: get_execution_status without a hash, every few seconds until expiresAt.`;
  const declined = signing === undefined ? "" : "The user did not open the signing page. ";
  return `${left}${declined}${howToSend(prepared, withCall)} This server sends nothing. Next: get_execution_status with the transaction hash.`;
}

type Sendable = Pick<Prepared, "report" | "execution" | "signUrl">;

function howToSend({ execution, signUrl }: Sendable, withCall: boolean): string {
  const where = withCall ? "" : ` (in the linked document, or with include: "call")`;
  if (execution?.mandateCall !== undefined)
    return `Before expiresAt the agent sends mandateCall as it is${where}; no approval is needed.`;
  const page = signUrl === null ? "" : "the user opens signUrl, which tells the hash by itself, or ";
  return `Before expiresAt ${page}the user's wallet approves what sends.approve names, if anything, and sends guardCall as it is${where}.`;
}

const OF_STATE: Readonly<Record<Execution["state"], string>> = AFTER_EXECUTION;

export function afterExecution(execution: Execution | undefined): string {
  return execution === undefined
    ? "No transaction is recorded yet. Once it is sent, call get_execution_status with transactionHash."
    : OF_STATE[execution.state];
}
