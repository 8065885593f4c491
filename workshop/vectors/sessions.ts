/** Vectors of the trading calendar: what a session may be called on either side of each boundary, by the two clocks. */
import { type SessionState, sessionAt } from "../../attestor/calendar.ts";
import { SESSIONS } from "../../attestor/policies/policy.ts";
import { facts, TRUST } from "../../test/attestor/fixtures.ts";
import { bareReport } from "./bare.ts";
import type { Candidate } from "./candidate.ts";
import type { Draw } from "./draw.ts";

/** Moments in New York at which something begins or ends, or would on another day; with their UTC offset. */
const BOUNDARIES = [
  ["a winter day's pre-market", "2026-01-14T04:00:00-05:00"],
  ["a winter day's opening", "2026-01-14T09:30:00-05:00"],
  ["a summer day's opening", "2026-07-15T09:30:00-04:00"],
  ["a summer day's close", "2026-07-15T16:00:00-04:00"],
  ["the end of a day's post-market", "2026-07-15T20:00:00-04:00"],
  ["midnight between two trading days", "2026-07-15T00:00:00-04:00"],
  ["the end of a Friday", "2026-07-17T20:00:00-04:00"],
  ["the end of a Sunday", "2026-07-19T20:00:00-04:00"],
  ["the opening of a Saturday", "2026-07-18T09:30:00-04:00"],
  ["the close of the day before Thanksgiving's Friday", "2026-11-26T20:00:00-05:00"],
  ["a half-day's close", "2026-11-27T13:00:00-05:00"],
  ["the end of a half-day's post-market", "2026-11-27T17:00:00-05:00"],
  ["the close of December 24", "2026-12-24T13:00:00-05:00"],
  ["the opening of July 3, kept for a Saturday's July 4", "2026-07-03T09:30:00-04:00"],
  ["the close of July 3, a half-day", "2025-07-03T13:00:00-04:00"],
  ["the opening of Good Friday", "2026-04-03T09:30:00-04:00"],
  ["the opening of Juneteenth", "2026-06-19T09:30:00-04:00"],
  ["the opening of June 19 of 2020, no holiday then", "2020-06-19T09:30:00-04:00"],
  ["the opening of a Monday kept for New Year's Day", "2023-01-02T09:30:00-05:00"],
  ["the opening of the Friday before a Saturday's New Year's Day", "2021-12-31T09:30:00-05:00"],
  ["the opening of a day of mourning", "2025-01-09T09:30:00-05:00"],
  ["the first opening in daylight time", "2026-03-09T09:30:00-04:00"],
  ["the Sunday evening after daylight time ended", "2026-11-01T20:00:00-05:00"],
] as const;

/** Seconds after the boundary: a session is held against 120 s before the judgement and 5 s after it. */
const OFFSETS = [-6, -5, 119, 120];

const MORE_OPEN: readonly SessionState[] = ["closed", "overnight", "pre-market", "post-market", "regular"];

/** @param draw picks what the evidence calls the session, mostly about as open as the calendar */
export function sessionDocuments(draw: Draw): Candidate[] {
  return BOUNDARIES.flatMap(([name, moment]) => {
    const boundary = Date.parse(moment) / 1000;
    return OFFSETS.map((offset) => {
      const at = boundary + offset;
      const state = draw.once(4) ? draw.pick(SESSIONS) : near(draw, sessionAt(at).state);
      return documentOf(`sessions: ${name}, ${offset} s after it, called ${state}`, at, state);
    });
  });
}

/** This state, or the next more open one. */
function near(draw: Draw, state: SessionState): SessionState {
  const next = MORE_OPEN[MORE_OPEN.indexOf(state) + draw.int(0, 1)];
  return next ?? state;
}

function documentOf(name: string, capturedAt: number, state: SessionState): Candidate {
  const { chain } = facts();
  const report = bareReport(
    {
      session: { source: "nyse-calendar", state },
      chain: { ...chain, blockTimestamp: capturedAt - 2 },
    },
    { capturedAt },
  );
  return { name, document: JSON.stringify(report), trust: TRUST };
}
