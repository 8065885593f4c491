/** Basis of each stock's perpetual at each venue, with its funding. */
import {
  type BasisSample,
  basisSeries,
  type FundingTape,
  fundingTape,
  recordBases,
} from "../series/basis.ts";
import type { Input } from "../series/fields.ts";
import type { Rejection } from "../series/rejected.ts";
import { accepted } from "./accepted.ts";
import {
  CADENCE_SECONDS,
  MARK_BOUND_BPS,
  MARK_TOLERANCE_BPS,
  PERP_AGE_SECONDS,
  sessionFactor,
  WIDE_BOUND_BPS,
} from "../bounds.ts";
import { noteFigures } from "./figures.ts";
import { fundingFault } from "./funding.ts";
import type { PerpState, Reference } from "./sources.ts";
import { ageOf, inputsOf, NOTHING, namesOf, type Round, type Step, seconds, spreadOf } from "./types.ts";
import { differenceBps, type Level, levelOf, type Witness, worstOf } from "../level.ts";

export const collectBases: Step = async (round) => {
  if (!round.sources.perpsOf) return NOTHING;
  const references = await round.references();
  const found = await accepted(round, "perp", await round.sources.perpsOf(round.underlyings), (row) => ({
    subject: row.underlying,
    source: row.source,
    price: row.markUsd,
    at: row.publishedAt,
  }));
  const aside: Rejection[] = [];
  const exclude = (row: PerpState, reason: string) =>
    aside.push({ kind: "perp", subject: row.underlying, reason, sample: row });
  const fresh = found.flatMap((stated): PerpState[] => {
    const { row, isStale } = withTime(round, stated);
    const reason = isStale ? "stale" : implausibleMark(row, references.get(row.underlying));
    if (reason !== null) exclude(row, reason);
    return reason === null ? [row] : [];
  });
  const tape = await fundingTape(round.db, seconds(round));
  const samples = [...Map.groupBy(fresh, ({ underlying }) => underlying)].flatMap(([underlying, rows]) => {
    const spot = references.get(underlying);
    return rows.map((row) => {
      const fault = faultOfFunding(row, tape);
      if (fault !== null) exclude(row, fault);
      return basisSample(round, row, { mark: markLevel(round, row, rows), spot, fault });
    });
  });
  await round.reject(aside);
  await noteFigures(
    round,
    samples.flatMap(({ source, underlying, state }) =>
      state == null ? [] : [{ kind: "basis", subject: `${source}/${underlying}`, state }],
    ),
  );
  const { stored, rejected } = await recordBases(round.db, samples, seconds(round));
  round.countRejected(rejected.length);
  return stored;
};

/** A market without a time of its own is as old as the moment at which it was first seen like this. */
function withTime(round: Round, row: PerpState): { readonly row: PerpState; readonly isStale: boolean } {
  const now = seconds(round);
  const { source, underlying, markUsd, oracleUsd, fundingRate, publishedAt } = row;
  const figure = JSON.stringify([markUsd, oracleUsd, fundingRate]);
  const since = round.memory.unchanged.since(`perp/${source}/${underlying}`, figure, now);
  const cadence = CADENCE_SECONDS.perp * sessionFactor(round.sessionAt(now));
  const isOld = publishedAt !== null && now - publishedAt > PERP_AGE_SECONDS;
  return { row: { ...row, publishedAt: publishedAt ?? since }, isStale: isOld || now - since > cadence };
}

/** Compares the venue's mark with its own oracle and with the stock. */
function implausibleMark({ markUsd, oracleUsd }: PerpState, spot: Reference | undefined): string | null {
  if (oracleUsd != null && differenceBps(markUsd, oracleUsd).gt(MARK_BOUND_BPS))
    return "mark_far_from_oracle";
  if (spot?.figure != null && differenceBps(markUsd, spot.figure).gt(WIDE_BOUND_BPS))
    return "mark_far_from_reference";
  return null;
}

/**
 * A venue's mark is a fact of that venue: the figure is its own, and the marks of other venues are its witnesses.
 * Where a majority is against it, or one other alone, it is disputed.
 */
function markLevel(round: Round, row: PerpState, rows: readonly PerpState[]): Level<Witness> {
  const witnesses = rows.map(({ source, origin, markUsd: figure, publishedAt }) => ({
    source,
    origin,
    figure,
    publishedAt,
    toleranceBps: MARK_TOLERANCE_BPS,
  }));
  const level = levelOf(witnesses, sessionFactor(round.sessionAt(seconds(round)))) as Level<Witness>;
  if (level.agreed.some(({ source }) => source === row.source)) return { ...level, figure: row.markUsd };
  return { figure: null, state: "disputed", spreadBps: null, agreed: [], aside: witnesses };
}

function faultOfFunding(row: PerpState, tape: ReadonlyMap<string, FundingTape>): string | null {
  const { source, underlying, markUsd, oracleUsd, fundingRate: rate, fundingIntervalHours } = row;
  if (rate === null || fundingIntervalHours === null) return null;
  const premiumBps = oracleUsd == null ? null : differenceBps(markUsd, oracleUsd).toFixed();
  const usual = tape.get(basisSeries(source, underlying)) ?? null;
  return fundingFault({ rate, intervalHours: fundingIntervalHours }, premiumBps, usual);
}

interface Parts {
  readonly mark: Level<Witness>;
  readonly spot: Reference | undefined;
  /** Why the funding cannot be true; null: it can. */
  readonly fault: string | null;
}

function basisSample(round: Round, row: PerpState, { mark, spot, fault }: Parts): BasisSample {
  const at = seconds(round);
  const { underlying, source, fundingRate, fundingIntervalHours, publishedAt } = row;
  const isPaid = fundingRate !== null && fundingIntervalHours !== null;
  const counts = [mark, spot].flatMap((level) => level?.agreed.length ?? []);
  const age = publishedAt === null ? null : at - publishedAt;
  const funding: Input[] =
    fundingRate === null ? [] : [["funding", source, fundingRate, age, isPaid && fault === null ? 1 : 0]];
  return {
    underlying,
    sampledAt: at,
    source,
    session: round.sessionAt(at),
    perpMarkUsd: mark.figure,
    spotUsd: spot?.figure ?? null,
    spotSource: spot?.figure == null ? null : namesOf(spot),
    spotAgeSeconds: ageOf(spot, at),
    witnesses: Math.min(...counts) || null,
    // Without a spot price there is no basis to agree on.
    state: spot === undefined ? null : worstOf([mark.state, spot.state]),
    spreadBps: spreadOf([mark, spot]),
    halted: round.haltedStocks().has(underlying),
    fundingRate: fault === null ? fundingRate : null,
    fundingIntervalHours,
    // A venue alone knows what it pays.
    fundingState: fault !== null ? "disputed" : isPaid ? "single" : null,
    inputs: [...inputsOf("mark", mark, at), ...inputsOf("reference", spot, at), ...funding],
  };
}
