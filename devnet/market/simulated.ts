/**
 * The market of the local world as functions of a seed and the moment: what follows here goes on where it was after a
 * restart, and history is the same curve as what comes after it.
 */
import { type RandomAt, ripple, wave } from "./noise.ts";

/** What every figure of this market says its source is. */
export const SIMULATED = "simulated";

/** How far a stock's price strays from its base at most, as a part. */
const PRICE_SWING = 0.06;
const BASIS_SWING_BPS = 20;
/** Hourly, as a part: about 22 percent in a year. */
const FUNDING_SWING = 0.000025;

/** Decimal text without zeros at its end. */
export function decimalText(figure: number, places: number): string {
  const text = figure.toFixed(places);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** US dollars. */
export const usdText = (usd: number): string => decimalText(usd, 8);

/** A price so many basis points away. */
export const shifted = (price: number, bps: number): number => price * (1 + bps / 10_000);

/** A stock's price as a multiple of its base, at a unix second. */
export function priceFactor(randomAt: RandomAt, underlying: string): (seconds: number) => number {
  const swing = wave(randomAt, `stock/${underlying}`);
  return (seconds) => 1 + PRICE_SWING * swing(seconds);
}

/** A perpetual beside a stock's price in US dollars, at a unix second; its funding is hourly. */
export function simulatedPerp(randomAt: RandomAt, underlying: string) {
  const lean = wave(randomAt, `perp/${underlying}`);
  const quick = ripple(randomAt, `perp/${underlying}`);
  return (spotUsd: number, seconds: number) => {
    const leaning = lean(seconds);
    const basisBps = BASIS_SWING_BPS * (0.8 * leaning + 0.2 * quick(seconds));
    return {
      markUsd: usdText(shifted(spotUsd, basisBps)),
      // The side that leans pays: longs when positive.
      fundingRate: decimalText(FUNDING_SWING * leaning, 10),
      fundingIntervalHours: 1,
    };
  };
}

/** The part of a pool's liquidity that it turns over in 24 hours, at a unix second. */
export function simulatedTurnover(randomAt: RandomAt, assetKey: string): (seconds: number) => number {
  const swing = wave(randomAt, `volume/${assetKey}`);
  return (seconds) => 0.45 + 0.35 * swing(seconds);
}
