/** Step `judgement` again: what the session of the market may be called, and by whom. */
import { policyById } from "../../../attestor/policies/policy.ts";
import { NOW } from "../../../test/attestor/fixtures.ts";
import { type Row, rowsByReader, SMALL_AND_SOUND, smallRow } from "./rows.ts";
import type { Bend, Changes } from "./service.ts";

/**
 * A report of that session on chain 56, by a policy that can do without signed prices.
 * @param at unix seconds of the judgement
 */
export function inSession(state: string, source: string, at: number, change: Bend = () => {}): Changes {
  return {
    knows: "observed",
    unsigned: true,
    policy: policyById("EXTENDED_HOURS"),
    chainId: 56,
    at,
    facts(facts) {
      facts.session = { source, state };
      change(facts);
    },
  };
}

/** Noon in New York on Saturday, 26 September 2026. */
export const SATURDAY = Date.UTC(2026, 8, 26, 16) / 1_000;
/** Before the exchange opens on Monday the 21st. */
const MORNING = Date.UTC(2026, 8, 21, 12) / 1_000;
const CHRISTMAS = Date.UTC(2026, 11, 25, 16) / 1_000;

const OF_SERVICE = { "chain 56": "VALID, strictly UNVERIFIABLE judgement session_of_service" };
const NOT_SO = { "chain 56": "INVALID judgement session_not_of_calendar" };
/** To a strict reader the grade is the service's word, since nobody gave samples. */
const AS_CALENDAR = { "chain 56": "VALID, strictly UNVERIFIABLE judgement liquidity_of_service" };

const ROWS = rowsByReader({
  "Saturday by another calendar": [inSession("regular", "nyse calendar 2026", SATURDAY), OF_SERVICE],
  "Saturday by the exchange": [inSession("regular", "NYSE", SATURDAY), OF_SERVICE],
  "a session by another calendar": [inSession("regular", "nyse-calendar 2026", NOW), OF_SERVICE],
  "Saturday by the calendar": [inSession("regular", "nyse-calendar", SATURDAY), NOT_SO],
  "Saturday by the calendar in capitals": [inSession("overnight", "NYSE-Calendar", SATURDAY), NOT_SO],
  "Saturday by the calendar, misspelt": [inSession("pre-market", "nyse-\u200bcalendar", SATURDAY), NOT_SO],
  "Saturday's post-market by the calendar": [inSession("post-market", "nyse-calendar", SATURDAY), NOT_SO],
  "a regular session in the morning": [inSession("regular", "nyse-calendar", MORNING), NOT_SO],
  "a post-market session in the morning": [inSession("post-market", "nyse-calendar", MORNING), NOT_SO],
  "a regular session on Christmas": [inSession("regular", "nyse-calendar", CHRISTMAS), NOT_SO],
  "a regular session": [inSession("regular", "nyse-calendar", NOW), AS_CALENDAR],
  "less than a regular session": [inSession("overnight", "nyse-calendar", NOW), AS_CALENDAR],
  "a closure that no calendar foresaw": [inSession("closed", "nyse-calendar", NOW), AS_CALENDAR],
});

/** Moments in New York, with their UTC offset. */
const BEGINS: readonly (readonly [state: string, moment: string, what: string])[] = [
  ["pre-market", "2026-01-14T04:00:00-05:00", "a winter day's pre-market"],
  ["regular", "2026-01-14T09:30:00-05:00", "a winter day's opening"],
  ["regular", "2026-07-15T09:30:00-04:00", "a summer day's opening"],
  ["overnight", "2026-07-19T20:00:00-04:00", "the end of a Sunday"],
  ["regular", "2020-06-19T09:30:00-04:00", "the opening of June 19 of 2020, no holiday then"],
  ["regular", "2021-12-31T09:30:00-05:00", "the opening of the Friday before a Saturday's New Year's Day"],
  ["regular", "2026-03-09T09:30:00-04:00", "the first opening in daylight time"],
  ["overnight", "2026-11-01T20:00:00-05:00", "the Sunday evening after daylight time ended"],
  ["overnight", "2026-11-26T20:00:00-05:00", "the evening of Thanksgiving"],
];
const ENDS: typeof BEGINS = [
  ["regular", "2026-07-15T16:00:00-04:00", "a summer day's close"],
  ["post-market", "2026-07-15T20:00:00-04:00", "the end of a day's post-market"],
  ["post-market", "2026-07-17T20:00:00-04:00", "the end of a Friday"],
  ["regular", "2026-11-27T13:00:00-05:00", "a half-day's close"],
  ["post-market", "2026-11-27T17:00:00-05:00", "the end of a half-day's post-market"],
  ["regular", "2026-12-24T13:00:00-05:00", "the close of December 24"],
  ["regular", "2025-07-03T13:00:00-04:00", "the close of July 3, a half-day"],
];
/** Where nothing begins that begins on other days. */
const CLOSED: typeof BEGINS = [
  ["regular", "2026-07-18T09:30:00-04:00", "the opening of a Saturday"],
  ["regular", "2026-07-03T09:30:00-04:00", "the opening of July 3, kept for a Saturday's July 4"],
  ["regular", "2026-04-03T09:30:00-04:00", "the opening of Good Friday"],
  ["regular", "2026-06-19T09:30:00-04:00", "the opening of Juneteenth"],
  ["regular", "2023-01-02T09:30:00-05:00", "the opening of a Monday kept for New Year's Day"],
  ["regular", "2025-01-09T09:30:00-05:00", "the opening of a day of mourning"],
  ["regular", "2026-07-15T00:00:00-04:00", "midnight between two trading days"],
];

/** A report says the session at that many seconds after the moment. */
function calledAt([state, moment, what]: (typeof BEGINS)[number], seconds: number, expected: string): Row {
  const at = Date.parse(moment) / 1_000 + seconds;
  const facts: Bend = (given) => (given.session = { source: "nyse-calendar", state });
  const name = `sessions: ${what}, ${seconds} s after it, called ${state}`;
  return smallRow(name, { policy: policyById("LAST_CLOSE"), at, facts }, expected);
}

const NOT_OPEN = "INVALID judgement session_not_of_calendar";

/** A session is compared with 5 s after the judgement and 120 s before it, the more open of the two. */
export const SESSION_ROWS: readonly Row[] = [
  ...ROWS,
  ...BEGINS.flatMap((one) => [calledAt(one, -6, NOT_OPEN), calledAt(one, -5, SMALL_AND_SOUND)]),
  ...ENDS.flatMap((one) => [calledAt(one, 119, SMALL_AND_SOUND), calledAt(one, 120, NOT_OPEN)]),
  ...CLOSED.map((one) => calledAt(one, 0, NOT_OPEN)),
];
