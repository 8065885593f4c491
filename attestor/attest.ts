/**
 * Read this first: the whole way of a judgement, a line a step.
 *
 *   intent + facts -> evidence -> findings -> report -> trade intent -> certificate
 *
 * Nothing here reads the network, a clock, the environment or a file, and nothing is random: the
 * same arguments give the same report to the byte.
 */
import * as z from "zod";
import { certificateFor, type VerificationCertificate } from "./certificate/certificate.ts";
import { contradictionIn } from "./evidence/coherence.ts";
import {
  EVIDENCE_SCHEMA,
  type Evidence,
  Evidence2,
  type Facts,
  Figures,
  type LiquidityFacts,
  type QuoteFacts,
  TradeFacts,
} from "./evidence/evidence.ts";
import { EVIDENCE_SCHEMA_1, Evidence1, type Facts1, Figures1, TradeFacts1 } from "./evidence/evidence1.ts";
import type { QuoteFacts1 } from "./evidence/evidenceParts.ts";
import { figuresOf } from "./evidence/figures.ts";
import { figures1Of } from "./evidence/figures1.ts";
import type { Intent, TradeIntent } from "./intent.ts";
import type { Policy } from "./policies/policy.ts";
import type { PolicyDefinition1, PolicyDefinition2 } from "./policies/policyDefinition.ts";
import type { Proofs } from "./proofs/stateProofs.ts";
import { findAsset, type Registry, registryHash } from "./registry.ts";
import { evaluate, type Report } from "./report.ts";
import { sharesPerUnit } from "./shares.ts";
import { AttestorError } from "./values/attestorErrors.ts";
import type { TextHash } from "./values/canonical.ts";
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
  /** The proofs that `facts.proofs` names. */
  readonly proofs?: Proofs | null;
  /** A server may bring a faster one of the same kind. */
  readonly hash?: TextHash;
}

/**
 * The report on one intent. A policy of the first schema is answered with evidence of the first schema: a job is judged
 * to its end by the version that it was created with.
 * @throws AttestorError `invalid_evidence` when the facts do not fit the schema or the intent,
 *   `invalid_registry` when the intent's assets are not one stock and one settlement token of the registry
 */
export function attest(judgement: Judgement): Report {
  const { definition } = judgement.policy;
  if (definition.schema === "assay.policy/2")
    return {
      ...evaluate(judgement.policy, assembleEvidence(judgement, definition), undefined, judgement.hash),
      ...(judgement.proofs ? { proofs: judgement.proofs } : {}),
    };
  const trade = tradeOf(judgement.intent, judgement.registry);
  return attest1({ ...judgement, facts: facts1Of(judgement.facts, trade) }, definition);
}

/**
 * The report by `assay.evidence/1` and a policy of its schema.
 * @throws AttestorError as `attest`
 */
export function attest1(
  judgement: Omit<Judgement, "facts"> & { readonly facts: Facts1 },
  definition: PolicyDefinition1,
): Report {
  const given = fitting(Given1, { ...judgement.facts, schema: EVIDENCE_SCHEMA_1, ...judgedOf(judgement) });
  const trade = fitting(TradeFacts1, trade1Of(tradeOf(given.intent, judgement.registry)));
  const figures = fitting(Figures1, figures1Of(definition, given.intent, trade, given, given.capturedAt));
  return evaluate(judgement.policy, coherent({ ...given, trade, figures }), undefined, judgement.hash);
}

/** What comes from outside; the rest of the evidence follows from it. */
const Given = Evidence2.omit({ trade: true, figures: true });
const Given1 = Evidence1.omit({ trade: true, figures: true });

function assembleEvidence(judgement: Judgement, definition: PolicyDefinition2): Evidence2 {
  const given = fitting(Given, { ...judgement.facts, schema: EVIDENCE_SCHEMA, ...judgedOf(judgement) });
  const trade = fitting(TradeFacts, tradeOf(given.intent, judgement.registry));
  const figures = fitting(Figures, figuresOf(definition, given.intent, trade, given, given.capturedAt));
  return coherent({ ...given, trade, figures });
}

function judgedOf({ jobId, reportVersion, capturedAt, intent, policy, registry }: Omit<Judgement, "facts">) {
  const { policyId, version } = policy.definition;
  return {
    jobId,
    reportVersion,
    capturedAt,
    intent,
    policy: { policyId, version, definitionHash: policy.definitionHash },
    registry: { version: registry.version, hash: registryHash(registry) },
  };
}

function coherent<E extends Evidence>(evidence: E): E {
  const contradiction = contradictionIn(evidence);
  if (contradiction !== null) throw new AttestorError("invalid_evidence", contradiction);
  return evidence;
}

/** What the first schema can hold of the facts. The shares per token are right in it, whatever the token's kind. */
function facts1Of(facts: Facts, { tokenKind }: TradeFacts): Facts1 {
  const { token, settlement: _, proofs: __, quote, liquidity, ...rest } = facts;
  const common = {
    ...rest,
    quote: quote && withoutPools(quote),
    references: facts.references.map(({ onChain: _, proof: __, ...reading }) => reading),
    liquidity: liquidity && withoutRoot(liquidity),
  };
  const shares = tokenKind === null ? null : sharesPerUnit(tokenKind, "raw", token.factor?.value ?? null);
  const [first] = token.halts;
  if (shares === null || first === undefined) return { ...common, token: null };
  const halted = token.halts.some((statement) => statement.halted);
  const source = token.factor?.provider ?? first.provider;
  return { ...common, token: { source, sharesPerToken: shares, halted } };
}

function withoutRoot({ samplesRoot: _, ...liquidity }: LiquidityFacts): Facts1["liquidity"] {
  return liquidity;
}

function withoutPools({ pools: _, ...quote }: QuoteFacts): QuoteFacts1 {
  return quote;
}

/** The members that the first schema has of a trade. */
export function trade1Of({ settlementAssetKey: _, tokenKind: __, ...trade }: TradeFacts): TradeFacts1 {
  return trade;
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
    tokenKind: stock.tokenKind ?? null,
  };
}

export interface Execution {
  readonly tradeIntent: TradeIntent;
  readonly certificate: VerificationCertificate;
}

/**
 * What the guard is asked to carry out, and the certificate that allows it.
 * @param callDataHash keccak256 of the whole route call data
 * @param nonce unused nonce of the owner, decimal
 * @param deadline unix seconds, inclusive
 * @throws AttestorError `not_allowed` unless the report allows the trade under that policy
 */
export function authorize(
  policy: Policy,
  report: Report,
  call: { callDataHash: string; nonce: string; deadline: number },
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
    selector: quote.selector,
    callDataHash: call.callDataHash,
    nonce: call.nonce,
    deadline: String(call.deadline),
  };
  return { tradeIntent, certificate: certificateFor(policy, report, tradeIntent) };
}
