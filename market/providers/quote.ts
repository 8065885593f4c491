/** What an exchange would give for an amount, and what a larger amount costs more. */
import { ProviderDecimal } from "./values.ts";

export interface QuoteRequest {
  /** Token addresses of one chain. */
  readonly inputToken: string;
  readonly outputToken: string;
  /** Raw units of the input token, as decimal digits. */
  readonly amountIn: string;
}

export interface Quote {
  readonly provider: string;
  readonly inputToken: string;
  readonly outputToken: string;
  /** Raw units of the input token. */
  readonly amountIn: string;
  /** Raw units of the output token, above zero. */
  readonly amountOut: string;
  /** Unix seconds by our clock. */
  readonly receivedAt: number;
}

/** Places that are kept: the store rounds to fewer. */
const PLACES = 8;

/**
 * How much worse a large buy is than a tiny one of the same moment and the same settings, in bps, signed:
 * `((outTiny / inTiny) / (outLarge / inLarge) - 1) * 10^4`. Providers' own impact fields are not used:
 * they mix in fees and oracle gaps.
 * @returns decimal text; null where one of the two has no route, which is never 0
 */
export function impactBps(tiny: Quote | null, large: Quote | null): string | null {
  if (!tiny || !large) return null;
  // One division at the end: ratios of raw amounts have no finite decimals.
  const ratio = new ProviderDecimal(tiny.amountOut)
    .times(large.amountIn)
    .dividedBy(new ProviderDecimal(tiny.amountIn).times(large.amountOut));
  const bps = ratio.minus(1).times(10_000).toDecimalPlaces(PLACES);
  return bps.isZero() ? "0" : bps.toFixed();
}
