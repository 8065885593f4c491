/** Basis of each stock's perpetual, with its funding. */
import { type BasisSample, recordBases } from "../series/basis.ts";
import { accepted } from "./accepted.ts";
import { NOTHING, type Step, seconds } from "./types.ts";

export const collectBases: Step = async (round) => {
  if (!round.sources.perpsOf) return NOTHING;
  const references = await round.references();
  const perps = await accepted(round, "perp", await round.sources.perpsOf(round.underlyings), (row) => ({
    subject: row.underlying,
    source: row.source,
    price: row.markUsd,
    at: row.at,
  }));
  const samples = perps.map((row): BasisSample => {
    const spot = references.get(row.underlying);
    return {
      underlying: row.underlying,
      sampledAt: row.at,
      source: row.source,
      session: round.sessionAt(row.at),
      perpMarkUsd: row.markUsd,
      spotUsd: spot?.priceUsd ?? null,
      spotSource: spot?.source ?? null,
      fundingRate: row.fundingRate,
      fundingIntervalHours: row.fundingIntervalHours,
    };
  });
  const { stored, rejected } = await recordBases(round.db, samples, seconds(round));
  round.countRejected(rejected.length);
  return stored;
};
