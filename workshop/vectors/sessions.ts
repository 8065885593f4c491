/**
 * Vectors of the trading calendar: what a session may be called on either side of each boundary, by the two clocks. The
 * boundaries are moments in New York at which something begins or ends, or would on another day; with their UTC offset.
 */
import { type SessionState, sessionAt } from "../../attestor/calendar.ts";
import { SESSIONS } from "../../attestor/policies/policy.ts";
import { facts } from "../../test/attestor/fixtures.ts";
import { bareReport } from "./bare.ts";
import { type Candidate, candidateOf } from "./candidate.ts";
import type { Draw } from "./draw.ts";
import BOUNDARIES from "./sessionBoundaries.json" with { type: "json" };

/** Seconds after the boundary: a session is compared with 120 s before the judgement and 5 s after it. */
const OFFSETS = [-6, -5, 119, 120];

const MORE_OPEN: readonly SessionState[] = ["closed", "overnight", "pre-market", "post-market", "regular"];

/** @param draw picks what the evidence calls the session, mostly about as open as the calendar */
export function sessionDocuments(draw: Draw): Candidate[] {
  return Object.entries(BOUNDARIES).flatMap(([name, moment]) => {
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
  const session = { source: "nyse-calendar", state } as const;
  const given = { session, chain: { ...chain, blockTimestamp: capturedAt - 2 } };
  return candidateOf(name, bareReport(given, { capturedAt }));
}
