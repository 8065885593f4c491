/**
 * POST /a2mcp/quote: what each policy would say of a trade now. The facts are gathered once, as for a verification, and judged
 * by every policy in memory: nothing is stored, logged, signed or charged, and no owner is asked for.
 */
import { attest } from "../../attestor/attest.ts";
import { widerLimits } from "../../attestor/checks/limits.ts";
import type { Intent } from "../../attestor/intent.ts";
import { newestPolicies } from "../../attestor/policies/policy.ts";
import { findAsset } from "../../attestor/registry.ts";
import { evaluate, type Report } from "../../attestor/report.ts";
import { wholeUnits } from "../../attestor/values/wholeUnits.ts";
import type { JobDeps } from "./deps.ts";
import { gather } from "./judge.ts";
import { judgeable } from "./judgeable.ts";
import { type Quote, type QuoteBody, ZERO_ADDRESS } from "./schemas.ts";

const NOTICE =
  "Nothing of this is signed, stored or reserved: facts change with every block. POST /a2mcp/verify makes a report that can be verified.";

/** @throws Problem as `judgeable`; UpstreamUnavailable */
export async function quoteTrade(deps: JobDeps, body: QuoteBody): Promise<Quote> {
  const policies = [...newestPolicies(deps.policies).values()];
  const [first] = policies;
  if (first === undefined) throw new Error("the service has no policy");
  const { limits, ...trade } = body;
  const nobodys = { ownerAddress: ZERO_ADDRESS, recipientAddress: ZERO_ADDRESS, ...trade };
  const asked = { ...nobodys, policyId: first.definition.policyId };
  judgeable(deps, asked);
  // Facts are of the trade; what a policy makes of them is its own.
  const { facts, proofs, capturedAt } = await gather(deps, asked);
  const { registry } = deps.chain.deployment;
  const judged = policies.map((policy) => {
    const { policyId } = policy.definition;
    const wider = widerLimits(policy.definition, limits);
    const own = Object.entries(limits ?? {}).filter(([name]) => !wider.some((one) => one.name === name));
    const intent: Intent = {
      ...nobodys,
      policyId,
      ...(own.length === 0 ? {} : { limits: Object.fromEntries(own) }),
    };
    const given = { jobId: "quote", reportVersion: 1, capturedAt, intent, policy, registry, facts };
    const report = deps.tracer.moment("judge", { "assay.policy": policyId }, () =>
      evaluate(policy, attest(given), deps.publisherKeys, proofs !== null, deps.hashText),
    );
    return said(report, wider);
  });
  const least = judged[0]?.figures.minAmountOutRaw ?? null;
  return {
    notice: NOTICE,
    capturedAt: new Date(capturedAt * 1_000).toISOString(),
    chainId: facts.chain.chainId,
    blockNumber: facts.chain.blockNumber,
    input: amountOf(deps, body.inputAssetKey, body.amountInRaw),
    output: facts.quote && amountOf(deps, body.outputAssetKey, facts.quote.amountOutRaw),
    minOutput: least === null ? null : amountOf(deps, body.outputAssetKey, least),
    policies: judged,
  };
}

function said(
  { policyId, decision, findings, evidence: { figures } }: Report,
  wider: ReturnType<typeof widerLimits>,
): Quote["policies"][number] {
  const tooWide = Object.fromEntries(wider.map(({ name, bound }) => [name, bound]));
  return {
    policyId,
    decision,
    findings: findings.filter(({ outcome }) => outcome !== "pass"),
    figures,
    ...(wider.length === 0 ? {} : { tooWide }),
  };
}

function amountOf({ chain }: JobDeps, assetKey: string, amountRaw: string): Quote["input"] {
  const asset = findAsset(chain.deployment.registry, assetKey);
  if (asset === undefined) throw new Error(`the registry has no ${assetKey}`);
  const { symbol, decimals } = asset;
  return { assetKey, symbol, amountRaw, amount: wholeUnits(amountRaw, decimals) };
}
