/**
 * The funding that providers know of the past, through the function that live samples take. A sample of the past is
 * stamped with the start of its hour, so that one that was taken in the hour stays its close.
 */

import type { LiveMarket } from "../providers/connect.ts";
import { areAllZero, FUNDING_ZERO } from "../rules/zeros.ts";
import { type BasisSample, recordBases } from "../series/basis.ts";
import { HOUR_SECONDS, rawKeptFrom } from "../series/hours.ts";
import { recordRejections } from "../series/rejected.ts";
import type { MarketDeps } from "./types.ts";

export interface BackfillReport {
  /** The ticker. */
  readonly underlying: string;
  readonly stored: number;
  /** Null: it worked. */
  readonly error: unknown;
}

/**
 * Hourly funding of every stock's perpetual. A stock that fails leaves the others alone.
 * @param days at most so far back, and as far as raw samples are kept
 */
export async function backfillFunding(
  deps: Pick<MarketDeps, "db" | "assets" | "sessionAt" | "now">,
  { fundings }: Pick<LiveMarket, "fundings">,
  days: number,
  onReport: (report: BackfillReport) => void,
): Promise<void> {
  const now = Math.floor(deps.now() / 1000);
  // Of hours before, the other samples are gone.
  const from = Math.max(now - days * 24 * HOUR_SECONDS, await rawKeptFrom(deps.db));
  const fill = async (underlying: string): Promise<number> => {
    const paid = await fundings(underlying, from, now);
    const [first] = paid;
    if (first && areAllZero(paid.map(({ figure }) => figure))) {
      const sample = { source: first.source, hours: paid.length };
      await recordRejections(
        deps.db,
        [{ kind: "perp", subject: underlying, reason: FUNDING_ZERO, sample }],
        now,
      );
      return 0;
    }
    const samples = paid.map(
      ({ at, source, figure, intervalHours }): BasisSample => ({
        underlying,
        sampledAt: at,
        source,
        session: deps.sessionAt(at),
        perpMarkUsd: null,
        spotUsd: null,
        spotSource: null,
        fundingRate: figure,
        fundingIntervalHours: intervalHours,
        fundingState: "single",
      }),
    );
    return (await recordBases(deps.db, samples, now)).stored;
  };
  for (const underlying of new Set(deps.assets.map((asset) => asset.underlying)))
    try {
      onReport({ underlying, stored: await fill(underlying), error: null });
    } catch (error) {
      onReport({ underlying, stored: 0, error });
    }
}
