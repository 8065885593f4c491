/**
 * Read this first: the whole way of a judgement.
 *
 *   intent + facts -> evidence           `attest`
 *   evidence -> findings and report      `evaluate`, in report.ts
 *   report -> trade intent, certificate  `authorize`
 *
 * Nothing here reads the network, a clock, the environment or a file, and nothing is random: the
 * same arguments give the same report to the byte.
 */
import * as z from "zod";
import { certificateFor, type VerificationCertificate } from "./certificate/certificate.ts";
import { tradeContradictions } from "./evidence/contradictions.ts";
import { EVIDENCE_SCHEMA, Evidence, Figures, TradeFacts } from "./evidence/evidence.ts";
import type { Facts } from "./evidence/facts.ts";
import { figuresOf } from "./evidence/figures.ts";
import type { Intent, TradeIntent } from "./intent.ts";
import type { Policy } from "./policies/policy.ts";
import { tighten } from "./policies/tighten.ts";
import { findAsset, type Registry, registryHash } from "./registry.ts";
import type { Report } from "./report.ts";
import { AttestorError } from "./values/attestorErrors.ts";
import { addressOf } from "./values/primitives.ts";
import type { UnixSeconds } from "./values/time.ts";

export interface Judgement {
  readonly jobId: string;
  readonly reportVersion: number;
  readonly capturedAt: UnixSeconds;
  readonly intent: Intent;
  readonly policy: Policy;
  readonly registry: Registry;
  readonly facts: Facts;
}

/** What comes from outside; the rest of the evidence follows from it. */
const Given = Evidence.omit({ trade: true, figures: true });

/**
 * The evidence of one intent, which `evaluate` then judges.
 * @throws AttestorError `invalid_evidence` when the facts do not fit the schema or the intent,
 *   `invalid_registry` when the intent's assets are not one stock and one settlement token of the registry
 */
export function attest({ policy, registry, facts, ...judgement }: Judgement): Evidence {
  const { policyId, version } = policy.definition;
  const { jobId, reportVersion, capturedAt, intent } = judgement;
  const given = fitting(Given, {
    ...facts,
    schema: EVIDENCE_SCHEMA,
    jobId,
    reportVersion,
    capturedAt,
    intent,
    policy: { policyId, version, definitionHash: policy.definitionHash },
    registry: { version: registry.version, hash: registryHash(registry) },
  });
  const trade = fitting(TradeFacts, tradeOf(given.intent, registry));
  const figures = fitting(Figures, figuresOf(tighten(policy.definition, intent.limits), { ...given, trade }));
  const evidence = { ...given, trade, figures };
  const [contradiction] = tradeContradictions(evidence);
  if (contradiction !== undefined)
    throw new AttestorError("invalid_evidence", `the facts contradict the intent: ${contradiction.code}`);
  return evidence;
}

function fitting<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new AttestorError(
    "invalid_evidence",
    `the facts do not fit the evidence: ${z.prettifyError(result.error)}`,
  );
}

/**
 * Which side of which stock an intent trades.
 * @throws AttestorError `invalid_registry` unless it is one stock against one settlement token
 */
export function tradeOf(
  intent: Pick<Intent, "inputAssetKey" | "outputAssetKey">,
  registry: Registry,
): TradeFacts {
  const input = findAsset(registry, intent.inputAssetKey);
  const output = findAsset(registry, intent.outputAssetKey);
  const stock = [input, output].find((asset) => asset?.kind === "stock");
  const settlement = [input, output].find((asset) => asset?.kind === "settlement");
  if (!input || !output || !settlement || !stock?.underlying)
    throw new AttestorError(
      "invalid_registry",
      "a trade is one stock against one settlement token of the registry",
    );
  return {
    side: output === stock ? "buy" : "sell",
    stockAssetKey: stock.assetKey,
    symbol: stock.symbol,
    underlying: stock.underlying,
    inputDecimals: input.decimals,
    outputDecimals: output.decimals,
    settlementAssetKey: settlement.assetKey,
    settlementSymbol: settlement.symbol,
    tokenKind: stock.tokenKind ?? null,
  };
}

export interface Execution {
  readonly tradeIntent: TradeIntent;
  readonly certificate: VerificationCertificate;
}

/**
 * What the guard is asked to carry out, and the certificate that allows it.
 * @param `callDataHash` keccak256 of the whole route call data
 * @param nonce unused nonce of the owner, decimal
 * @param deadline unix seconds, inclusive; as text where it may be any uint256
 * @throws AttestorError `not_allowed` unless the report allows the trade under that policy
 */
export function authorize(
  policy: Policy,
  report: Report,
  call: { callDataHash: string; nonce: string; deadline: UnixSeconds | string },
): Execution {
  const { evidence } = report;
  const { intent, quote, figures } = evidence;
  if (report.decision !== "ALLOW" || quote === null || figures.minAmountOutRaw === null)
    throw new AttestorError("not_allowed", "a denied trade gets no certificate");
  if (report.policyHash !== policy.definitionHash)
    throw new AttestorError("not_allowed", "the report was judged by another policy");
  const tradeIntent: TradeIntent = {
    owner: intent.ownerAddress,
    recipient: intent.recipientAddress,
    inputToken: addressOf(intent.inputAssetKey),
    outputToken: addressOf(intent.outputAssetKey),
    amountIn: intent.amountInRaw,
    minAmountOut: figures.minAmountOutRaw,
    route: quote.route,
    callDataHash: call.callDataHash,
    policyHash: report.policyHash,
    nonce: call.nonce,
    deadline: String(call.deadline),
  };
  return { tradeIntent, certificate: certificateFor(policy, report, tradeIntent) };
}
