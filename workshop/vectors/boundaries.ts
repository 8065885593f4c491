/**
 * For each check, judgements on its boundary: the observed value is exactly at the limit, the smallest step past it,
 * or on either side of a rounding.
 */
import { getAddress, id } from "ethers";
import { attest } from "../../attestor/attest.ts";
import { adversePremium } from "../../attestor/checks/quote.ts";
import type { Evidence } from "../../attestor/evidence/evidence.ts";
import type { Facts, ReferencePrice } from "../../attestor/evidence/facts.ts";
import { eligibleReferences } from "../../attestor/evidence/figures.ts";
import { gradeOf } from "../../attestor/evidence/liquidity.ts";
import { Intent } from "../../attestor/intent.ts";
import { GRADES, type PolicyDefinition, SESSIONS } from "../../attestor/policies/policy.ts";
import { widerLimits } from "../../attestor/policies/tighten.ts";
import { sortedTokens } from "../../attestor/pools/create2.ts";
import type { UniswapV2State } from "../../attestor/pools/poolState.ts";
import { priceProofOf } from "../../attestor/publishers/pyth/pyth.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { wholeUnits } from "../../attestor/values/wholeUnits.ts";
import { signedUpdate } from "../../devnet/hermes/update.ts";
import { withSigner } from "../../test/attestor/fixtures.ts";
import type { Draw } from "./draw.ts";
import type { Draft } from "./judgements.ts";

const FEED_ID = id("the feed of the vectors");

/** @returns false where this policy cannot be brought there */
type Bend = (draft: Draft, aim: "pass" | "fail", draw: Draw) => boolean;

/** `1 + bps / 10000` as a fraction over 10^12, with a step that rounds away or up at the fourth place of a bp. */
function ratio(bps: number, aim: "pass" | "fail", draw: Draw): bigint {
  const exact = 10n ** 12n + BigInt(bps) * 10n ** 8n;
  // Half of the last place that is written rounds up, anything less rounds away.
  if (aim === "fail") return exact + draw.pick([5_000n, 10_000n, 100_000_000n]);
  return exact + draw.pick([0n, 4_999n, 0n, -10_000n]);
}

const priceText = (value: bigint) => wholeUnits(value, 12);

function reading(draft: Draft, overrides: Partial<ReferencePrice>): ReferencePrice {
  return {
    provider: "pyth",
    source: "made up",
    kind: draft.policy.definition.reference.kind,
    symbol: "ACME",
    price: "200",
    confidence: null,
    publishedAt: draft.capturedAt,
    receivedAt: draft.capturedAt,
    rawHash: `0x${"11".repeat(32)}`,
    onChain: null,
    proof: null,
    signer: null,
    ...overrides,
  };
}

/** @returns true: the draft has been bent */
function setFacts(draft: Draft, change: Partial<Facts>): true {
  draft.facts = { ...draft.facts, ...change };
  return true;
}

function quoted(draft: Draft, change: Partial<NonNullable<Facts["quote"]>>): boolean {
  const { quote } = draft.facts;
  if (quote === null) return false;
  setFacts(draft, { quote: { ...quote, ...change } });
  if (change.amountInRaw !== undefined) draft.intent = { ...draft.intent, amountInRaw: change.amountInRaw };
  return true;
}

const whole = (decimals: number) => 10n ** BigInt(decimals);

function decimalsOf({ registry, side }: Draft): { input: number; output: number } {
  const [stock, dollar] = registry.assets.map(({ decimals }) => decimals) as [number, number];
  return side === "buy" ? { input: dollar, output: stock } : { input: stock, output: dollar };
}

/** Each fact of the settlement token at one dollar, so that a figure is in the settlement token's own units. */
function dollarAtOne(draft: Draft): void {
  setFacts(draft, {
    settlement: ["pyth", "chainlink", "desk"].map((provider) =>
      reading(draft, { provider, kind: "live", price: "1", symbol: "USD" }),
    ),
  });
}

