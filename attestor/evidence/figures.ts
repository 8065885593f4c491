/** What follows from the facts by arithmetic, in decimals, never in floats. */
import type { Intent } from "../intent.ts";
import { sharesPerUnit } from "../shares.ts";
import { EvidenceDecimal } from "../values/decimal.ts";
import type { Evidence, Figures, ReadingRules, TradeFacts } from "./evidence.ts";
import type { PriceReading, QuoteFacts } from "./facts.ts";

/** A reading may be this far ahead of our clock before it counts as not of this time. */
const CLOCK_SKEW_SECONDS = 5;

/** Which prices of the settlement token count. */
export interface SettlementRules {
  readonly settlement: { readonly maxAgeSeconds: number };
}

export const bps = (value: EvidenceDecimal): string => plain(value.times(10_000).toDecimalPlaces(4));
const usd = (value: EvidenceDecimal): string => plain(value.toDecimalPlaces(8));

/** Without an exponent, and zero without a sign. */
const plain = (value: EvidenceDecimal): string => value.toFixed();

/** Age in seconds; a reading from the future is infinitely old, because its time cannot be true. */
export function ageSeconds(publishedAt: number, capturedAt: number): number {
  const age = capturedAt - publishedAt;
  return age < -CLOCK_SKEW_SECONDS ? Number.POSITIVE_INFINITY : Math.max(0, age);
}

/** Answers are kept for some seconds: what a publisher signed stands for it beside an unsigned price so much fresher. */
const SIGNED_LEAD_SECONDS = 10;

/**
 * Each provider's freshest reading of the kind that the policy judges by, freshest first: two readings of one provider are
 * one source. A signed one counts as some seconds fresher than it is.
 */
export function eligibleReferences<R extends PriceReading>(
  definition: ReadingRules,
  references: readonly R[],
  capturedAt: number,
): R[] {
  const age = ({ publishedAt }: PriceReading) => ageSeconds(publishedAt, capturedAt);
  const rank = (reading: R) => age(reading) - (reading.proof === null ? 0 : SIGNED_LEAD_SECONDS);
  const chosen = new Map<string, R>();
  for (const reading of references) {
    if (reading.kind !== definition.reference.kind || new EvidenceDecimal(reading.price).isZero()) continue;
    const known = chosen.get(reading.provider);
    if (known === undefined || rank(reading) < rank(known)) chosen.set(reading.provider, reading);
  }
  // Compared, not subtracted: two infinite ages are alike.
  return [...chosen.values()].sort((a, b) => (age(a) < age(b) ? -1 : age(a) > age(b) ? 1 : 0));
}

/** Of the eligible readings those within the policy's age; all of them when none is, so that there is something to show. */
export function countedReferences<R extends PriceReading>(
  definition: ReadingRules,
  references: readonly R[],
  capturedAt: number,
): R[] {
  const eligible = eligibleReferences(definition, references, capturedAt);
  const fresh = eligible.filter(
    (reading) => ageSeconds(reading.publishedAt, capturedAt) <= definition.reference.maxAgeSeconds,
  );
  return fresh.length > 0 ? fresh : eligible;
}

export function median(values: EvidenceDecimal[]): EvidenceDecimal | null {
  const sorted = [...values].sort((a, b) => a.comparedTo(b));
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : upper.plus(sorted[middle - 1] as EvidenceDecimal).dividedBy(2);
}

/** The largest distance between two readings over the smallest, in bps; null with fewer than one. */
export function disagreementBps(readings: readonly PriceReading[]): string | null {
  if (readings.length === 0) return null;
  const prices = readings.map((reading) => new EvidenceDecimal(reading.price));
  const lowest = EvidenceDecimal.min(...prices);
  return bps(
    EvidenceDecimal.max(...prices)
      .minus(lowest)
      .dividedBy(lowest),
  );
}

/** The widest confidence interval relative to its price, in bps; null when no reading states one. */
export function widestConfidenceBps(readings: readonly PriceReading[]): string | null {
  const widths = readings
    .filter((reading) => reading.confidence !== null)
    .map((reading) => new EvidenceDecimal(reading.confidence ?? 0).dividedBy(reading.price));
  return widths.length === 0 ? null : bps(EvidenceDecimal.max(...widths));
}

