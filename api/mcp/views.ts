/**
 * What a model decides by, out of what the HTTP API answers: amounts in units, what did not pass, the next step. Members that
 * the tools' output schemas do not name are left out later.
 */
import type { z } from "zod";
import type { Intent } from "../../attestor/intent.ts";
import type { Report } from "../../attestor/report.ts";
import type { AssetsAnswer, PoliciesAnswer } from "../jobs/catalog.ts";
import type { Execution, Hint, Job, Prepared } from "../jobs/schemas.ts";
import { type Assets, inUnits, understood } from "./amounts.ts";
import type { TradeDocument } from "./backend.ts";
import { afterExecution, afterJob, afterPrepared } from "./next.ts";
import type { AssetList, ExecutionStatus, PolicyList, PreparedVerdict, Verdict } from "./schemas.ts";

/** How many assets one answer lists; the rest is found by a query, or in the resource. */
const LISTED = 10;

/** @param query part of a symbol or ticker; all without it, tokens that trades are paid in first */
export function assetList({ assets }: AssetsAnswer, query = ""): z.infer<typeof AssetList> {
  const part = query.toLowerCase();
  const found = assets
    .filter(({ symbol, underlying }) =>
      [symbol, underlying ?? ""].some((name) => name.toLowerCase().includes(part)),
    )
    .sort((one, other) => Number(one.kind === "stock") - Number(other.kind === "stock"));
  const rest = found.length - LISTED;
  return {
    assets: found.slice(0, LISTED),
    next: `${rest > 0 ? `${rest} more: narrow by query. ` : ""}Choose an input and an output. Next: get_verification_policy, or prepare_verification.`,
  };
}

export function policyList({ policies }: PoliciesAnswer): z.infer<typeof PolicyList> {
  return {
    policies: policies.map(({ policyId, definition }) => ({
      policyId,
      sessions: definition.allowedSessions,
      reference: definition.reference.kind,
      maxReferenceAgeSeconds: definition.reference.maxAgeSeconds,
      maxPremiumBps: definition.maxAdversePremiumBps,
      maxImpactBps: definition.maxImpactBps,
      maxSlippageBps: definition.maxSlippageBps,
      maxNotionalUsd: definition.notionalCapUsd,
    })),
    next: "Choose a policyId. Next: prepare_verification.",
  };
}

function judged(jobId: string, report: Report | undefined, hints: readonly Hint[], said: string) {
  const { premiumBps = null, impactBps = null } = report?.evidence.figures ?? {};
  const refused = (report?.findings ?? []).filter(({ outcome }) => outcome !== "pass");
  return {
    jobId,
    version: report?.version ?? null,
    decision: report?.decision ?? null,
    understood: said,
    refusals: refused.map(({ check, message }) => ({ check, message })),
    hints: [...hints],
    premiumBps,
    impactBps,
  };
}

/** @param isRaw as of `understood` */
export function verdictOf(job: Job, assets: Assets, isRaw = false): Verdict {
  const { jobId, intent, report, hints = [], payment } = job;
  return {
    ...judged(jobId, report, hints, understood(intent, report, assets, isRaw)),
    payment: payment.state,
    next: afterJob(job),
  };
}

/** @param withCall whether the host's wallet is a tool, which takes the call data from here */
export function preparedVerdictOf(
  prepared: TradeDocument & Partial<Prepared>,
  assets: Assets,
  withCall: boolean,
): PreparedVerdict {
  const { jobId, report, hints = [], execution, signUrl = null } = prepared;
  const { intent } = report.evidence;
  const next = afterPrepared({ execution, signUrl }, withCall);
  const told = judged(jobId, report, hints, understood(intent, report, assets));
  if (execution === null) return { ...told, next };
  const { approval, guardCall, certificate, tradeIntent } = execution;
  const isApproved = approval.calls.length === 0;
  const until = Math.min(Number(certificate.message.expiresAt), Number(tradeIntent.message.deadline));
  const { to, data, value } = guardCall;
  return {
    ...told,
    expiresAt: new Date(until * 1000).toISOString(),
    sends: {
      chainId: guardCall.chainId,
      to,
      function: guardCall.functionName,
      approve: isApproved ? undefined : inUnits(approval.amount, intent.inputAssetKey, assets),
    },
    signUrl: signUrl ?? undefined,
    approvals: withCall && !isApproved ? approval.calls : undefined,
    guardCall: withCall ? { to, data, value } : undefined,
    next,
  };
}

/** @param transactionHash of which the caller asks; without it the confirmed one, else the latest */
export function statusOf(
  { jobId, intent, executions }: Job,
  assets: Assets,
  transactionHash?: string,
): ExecutionStatus {
  const found =
    transactionHash === undefined
      ? (executions.find(({ state }) => state === "confirmed") ?? executions.at(-1))
      : executions.find((each) => each.transactionHash === transactionHash);
  const execution = found === undefined ? null : { ...found, ...exchanged(found, intent, assets) };
  return { jobId, execution, next: afterExecution(found) };
}

const exchanged = ({ confirmed }: Execution, { inputAssetKey, outputAssetKey }: Intent, assets: Assets) =>
  confirmed && {
    spent: inUnits(confirmed.amountInRaw, inputAssetKey, assets),
    received: inUnits(confirmed.amountOutRaw, outputAssetKey, assets),
    evidenceHash: confirmed.evidenceHash,
  };
