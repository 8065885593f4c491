/** Writes answers as text: figures go from decimal text to JSON digit by digit, and never through a float. */
import type { BasisPoint, DayTotal, PremiumPoint } from "../../market/queries.ts";

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;

/**
 * A decimal text as a JSON number.
 * @throws Error when it is none
 */
export function number(text: string | null): string {
  if (text === null) return "null";
  if (!NUMBER.test(text)) throw new Error(`not a decimal number: ${text.slice(0, 40)}`);
  return text;
}

/** @param members name and JSON of each, in the order in which they shall stand */
export function object(members: readonly (readonly [name: string, json: string])[]): string {
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
}

export function array(items: readonly string[]): string {
  return `[${items.join(",")}]`;
}

/** Unix seconds as ISO 8601. */
export function dateTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

// Thousands of points share their day and their origin, which are written once.

function lastDone<K, V>(same: (one: K, other: K) => boolean, make: (key: K) => V): (key: K) => V {
  let last: { key: K; value: V } | undefined;
  return (key) => {
    if (!last || !same(last.key, key)) last = { key, value: make(key) };
    return last.value;
  };
}

/** @template P with more members as JSON, each behind a comma */
type WithMore<P> = P & { readonly more?: string };

type Point = PremiumPoint | BasisPoint;
type Origin = Pick<Point, "source" | "session" | "referenceSource" | "state" | "halted"> &
  Partial<Pick<BasisPoint, "fundingState">>;

function originWriter() {
  return lastDone<Origin, string>(
    (one, other) =>
      one.source === other.source &&
      one.session === other.session &&
      one.referenceSource === other.referenceSource &&
      one.state === other.state &&
      one.halted === other.halted &&
      one.fundingState === other.fundingState,
    ({ source, session, referenceSource: reference, state, halted, fundingState: funding_state }) =>
      JSON.stringify({ source, session, reference, state, halted, funding_state }).slice(1, -1),
  );
}

const DAY = 86_400;

function hourWriter(): (seconds: number) => string {
  const dayOf = lastDone<number, string>(
    (one, other) => one === other,
    (day) => dateTime(day * DAY).slice(0, 11),
  );
  return (seconds) => {
    const hour = Math.floor((seconds % DAY) / 3_600);
    return `${dayOf(Math.floor(seconds / DAY))}${hour < 10 ? "0" : ""}${hour}:00:00.000Z`;
  };
}

/** How many samples the hour has, how many sources agree on the last and how closely, and how old its reference was. */
const countsOf = ({ samples, witnesses, referenceAgeSeconds, spreadBps, more = "" }: WithMore<Point>) =>
  `"samples":${samples},"witnesses":${witnesses},"reference_age":${referenceAgeSeconds},"spread_bps":${number(spreadBps)}${more}`;

/** @param figures of a point, as the first members of its JSON */
function pointsText<P extends Point>(
  points: readonly WithMore<P>[],
  figures: (point: WithMore<P>) => string,
): string {
  const origin = originWriter();
  return array(points.map((point) => `{${figures(point)},${origin(point)},${countsOf(point)}}`));
}

/** Points of the key endpoint. */
export function premiumHistory(points: readonly WithMore<PremiumPoint>[]): string {
  const hourOf = hourWriter();
  return pointsText(
    points,
    ({ hour, premiumBps }) => `"ts":"${hourOf(hour)}","premium_bps":${number(premiumBps)}`,
  );
}

/** Points of the public endpoint. */
export const publicPremium = (points: readonly WithMore<PremiumPoint>[]): string =>
  pointsText(
    points,
    ({ hour, premiumBps, loBps, hiBps, netEdgeBps }) =>
      `"t":${hour},"premium":${number(premiumBps)},"lo":${number(loBps)},"hi":${number(hiBps)},"net_edge":${number(netEdgeBps)}`,
  );

export const basisHistory = (points: readonly WithMore<BasisPoint>[]): string =>
  pointsText(
    points,
    ({ hour, basisBps, loBps, hiBps, fundingAnnualBps }) =>
      `"t":${hour},"basis":${number(basisBps)},"lo":${number(loBps)},"hi":${number(hiBps)},"funding_annual":${number(fundingAnnualBps)}`,
  );

/** Volume and liquidity are one index's: depth and the tape bound them, and no second index states them. */
export const TOTALS_STATE = "single";

/** Amounts stay decimal strings. */
export function daySeries(totals: readonly DayTotal[]): string {
  return JSON.stringify(
    totals.map(({ day, scope, volumeUsd, liquidityUsd, count, expected }) => ({
      day,
      scope,
      vol: volumeUsd,
      liq: liquidityUsd,
      cnt: count,
      expected,
      complete: count >= expected,
      state: TOTALS_STATE,
    })),
  );
}