const premium: Bend = (draft, aim, draw) => {
  const { maxAdversePremiumBps } = draft.policy.definition;
  dollarAtOne(draft);
  const { registry, side } = draft;
  const kind = registry.assets[0]?.tokenKind;
  if (kind === undefined) return false;
  const token = draft.facts.token;
  if (token.factor === null || token.halts.length === 0) return false;
  setFacts(draft, {
    token: { ...token, factor: { ...token.factor, value: "1" } },
    references: [reading(draft, { price: "100" })],
  });
  // The tiny trade is 10^12 raw units on one side, so that the price takes the ratio's twelve places.
  const adverse = ratio(maxAdversePremiumBps, aim, draw);
  const signed = side === "buy" ? adverse : 2n * 10n ** 12n - adverse;
  const { input, output } = decimalsOf(draft);
  const [settledDecimals, stockDecimals] = side === "buy" ? [input, output] : [output, input];
  const stockRaw = whole(stockDecimals) * 10n ** 12n;
  const settledRaw = 100n * signed * whole(settledDecimals);
  const [tinyIn, tinyOut] = side === "buy" ? [settledRaw, stockRaw] : [stockRaw, settledRaw];
  return quoted(draft, {
    referenceAmountInRaw: tinyIn.toString(),
    referenceAmountOutRaw: tinyOut.toString(),
  });
};

const impact: Bend = (draft, aim, draw) => {
  const amount = 10n ** BigInt(draw.int(14, 20));
  const tinyOut = ratio(draft.policy.definition.maxImpactBps, aim, draw) * 10n ** 4n;
  return quoted(draft, {
    amountInRaw: amount.toString(),
    amountOutRaw: amount.toString(),
    referenceAmountInRaw: (10n ** 16n).toString(),
    referenceAmountOutRaw: tinyOut.toString(),
  });
};

const notional: Bend = (draft, aim, draw) => {
  dollarAtOne(draft);
  const { input, output } = decimalsOf(draft);
  const decimals = draft.side === "buy" ? input : output;
  const cap = BigInt(draft.policy.definition.notionalCapUsd) * whole(decimals);
  // Below the eighth place a step rounds away, at half of it it rounds up.
  const steps = decimals < 9 ? [1n] : [10n ** BigInt(decimals - 8) / 2n, 10n ** BigInt(decimals - 8)];
  const amount =
    aim === "fail"
      ? cap + draw.pick(steps)
      : cap + (decimals < 9 ? draw.pick([0n, -1n]) : draw.pick([0n, 1n, -1n]));
  return draft.side === "buy"
    ? quoted(draft, { amountInRaw: amount.toString() })
    : quoted(draft, { amountOutRaw: amount.toString() });
};

const minimumOutput: Bend = (draft, aim) => {
  const { maxSlippageBps } = draft.intent;
  const left = 10_000n - BigInt(maxSlippageBps);
  const least = (10_000n + left - 1n) / left;
  return quoted(draft, { amountOutRaw: (aim === "pass" ? least : least - 1n).toString() });
};

const referenceSources: Bend = (draft, aim, draw) => {
  const { minSources } = draft.policy.definition.reference;
  const count = aim === "pass" ? minSources + draw.int(0, 1) : minSources - 1;
  const own = Array.from({ length: count }, (_, index) => reading(draft, { provider: `source ${index}` }));
  // One provider counts once, a price of zero not at all, and the other kind neither.
  const noise = [
    ...(count > 0 ? [reading(draft, { provider: "source 0", publishedAt: draft.capturedAt - 3 })] : []),
    reading(draft, { provider: "zero", price: "0" }),
    reading(draft, {
      provider: "other",
      kind: draft.policy.definition.reference.kind === "live" ? "close" : "live",
    }),
  ];
  return setFacts(draft, { references: draw.once(2) ? [...own, ...noise] : [...noise, ...own] });
};

const referenceAge: Bend = (draft, aim, draw) => {
  const { minSources, maxAgeSeconds } = draft.policy.definition.reference;
  const ahead = draw.once(3);
  const decisive = aim === "pass" ? (ahead ? -5 : maxAgeSeconds) : ahead ? -6 : maxAgeSeconds + 1;
  const others = aim === "pass" && ahead ? -4 : 0;
  const ages = [...Array.from({ length: minSources - 1 }, () => others), decisive];
  return setFacts(draft, {
    references: ages.map((age, index) =>
      reading(draft, { provider: `source ${index}`, publishedAt: draft.capturedAt - age }),
    ),
  });
};