/**
 * What the size costs, in bps: output per input of a tiny trade, over that of this one.
 * @returns null where an amount is zero, which has no price
 */
export function impactBps(quote: QuoteFacts): string | null {
  const [tinyIn, tinyOut] = [
    new EvidenceDecimal(quote.referenceAmountInRaw),
    new EvidenceDecimal(quote.referenceAmountOutRaw),
  ];
  const [amountIn, amountOut] = [
    new EvidenceDecimal(quote.amountInRaw),
    new EvidenceDecimal(quote.amountOutRaw),
  ];
  if ([tinyIn, tinyOut, amountIn, amountOut].some((amount) => amount.isZero())) return null;
  return bps(tinyOut.times(amountIn).dividedBy(tinyIn.times(amountOut)).minus(1));
}

/** Raw units as whole ones. */
function whole(raw: string, decimals: number): EvidenceDecimal {
  return new EvidenceDecimal(raw).dividedBy(new EvidenceDecimal(10).pow(decimals));
}

/** Settlement tokens per stock token of the tiny trade; null where an amount is zero. */
function tinyPrice(
  quote: QuoteFacts,
  trade: Pick<TradeFacts, "side" | "inputDecimals" | "outputDecimals">,
): EvidenceDecimal | null {
  const input = whole(quote.referenceAmountInRaw, trade.inputDecimals);
  const output = whole(quote.referenceAmountOutRaw, trade.outputDecimals);
  if (input.isZero() || output.isZero()) return null;
  return trade.side === "buy" ? input.dividedBy(output) : output.dividedBy(input);
}

/** The least that the recipient may get, raw units: the quote less the slippage, rounded down, or the limit if that is more. */
function minAmountOutOf(quote: QuoteFacts, { maxSlippageBps, limits }: Intent): string {
  const afterSlippage = (BigInt(quote.amountOutRaw) * BigInt(10_000 - maxSlippageBps)) / 10_000n;
  const limit = BigInt(limits?.minAmountOutRaw ?? 0);
  return (limit > afterSlippage ? limit : afterSlippage).toString();
}

/** The rules for prices of the settlement token, in the form of those for the stock. */
export function settlementRules({ settlement }: SettlementRules): ReadingRules {
  return { reference: { kind: "live", maxAgeSeconds: settlement.maxAgeSeconds } };
}

const medianPrice = (readings: readonly PriceReading[]): EvidenceDecimal | null =>
  median(readings.map(({ price }) => new EvidenceDecimal(price)));

/**
 * What follows from the facts.
 * @param given evidence to its figures
 */
export function figuresOf(
  definition: ReadingRules & SettlementRules,
  { intent, trade, capturedAt, ...facts }: Omit<Evidence, "schema" | "figures">,
): Figures {
  const { quote, token } = facts;
  const counted = (rules: ReadingRules, readings: readonly PriceReading[]) =>
    medianPrice(countedReferences(rules, readings, capturedAt));
  const referencePrice = counted(definition, facts.references);
  const settlementPrice = counted(settlementRules(definition), facts.settlement);
  const shares =
    trade.tokenKind === null ? null : sharesPerUnit(trade.tokenKind, "raw", token.factor?.value ?? null);

  const impact = quote === null ? null : impactBps(quote);
  const tiny = quote === null || impact === null ? null : tinyPrice(quote, trade);
  const perShare =
    tiny && settlementPrice && shares !== null ? tiny.times(settlementPrice).dividedBy(shares) : null;

  let settled: EvidenceDecimal | null = null;
  if (trade.side === "buy") settled = whole(intent.amountInRaw, trade.inputDecimals);
  else if (quote !== null) settled = whole(quote.amountOutRaw, trade.outputDecimals);

  return {
    settlementPriceUsd: settlementPrice && usd(settlementPrice),
    notionalUsd: settled && settlementPrice && usd(settled.times(settlementPrice)),
    referencePriceUsd: referencePrice && usd(referencePrice),
    sharesPerToken: shares,
    tokenPricePerShareUsd: perShare && usd(perShare),
    premiumBps: perShare && referencePrice && bps(perShare.dividedBy(referencePrice).minus(1)),
    impactBps: impact,
    minAmountOutRaw: quote && minAmountOutOf(quote, intent),
  };
}
