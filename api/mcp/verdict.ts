/** What a model decides by, out of what the HTTP API answers: amounts in units, what did not pass, the next step. */
import { z } from "zod";
import type { Intent } from "../../attestor/intent.ts";
import type { Asset } from "../../attestor/registry.ts";
import { Decision, type Report } from "../../attestor/report.ts";
import { wholeUnits } from "../../attestor/values/wholeUnits.ts";
import { cut } from "../../attestor/view/amounts.ts";
import { Hint, Job } from "../jobs/schemas.ts";
import { next } from "./inputs.ts";

/** Those of the registry. */
export type Assets = readonly Asset[];

/** Digits of an amount that one gets at least; never more than there are. */
const DIGITS = 6;

/** `250 USDL`; raw units of the asset key where the registry has no such asset any more. */
export function inUnits(raw: string, assetKey: string, assets: Assets, digits?: number): string {
  const asset = assets.find((each) => each.assetKey === assetKey);
  if (asset === undefined) return `${raw} raw units of ${assetKey}`;
  const units = wholeUnits(raw, asset.decimals);
  return `${digits === undefined ? units : cut(units, digits)} ${asset.symbol}`;
}

/**
 * The trade in words: `250 USDL for at least 0.9207 AAPLx`.
 * @param isRaw the caller gave raw units: then what they are in units is said, since it may surprise
 */
export function understood(
  intent: Intent,
  report: Report | undefined,
  assets: Assets,
  isRaw = false,
): string {
  const { inputAssetKey, outputAssetKey, amountInRaw, ownerAddress, recipientAddress } = intent;
  const spent = inUnits(amountInRaw, inputAssetKey, assets);
  const least = report?.evidence.figures.minAmountOutRaw ?? null;
  const output = assets.find(({ assetKey }) => assetKey === outputAssetKey)?.symbol ?? outputAssetKey;
  const got = least === null ? output : `at least ${inUnits(least, outputAssetKey, assets, DIGITS)}`;
  const paid = recipientAddress === ownerAddress ? "" : `, paid to ${recipientAddress}`;
  return `${isRaw ? `amountInRaw ${amountInRaw} is ` : ""}${spent} for ${got}${paid}`;
}

export const verdictMembers = {
  jobId: z.string(),
  version: z.number().nullable().describe("Of the report"),
  decision: Decision.nullable().describe("null: not paid for"),
  understood: z.string().describe("The trade in words"),
  refusals: z.array(z.object({ check: z.string(), message: z.string() })),
  hints: z.array(Hint.omit({})).describe("What would let each pass"),
  premiumBps: z.string().nullable(),
  impactBps: z.string().nullable(),
};

export const Verdict = z.object({ ...verdictMembers, payment: Job.shape.payment.shape.state, next });

/** @param tradeText the trade in words @param report undefined: it is not paid for */
export function judged(jobId: string, report: Report | undefined, hints: readonly Hint[], tradeText: string) {
  const { premiumBps = null, impactBps = null } = report?.evidence.figures ?? {};
  const refused = (report?.findings ?? []).filter(({ outcome }) => outcome !== "pass");
  return {
    jobId,
    version: report?.version ?? null,
    decision: report?.decision ?? null,
    understood: tradeText,
    refusals: refused.map(({ check, message }) => ({ check, message })),
    hints: [...hints],
    premiumBps,
    impactBps,
  };
}

/** @param isRaw as of `understood` */
export function verdictOf(job: Job, assets: Assets, isRaw = false): z.infer<typeof Verdict> {
  const { jobId, intent, report, hints = [], payment } = job;
  return {
    ...judged(jobId, report, hints, understood(intent, report, assets, isRaw)),
    payment: payment.state,
    next: nextOf(job),
  };
}

export const BEING_SETTLED =
  "The payment is being settled; do not pay again. Next: purchase_verification without a signature, in a few seconds.";

function nextOf({ jobId, payment, entitlement, report }: Job): string {
  if (!entitlement.granted)
    return payment.state === "settling"
      ? BEING_SETTLED
      : "The report must be paid for. Next: purchase_verification with this jobId and no signature.";
  if (report === undefined) return `${jobId} has no report yet. Next: get_verification.`;
  return report.decision === "ALLOW"
    ? "Next: prepare_guard_trade with this jobId, when the user wants the trade."
    : "Do not trade. Tell the user why, and what would pass; then prepare_verification with a new clientRequestId.";
}