const referenceAgreement: Bend = (draft, aim, draw) => {
  const high = ratio(draft.policy.definition.reference.maxDisagreementBps, aim, draw);
  const lowest = reading(draft, { provider: "low", price: "1" });
  if (aim === "pass" && high < 10n ** 12n) return false;
  const highest = reading(draft, { provider: "high", price: priceText(high) });
  return setFacts(draft, { references: [lowest, highest] });
};

const referenceConfidence: Bend = (draft, aim, draw) => {
  const width = ratio(draft.policy.definition.reference.maxConfidenceBps, aim, draw) - 10n ** 12n;
  if (width < 0n) return false;
  return setFacts(draft, {
    references: [
      reading(draft, { price: "1", confidence: priceText(width) }),
      reading(draft, { provider: "sure", price: "1", confidence: draw.pick(["0", null]) }),
    ],
  });
};

const settlementPeg: Bend = (draft, aim, draw) => {
  const { definition } = draft.policy;
  const { minSources, maxDeviationBps, maxAgeSeconds } = definition.settlement;
  const away = ratio(maxDeviationBps, aim, draw);
  const farthest = draw.once(2) ? away : 2n * 10n ** 12n - away;
  const prices = [farthest, ...Array.from({ length: minSources - 1 }, () => 10n ** 12n)];
  return setFacts(draft, {
    settlement: prices.map((price, index) =>
      reading(draft, {
        provider: `source ${index}`,
        kind: "live",
        price: priceText(price),
        publishedAt: draft.capturedAt - (index === 0 ? maxAgeSeconds : 0),
      }),
    ),
  });
};

const corporateAction: Bend = (draft, aim, draw) => {
  const { definition } = draft.policy;
  const { chain, token } = draft.facts;
  const { announcement, factor } = token;
  if (announcement === null) return false;
  const { marginSeconds } = definition.corporateAction;
  const ahead = definition.certificateLifetimeSeconds + marginSeconds + 1;
  // What was read before the change, however little, holds no more.
  const read = Math.min(chain.blockTimestamp, factor?.receivedAt ?? chain.blockTimestamp) - draft.capturedAt;
  const distance =
    aim === "pass"
      ? draw.pick([ahead, Math.min(-marginSeconds - 1, read)])
      : draw.pick([ahead - 1, -marginSeconds, read + 1]);
  const change = { value: null, effectiveAt: draft.capturedAt + distance };
  return setFacts(draft, { token: { ...token, announcement: { ...announcement, change } } });
};

const tradingHalt: Bend = (draft, aim, draw) => {
  const [first, ...rest] = draft.facts.token.halts;
  if (first === undefined) return false;
  const halts = [first, ...rest].map((each) => ({ ...each, halted: false }));
  if (aim === "fail") {
    const at = draw.int(0, halts.length - 1);
    halts[at] = { ...halts[at]!, halted: true };
  }
  return setFacts(draft, { token: { ...draft.facts.token, halts } });
};

const session: Bend = (draft, aim, draw) => {
  const { allowedSessions } = draft.policy.definition;
  const outside = SESSIONS.filter((state) => !allowedSessions.includes(state));
  if (aim === "fail" && outside.length === 0) return false;
  const state = draw.pick(aim === "pass" ? allowedSessions : outside);
  return setFacts(draft, { session: { source: "simulated", state } });
};

/** Impacts at the limits of the grades, in basis points. */
const GRADE_IMPACTS = {
  A: ["-3", "0", "50"],
  B: ["50.0001", "150"],
  C: ["150.0001", "500"],
  D: ["500.0001"],
};

const liquidityGrade: Bend = (draft, aim, draw) => {
  const lowest = GRADES.indexOf(draft.policy.definition.lowestGrade);
  const grades = GRADES.filter((_, index) => (aim === "pass" ? index === lowest : index === lowest + 1));
  const grade = grades[0];
  if (grade === undefined) return false;
  const impact10kBps = draw.pick(GRADE_IMPACTS[grade]);
  if (gradeOf(impact10kBps) !== grade) throw new Error(`an impact of ${impact10kBps} bps has another grade`);
  return samples(draft, Math.max(3, draft.policy.definition.minLiquiditySamples), { grade, impact10kBps });
};

