/** What follows from the facts by arithmetic, in decimals, never in floats. */
import { Exact } from "./decimal.ts";
import type { Facts, Figures, QuoteFacts, ReferencePrice, TradeFacts } from "./evidence.ts";
import type { Intent } from "./intent.ts";
import type { PolicyDefinition } from "./policy.ts";

/** A reading may be this far ahead of our clock before it counts as not of this time. */
const CLOCK_SKEW_SECONDS = 5;

const bps = (value: Exact): string => plain(value.times(10_000).toDecimalPlaces(4));
const usd = (value: Exact): string => plain(value.toDecimalPlaces(8));

/** Without an exponent, and zero without a sign. */
const plain = (value: Exact): string => value.toFixed();

/** Age in seconds; a reading from the future is infinitely old, because its time cannot be true. */
export function ageSeconds(publishedAt: number, capturedAt: number): number {
  const age = capturedAt - publishedAt;
  return age < -CLOCK_SKEW_SECONDS ? Number.POSITIVE_INFINITY : Math.max(0, age);
}

/**
 * Each provider's freshest reading of the kind that the policy judges by, freshest first: two readings
 * of one provider are one source.
 */
export function eligibleReferences(
  definition: PolicyDefinition,
  references: readonly ReferencePrice[],
  capturedAt: number,
): ReferencePrice[] {
  const age = ({ publishedAt }: ReferencePrice) => ageSeconds(publishedAt, capturedAt);
  const freshest = new Map<string, ReferencePrice>();
  for (const reading of references) {
    if (reading.kind !== definition.reference.kind || new Exact(reading.price).isZero()) continue;
    const known = freshest.get(reading.provider);
    if (known === undefined || age(reading) < age(known)) freshest.set(reading.provider, reading);
  }
  // Compared, not subtracted: two infinite ages are alike.
  return [...freshest.values()].sort((a, b) => (age(a) < age(b) ? -1 : age(a) > age(b) ? 1 : 0));
}

/** Of the eligible readings those within the policy's age; all of them when none is, so that there is something to show. */
export function countedReferences(
  definition: PolicyDefinition,
  references: readonly ReferencePrice[],
  capturedAt: number,
): ReferencePrice[] {
  const eligible = eligibleReferences(definition, references, capturedAt);
  const fresh = eligible.filter(
    (reading) => ageSeconds(reading.publishedAt, capturedAt) <= definition.reference.maxAgeSeconds,
  );
  return fresh.length > 0 ? fresh : eligible;
}

function median(values: Exact[]): Exact | null {
  const sorted = [...values].sort((a, b) => a.comparedTo(b));
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : upper.plus(sorted[middle - 1] as Exact).dividedBy(2);
}

/** The largest distance between two readings over the smallest, in bps; null with fewer than one. */
export function disagreementBps(readings: readonly ReferencePrice[]): string | null {
  if (readings.length === 0) return null;
  const prices = readings.map((reading) => new Exact(reading.price));
  const lowest = Exact.min(...prices);
  return bps(
    Exact.max(...prices)
      .minus(lowest)
      .dividedBy(lowest),
  );
}

/** The widest confidence interval relative to its price, in bps; null when no reading states one. */
export function widestConfidenceBps(readings: readonly ReferencePrice[]): string | null {
  const widths = readings
    .filter((reading) => reading.confidence !== null)
    .map((reading) => new Exact(reading.confidence ?? 0).dividedBy(reading.price));
  return widths.length === 0 ? null : bps(Exact.max(...widths));
}

/**
 * What the size costs, in bps: output per input of a tiny trade, over that of this one.
 * @returns null where an amount is zero, which has no price
 */
export function impactBps(quote: QuoteFacts): string | null {
  const [tinyIn, tinyOut] = [new Exact(quote.referenceAmountInRaw), new Exact(quote.referenceAmountOutRaw)];
  const [amountIn, amountOut] = [new Exact(quote.amountInRaw), new Exact(quote.amountOutRaw)];
  if ([tinyIn, tinyOut, amountIn, amountOut].some((amount) => amount.isZero())) return null;
  return bps(tinyOut.times(amountIn).dividedBy(tinyIn.times(amountOut)).minus(1));
}

/**
 * @param intent what the agent fixed
 * @param trade side and decimals
 * @param facts what the outside world says
 * @param capturedAt unix seconds of the judgement
 */
export function figuresOf(
  definition: PolicyDefinition,
  intent: Intent,
  trade: TradeFacts,
  facts: Facts,
  capturedAt: number,
): Figures {
  const { quote, token } = facts;
  const buying = trade.side === "buy";
  const whole = (raw: string, decimals: number) => new Exact(raw).dividedBy(new Exact(10).pow(decimals));

  const referencePrice = median(
    countedReferences(definition, facts.references, capturedAt).map((reading) => new Exact(reading.price)),
  );
  const shares = token === null ? null : new Exact(token.sharesPerToken);

  let tokenPricePerShare: Exact | null = null;
  const impact = quote === null ? null : impactBps(quote);
  let minAmountOut: bigint | null = null;
  if (quote !== null) {
    if (impact !== null) {
      const tiny = {
        input: whole(quote.referenceAmountInRaw, trade.inputDecimals),
        output: whole(quote.referenceAmountOutRaw, trade.outputDecimals),
      };
      const tokenPrice = buying ? tiny.input.dividedBy(tiny.output) : tiny.output.dividedBy(tiny.input);
      if (shares !== null && !shares.isZero()) tokenPricePerShare = tokenPrice.dividedBy(shares);
    }
    minAmountOut = (BigInt(quote.amountOutRaw) * BigInt(10_000 - intent.maxSlippageBps)) / 10_000n;
  }

  let notional: Exact | null = null;
  if (buying) notional = whole(intent.amountInRaw, trade.inputDecimals);
  else if (quote !== null) notional = whole(quote.amountOutRaw, trade.outputDecimals);

  return {
    notionalUsd: notional && usd(notional),
    referencePriceUsd: referencePrice && usd(referencePrice),
    tokenPricePerShareUsd: tokenPricePerShare && usd(tokenPricePerShare),
    premiumBps:
      tokenPricePerShare && referencePrice && bps(tokenPricePerShare.dividedBy(referencePrice).minus(1)),
    impactBps: impact,
    minAmountOutRaw: minAmountOut === null ? null : minAmountOut.toString(),
  };
}
