/** What a stock's perpetual costs more than the stock at each venue, with its funding. Pure. */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import {
  MARK_BOUND_BPS,
  MARK_TOLERANCE_BPS,
  PERP_AGE_SECONDS,
  sessionFactor,
  WIDE_BOUND_BPS,
} from "../bounds.ts";
import { differenceBps, levelOf, worstOf } from "../level.ts";
import { type BasisSample, basisSeries, type FundingTape } from "../series/basis.ts";
import type { Input } from "../series/fields.ts";
import type { Rejection } from "../series/rejected.ts";
import type { PerpState } from "../statement.ts";
import { fundingFault } from "./funding.ts";
import { ageOf, inputsOf, type Judged, namesOf, spreadOf, witnessesOf, witnessOf } from "./judged.ts";
import type { Reference } from "./references.ts";
import { areAllZero, FUNDING_ZERO } from "./zeros.ts";

export interface BasisContext {
  readonly at: UnixSeconds;
  /** Of the stock market. */
  readonly session: string;
  readonly references: ReadonlyMap<string, Reference>;
  /** Of the days before, by series. */
  readonly tape: ReadonlyMap<string, FundingTape>;
  /** Tickers of which a token is halted. */
  readonly halted: ReadonlySet<string>;
}

/** Whether a market is old by its venue's own clock. */
export const isOldPerp = ({ at }: PerpState, now: UnixSeconds): boolean =>
  at !== null && now - at > PERP_AGE_SECONDS;

/** @param perps that are not stale */
export function basisSamples(
  perps: readonly PerpState[],
  context: BasisContext,
): { readonly samples: readonly BasisSample[]; readonly rejections: readonly Rejection[] } {
  const rejections: Rejection[] = [];
  const exclude = (row: PerpState, reason: string) =>
    rejections.push({ kind: "perp", subject: row.subject, reason, sample: row });
  const sound = perps.filter((row) => {
    const reason = implausibleMark(row, context.references.get(row.subject));
    if (reason !== null) exclude(row, reason);
    return reason === null;
  });
  const withoutFunding = venuesWithoutFunding(perps);
  const samples = [...Map.groupBy(sound, ({ subject }) => subject).values()].flatMap((rows) =>
    rows.map((row) => {
      const isLost = row.fundingRate !== null && withoutFunding.has(row.source);
      const fault = isLost ? FUNDING_ZERO : faultOfFunding(row, context.tape);
      if (fault !== null) exclude(row, fault);
      return basisSample(row, markLevel(row, rows, context.session), fault, context);
    }),
  );
  return { samples, rejections };
}

/** Venues by which no market pays anything. */
const venuesWithoutFunding = (perps: readonly PerpState[]): ReadonlySet<string> =>
  new Set(
    [...Map.groupBy(perps, ({ source }) => source)].flatMap(([source, own]) =>
      areAllZero(own.map(({ fundingRate }) => fundingRate)) ? [source] : [],
    ),
  );

/** Compares the venue's mark with its own oracle and with the stock. */
function implausibleMark({ figure, oracleUsd }: PerpState, spot: Reference | undefined): string | null {
  if (oracleUsd !== null && differenceBps(figure, oracleUsd).gt(MARK_BOUND_BPS))
    return "mark_far_from_oracle";
  if (spot?.figure != null && differenceBps(figure, spot.figure).gt(WIDE_BOUND_BPS))
    return "mark_far_from_reference";
  return null;
}

/**
 * A venue's mark is a fact of that venue: the figure is its own, and the marks of other venues are its witnesses.
 * Where a majority is against it, or one other alone, it is disputed.
 */
function markLevel(row: PerpState, rows: readonly PerpState[], session: string): Judged<PerpState> {
  const witnesses = rows.map((one) => witnessOf(one, MARK_TOLERANCE_BPS));
  const level = levelOf(witnesses, sessionFactor(session));
  if (level?.agreed.some(({ source }) => source === row.source)) return { ...level, figure: row.figure };
  return { figure: null, state: "disputed", spreadBps: null, agreed: [], outliers: witnesses };
}

function faultOfFunding(row: PerpState, tape: ReadonlyMap<string, FundingTape>): string | null {
  const { source, subject, figure, oracleUsd, fundingRate: rate, fundingIntervalHours: intervalHours } = row;
  if (rate === null || intervalHours === null) return null;
  const premiumBps = oracleUsd === null ? null : differenceBps(figure, oracleUsd).toFixed();
  return fundingFault({ rate, intervalHours }, premiumBps, tape.get(basisSeries(source, subject)) ?? null);
}

/** @param fault why the funding cannot be true; null: it can */
function basisSample(
  row: PerpState,
  mark: Judged<PerpState>,
  fault: string | null,
  { at, session, references, halted }: BasisContext,
): BasisSample {
  const { subject, source, fundingRate, fundingIntervalHours } = row;
  const spot = references.get(subject);
  const isPaid = fundingRate !== null && fundingIntervalHours !== null;
  const stateOfPaid = isPaid ? "single" : null;
  const age = row.at === null ? null : at - row.at;
  const funding: Input[] =
    fundingRate === null ? [] : [["funding", source, fundingRate, age, isPaid && fault === null ? 1 : 0]];
  return {
    underlying: subject,
    sampledAt: at,
    source,
    session,
    perpMarkUsd: mark.figure,
    spotUsd: spot?.figure ?? null,
    spotSource: spot?.figure == null ? null : namesOf(spot),
    spotAgeSeconds: ageOf(spot, at),
    witnesses: witnessesOf([mark, spot]),
    // Without a spot price there is no basis to agree on.
    state: spot === undefined ? null : worstOf([mark.state, spot.state]),
    spreadBps: spreadOf([mark, spot]),
    halted: halted.has(subject),
    fundingRate: fault === null ? fundingRate : null,
    fundingIntervalHours,
    // A venue alone knows what it pays.
    fundingState: fault === null ? stateOfPaid : "disputed",
    inputs: [...inputsOf("mark", mark, at), ...inputsOf("reference", spot, at), ...funding],
  };
}