const liquiditySamples: Bend = (draft, aim) => {
  const { minLiquiditySamples } = draft.policy.definition;
  const sampleN = aim === "pass" ? minLiquiditySamples : minLiquiditySamples - 1;
  return sampleN >= 0 && samples(draft, sampleN, { grade: "B", impact10kBps: "60" });
};

function samples(
  draft: Draft,
  sampleN: number,
  figures: { grade: "A" | "B" | "C" | "D"; impact10kBps: string },
): boolean {
  const { liquidity } = draft.facts;
  if (liquidity === null) return false;
  const none = sampleN === 0;
  return setFacts(draft, {
    liquidity: {
      ...liquidity,
      sampleN,
      grade: sampleN < 3 ? null : figures.grade,
      impact1kBps: none ? null : "2",
      impact10kBps: none ? null : figures.impact10kBps,
      updatedAt: none ? null : draft.capturedAt - 60,
    },
  });
}

const slippage: Bend = (draft, aim) => {
  const { maxSlippageBps } = draft.policy.definition;
  draft.intent = { ...draft.intent, maxSlippageBps: aim === "pass" ? maxSlippageBps : maxSlippageBps + 1 };
  return draft.intent.maxSlippageBps <= 10_000;
};

const quoteAge: Bend = (draft, aim, draw) => {
  const age = draft.policy.definition.maxQuoteAgeSeconds + (aim === "pass" ? 0 : 1);
  const blockTimestamp = draft.capturedAt - age * draw.pick([1, -1]);
  return setFacts(draft, { chain: { ...draft.facts.chain, blockTimestamp } });
};

function guarded(change: (draft: Draft, passes: boolean) => Partial<Facts["guard"]>): Bend {
  return (draft, aim) =>
    setFacts(draft, { guard: { ...draft.facts.guard, ...change(draft, aim === "pass") } });
}

/** A reading that the local world's test keys signed. */
function signedReading(draft: Draft, provider: number): ReferencePrice {
  const publishedAt = draft.capturedAt - provider;
  const price = { feedId: FEED_ID, price: 20_000n, confidence: 5n, exponent: -2, publishedAt };
  const proof = priceProofOf(signedUpdate([price], publishedAt), FEED_ID);
  return withSigner(reading(draft, { price: "200", confidence: "0.05", publishedAt, proof, kind: "live" }));
}

/** Two readings of one provider are one source, and what is signed is always of Pyth: one signed reading counts at most. */
const signedReferences: Bend = (draft, aim, draw) => {
  const { definition } = draft.policy;
  if (definition.reference.kind !== "live") return false;
  const needed = definition.evidence.minSignedReferences;
  if (aim === "pass" ? needed > 1 : needed === 0) return false;
  const isSigned = aim === "pass" ? needed === 1 || draw.once(2) : needed === 2 && draw.once(2);
  const others = [reading(draft, { provider: "desk" }), reading(draft, { provider: "exchange" })];
  return setFacts(draft, {
    references: isSigned ? [signedReading(draft, draw.int(0, 1)), ...others] : others,
  });
};

/** What the report would name; a verifier of only the evidence assumes that there are proofs. */
const quoteProof: Bend = (draft, aim, draw) => {
  const { definition } = draft.policy;
  const { quote } = draft.facts;
  if (quote === null) return false;
  const isRequired = definition.evidence.quoteProof === "required";
  if (aim === "fail" && !isRequired) return false;
  const isProved = aim === "pass" && (isRequired || draw.once(2));
  const hasPools = isProved || draw.once(2);
  return setFacts(draft, {
    quote: { ...quote, pools: hasPools ? [pairOf(quote, draw)] : null },
    proofs: isProved || (!hasPools && draw.once(2)) ? { format: "assay.proofs/1", hash: draw.hex(32) } : null,
  });
};

