/** Basis of each stock's perpetual at each venue, with its funding. */
import { type BasisSample, recordBases } from "../series/basis.ts";
import { accepted } from "./accepted.ts";
import { MARK_BOUND_BPS, WIDE_BOUND_BPS } from "./bounds.ts";
import type { PerpState, Reference } from "./sources.ts";
import { ageOf, NOTHING, type Round, type Step, seconds } from "./types.ts";
import { differenceBps } from "./witnesses.ts";

export const collectBases: Step = async (round) => {
  if (!round.sources.perpsOf) return NOTHING;
  const references = await round.references();
  const perps = await accepted(round, "perp", await round.sources.perpsOf(round.underlyings), (row) => ({
    subject: row.underlying,
    source: row.source,
    price: row.markUsd,
    at: row.at,
  }));
  const samples: BasisSample[] = [];
  for (const row of perps) {
    const spot = references.get(row.underlying);
    const reason = implausibleMark(row, spot);
    if (reason === null) samples.push(basisSample(round, row, spot));
    else await round.reject([{ kind: "perp", subject: row.underlying, reason, sample: row }]);
  }
  const { stored, rejected } = await recordBases(round.db, samples, seconds(round));
  round.countRejected(rejected.length);
  return stored;
};

/** The venue's own oracle is the mark's first witness, the stock's reference the second. */
function implausibleMark({ markUsd, oracleUsd }: PerpState, spot: Reference | undefined): string | null {
  if (oracleUsd != null && differenceBps(markUsd, oracleUsd).gt(MARK_BOUND_BPS))
    return "mark_far_from_oracle";
  if (spot && differenceBps(markUsd, spot.priceUsd).gt(WIDE_BOUND_BPS)) return "mark_far_from_reference";
  return null;
}

function basisSample(round: Round, row: PerpState, spot: Reference | undefined): BasisSample {
  return {
    underlying: row.underlying,
    sampledAt: row.at,
    source: row.source,
    session: round.sessionAt(row.at),
    perpMarkUsd: row.markUsd,
    spotUsd: spot?.priceUsd ?? null,
    spotSource: spot?.source ?? null,
    spotAgeSeconds: ageOf(spot, row.at),
    witnesses: spot?.witnesses ?? null,
    fundingRate: row.fundingRate,
    fundingIntervalHours: row.fundingIntervalHours,
  };
}
