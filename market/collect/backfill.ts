/**
 * What providers know of the past, through the functions that live samples take. A sample of the past is
 * stamped with the start of its hour, so that one that was taken in the hour stays its close.
 */

import { type BasisSample, recordBases } from "../series/basis.ts";
import { HOUR_SECONDS } from "../series/buckets.ts";
import { type PremiumSample, recordPremiums } from "../series/premium.ts";
import { PLATFORM_FEE_BPS } from "./premiums.ts";
import type { LiveHistory } from "./sources.ts";
import type { MarketDeps } from "./types.ts";

export interface BackfillReport {
  readonly kind: "funding" | "prices";
  /** The ticker or symbol. */
  readonly subject: string;
  readonly stored: number;
  /** Null: it worked. */
  readonly error: unknown;
}

/**
 * Hourly funding of every stock's perpetual, and hourly prices of every token. There is no reference price
 * of the past: the premium of those hours is null. A subject that fails leaves the others alone.
 * @param days at most so far back
 */
export async function backfillHistory(
  deps: Pick<MarketDeps, "db" | "assets" | "sessionAt" | "now" | "platformFeeBps">,
  history: LiveHistory,
  days: number,
  onReport: (report: BackfillReport) => void = () => {},
): Promise<void> {
  const now = Math.floor(deps.now() / 1000);
  const from = now - days * 24 * HOUR_SECONDS;
  const attempt = async (kind: BackfillReport["kind"], subject: string, work: () => Promise<number>) => {
    try {
      onReport({ kind, subject, stored: await work(), error: null });
    } catch (error) {
      onReport({ kind, subject, stored: 0, error });
    }
  };
  for (const underlying of new Set(deps.assets.map((asset) => asset.underlying)))
    await attempt("funding", underlying, async () => {
      const points = await history.funding(underlying, from, now);
      const samples = points.map(
        ({ at, source, rate, intervalHours }): BasisSample => ({
          underlying,
          sampledAt: at,
          source,
          session: deps.sessionAt(at),
          perpMarkUsd: null,
          spotUsd: null,
          spotSource: null,
          fundingRate: rate,
          fundingIntervalHours: intervalHours,
          fundingState: "single",
        }),
      );
      return (await recordBases(deps.db, samples, now)).stored;
    });
  for (const asset of deps.assets)
    await attempt("prices", asset.symbol, async () => {
      const prices = (await history.prices(asset, now)).filter(({ at }) => at >= from);
      const samples = prices.map(
        ({ at, ...price }): PremiumSample => ({
          ...price,
          sampledAt: at,
          session: deps.sessionAt(at),
          referencePriceUsd: null,
          referenceSource: null,
          impact1kBps: null,
          platformFeeBps: deps.platformFeeBps ?? PLATFORM_FEE_BPS,
        }),
      );
      return (await recordPremiums(deps.db, samples, now)).stored;
    });
}
