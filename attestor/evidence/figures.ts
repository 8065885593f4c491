/** What follows from the facts by arithmetic, in decimals, never in floats. */

import type { Intent } from "../intent.ts";
import type { PolicyDefinition } from "../policies/policy.ts";
import { sharesPerUnit } from "../shares.ts";
import { EvidenceDecimal } from "../values/decimal.ts";
import { decimalText, exactOf, powerOfTen, rounded } from "../values/fraction.ts";
import { ascending } from "../values/order.ts";
import { CLOCK_SKEW_SECONDS } from "../values/time.ts";
import type { Evidence, Figures, TradeFacts } from "./evidence.ts";
import type { PriceReading, QuoteFacts, ReferencePrice } from "./facts.ts";

/** Which readings of a price count. */
interface ReadingRules {
  readonly kind: ReferencePrice["kind"];
  readonly maxAgeSeconds: number;
}

const BPS_PLACES = 4;
/** Ten-thousandths of a basis point in one. */
const BPS_UNITS = 10_000n * powerOfTen(BPS_PLACES);

export const bps = (value: EvidenceDecimal): string => plain(value.times(10_000).toDecimalPlaces(BPS_PLACES));
const USD_PLACES = 8;
const usd = (value: EvidenceDecimal): string => plain(value.toDecimalPlaces(USD_PLACES));

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
  kind: ReadingRules["kind"],
  references: readonly R[],
  capturedAt: number,
): R[] {
  const age = ({ publishedAt }: PriceReading) => ageSeconds(publishedAt, capturedAt);
  const rank = (reading: R) => age(reading) - (reading.signer === null ? 0 : SIGNED_LEAD_SECONDS);
  const chosen = new Map<string, R>();
  for (const reading of references) {
    if (reading.kind !== kind || new EvidenceDecimal(reading.price).isZero()) continue;
    const best = chosen.get(reading.provider);
    if (best === undefined || rank(reading) < rank(best)) chosen.set(reading.provider, reading);
  }
  // Compared, not subtracted: two infinite ages are alike.
  return [...chosen.values()].sort((a, b) => ascending(age(a), age(b)));
}

/** Of the eligible readings those within the policy's age; all of them when none is, so that there is something to show. */
export function countedReferences<R extends PriceReading>(
  { kind, maxAgeSeconds }: ReadingRules,
  references: readonly R[],
  capturedAt: number,
): R[] {
  const eligible = eligibleReferences(kind, references, capturedAt);
  const fresh = eligible.filter(({ publishedAt }) => ageSeconds(publishedAt, capturedAt) <= maxAgeSeconds);
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
  const tinyIn = BigInt(quote.referenceAmountInRaw);
  const tinyOut = BigInt(quote.referenceAmountOutRaw);
  const amountIn = BigInt(quote.amountInRaw);
  const amountOut = BigInt(quote.amountOutRaw);
  if ([tinyIn, tinyOut, amountIn, amountOut].includes(0n)) return null;
  const [fair, real] = [tinyOut * amountIn, tinyIn * amountOut];
  return decimalText({ digits: rounded((fair - real) * BPS_UNITS, real), places: BPS_PLACES });
}

/** Raw units as whole ones. */
const whole = (raw: string, decimals: number) => new EvidenceDecimal(`${raw}e-${decimals}`);

/** A number above zero, as a fraction of two. */
interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

/** US dollars per share by the tiny trade; null where a price is not known. */
function perShareOf({ settlement, shares }: Prices, quote: QuoteFacts, trade: TradeFacts): Fraction | null {
  if (settlement === null || shares === null) return null;
  const input = { digits: BigInt(quote.referenceAmountInRaw), places: trade.inputDecimals };
  const output = { digits: BigInt(quote.referenceAmountOutRaw), places: trade.outputDecimals };
  const [paid, stock] = trade.side === "buy" ? [input, output] : [output, input];
  const dollars = exactOf(plain(settlement));
  const perToken = exactOf(shares);
  return {
    over: paid.digits * dollars.digits * powerOfTen(stock.places + perToken.places),
    under: stock.digits * perToken.digits * powerOfTen(paid.places + dollars.places),
  };
}

const usdOf = ({ over, under }: Fraction): string =>
  decimalText({ digits: rounded(over * powerOfTen(USD_PLACES), under), places: USD_PLACES });

function aboveBps({ over, under }: Fraction, price: EvidenceDecimal): string {
  const { digits, places } = exactOf(plain(price));
  const [one, other] = [over * powerOfTen(places), under * digits];
  return decimalText({ digits: rounded((one - other) * BPS_UNITS, other), places: BPS_PLACES });
}

/** The least that the recipient may get, raw units: the quote less the slippage, rounded down, or the limit if that is more. */
function minAmountOutOf(quote: QuoteFacts, { maxSlippageBps, limits }: Intent): string {
  const afterSlippage = (BigInt(quote.amountOutRaw) * BigInt(10_000 - maxSlippageBps)) / 10_000n;
  const limit = BigInt(limits?.minAmountOutRaw ?? 0);
  return (limit > afterSlippage ? limit : afterSlippage).toString();
}

const medianPrice = (readings: readonly PriceReading[]): EvidenceDecimal | null =>
  median(readings.map(({ price }) => new EvidenceDecimal(price)));

type Facts = Omit<Evidence, "schema" | "figures">;

/** What the facts say of any amount. */
interface Prices {
  readonly reference: EvidenceDecimal | null;
  readonly settlement: EvidenceDecimal | null;
  readonly shares: string | null;
}

/** @param policy as the intent's limits tighten it */
export function pricesOf(
  policy: PolicyDefinition,
  {
    trade,
    token,
    capturedAt,
    references,
    settlement,
  }: Pick<Facts, "trade" | "token" | "capturedAt" | "references" | "settlement">,
): Prices {
  const counted = (rules: ReadingRules, readings: readonly PriceReading[]) =>
    medianPrice(countedReferences(rules, readings, capturedAt));
  return {
    reference: counted(policy.reference, references),
    settlement: counted({ kind: "live", maxAgeSeconds: policy.settlement.maxAgeSeconds }, settlement),
    shares:
      trade.tokenKind === null ? null : sharesPerUnit(trade.tokenKind, "raw", token.factor?.value ?? null),
  };
}

/** @param policy as the intent's limits tighten it */
export const figuresOf = (policy: PolicyDefinition, facts: Facts): Figures =>
  figuresAt(pricesOf(policy, facts), facts);

/** What follows from the prices and a quote. */
export function figuresAt(
  prices: Prices,
  { intent, trade, quote }: Pick<Facts, "intent" | "trade" | "quote">,
): Figures {
  const { reference, settlement, shares } = prices;
  const impact = quote === null ? null : impactBps(quote);
  // Without an impact an amount is zero, which has no price.
  const perShare = quote === null || impact === null ? null : perShareOf(prices, quote, trade);

  let settled: EvidenceDecimal | null = null;
  if (trade.side === "buy") settled = whole(intent.amountInRaw, trade.inputDecimals);
  else if (quote !== null) settled = whole(quote.amountOutRaw, trade.outputDecimals);

  return {
    settlementPriceUsd: settlement && usd(settlement),
    notionalUsd: settled && settlement && usd(settled.times(settlement)),
    referencePriceUsd: reference && usd(reference),
    sharesPerToken: shares,
    tokenPricePerShareUsd: perShare && usdOf(perShare),
    premiumBps: perShare && reference && aboveBps(perShare, reference),
    impactBps: impact,
    minAmountOutRaw: quote && minAmountOutOf(quote, intent),
  };
}