function pairOf({ path }: NonNullable<Facts["quote"]>, draw: Draw): UniswapV2State {
  const [token0, token1] = sortedTokens(path[0]!, path[1]!);
  return {
    kind: "uniswap-v2",
    address: getAddress(draw.hex(20)),
    token0,
    token1,
    feeBps: 30,
    reserve0: draw.digits(24).toString(),
    reserve1: draw.digits(24).toString(),
  };
}

/** A limit of exactly what is observed, or tighter by one. @returns false where that is wider than the policy's bound */
function limited(
  name: "maxPremiumBps" | "maxImpactBps" | "maxReferenceAgeSeconds",
  observed: (evidence: Evidence, policy: PolicyDefinition) => string | number | null | undefined,
): Bend {
  return (draft, aim) => {
    const { definition } = draft.policy;
    const at = orElse(() => observed(attest(draft), definition), null);
    if (at === null || at === undefined) return false;
    draft.intent = { ...draft.intent, limits: { [name]: Math.ceil(Number(at)) - (aim === "pass" ? 0 : 1) } };
    return (
      Intent.safeParse(draft.intent).success && widerLimits(definition, draft.intent.limits).length === 0
    );
  };
}

/** Boundaries of checks whose policy an intent's limit tightens. */
const LIMITS: Readonly<Record<string, Bend>> = {
  "premium by a limit": limited("maxPremiumBps", adversePremium),
  "impact by a limit": limited("maxImpactBps", ({ figures }) => figures.impactBps),
  "minimum-output by a limit": (draft, aim) => {
    if (draft.facts.quote === null) return false;
    const least = BigInt(draft.facts.quote.amountOutRaw) + (aim === "pass" ? 0n : 1n);
    draft.intent = { ...draft.intent, limits: { minAmountOutRaw: least.toString() } };
    return least > 0n;
  },
  "reference-age by a limit": limited(
    "maxReferenceAgeSeconds",
    ({ references, capturedAt }, { reference }) => {
      const decisive = eligibleReferences(reference.kind, references, capturedAt)[reference.minSources - 1];
      return decisive && capturedAt - decisive.publishedAt;
    },
  ),
};

/** By the name of the check, with a limit of the intent or without. */
export const BENDS: Readonly<Record<string, Bend>> = {
  session,
  "trading-halt": tradingHalt,
  "corporate-action": corporateAction,
  "settlement-peg": settlementPeg,
  "reference-sources": referenceSources,
  "reference-age": referenceAge,
  "reference-agreement": referenceAgreement,
  "reference-confidence": referenceConfidence,
  premium,
  impact,
  "minimum-output": minimumOutput,
  slippage,
  notional,
  "liquidity-grade": liquidityGrade,
  "liquidity-samples": liquiditySamples,
  "quote-age": quoteAge,
  route: (draft, aim, draw) =>
    draft.facts.quote !== null && guarded((_, routeAllowed) => ({ routeAllowed }))(draft, aim, draw),
  recipient: guarded((_, recipientAllowed) => ({ recipientAllowed })),
  "signed-references": signedReferences,
  "failed-sources": (draft, aim, draw) => {
    const most = draft.policy.definition.evidence.maxFailedSources;
    const failures = Array.from({ length: aim === "pass" ? most : most + 1 }, (_, number) => ({
      asset: "stock" as const,
      source: `xstocks ACME${number}x`,
      subject: "announcement" as const,
      reason: "unreachable" as const,
      at: draft.capturedAt - draw.int(0, 5),
      rawHash: null,
    }));
    return setFacts(draft, { failures });
  },
  "quote-proof": quoteProof,
  "guard-active": guarded((_, active) => ({ paused: !active })),
  "guard-signer": guarded(({ facts: { guard } }, same) => ({
    attestor: same ? guard.signer : guard.executor,
  })),
  ...LIMITS,
};

/** The check that a boundary is of. */
export const checkOf = (bend: string): string => bend.replace(" by a limit", "");

/** Bends a draft to one side of a check's boundary. @returns false where this draft cannot be brought there */
export function bendTo(bend: string, draft: Draft, aim: "pass" | "fail", draw: Draw): boolean {
  return BENDS[bend]?.(draft, aim, draw) ?? false;
}
