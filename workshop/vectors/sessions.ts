/**
 * Vectors of the trading calendar: what a session may be called on either side of each boundary, by the two clocks. The
 * boundaries are moments in New York at which something begins or ends, or would on another day; with their UTC offset.
 */
import { type SessionState, sessionAt } from "../../attestor/calendar.ts";
import { facts } from "../../test/attestor/fixtures.ts";
import { bareReport } from "./bare.ts";
import { type Candidate, candidateOf } from "./candidate.ts";
import BOUNDARIES from "./sessionBoundaries.json" with { type: "json" };

/**
 * Seconds after the boundary: a session is compared with 5 s after the judgement and 120 s before it. At the inner ones
 * the more open session is the last that passes, at the outer ones the first that fails.
 */
const OFFSETS = [-6, -5, 119, 120];

const MORE_OPEN: readonly SessionState[] = ["closed", "overnight", "pre-market", "post-market", "regular"];

export function sessionDocuments(): Candidate[] {
  return Object.entries(BOUNDARIES).flatMap(([name, moment]) => {
    const boundary = Date.parse(moment) / 1000;
    const state = moreOpen(sessionAt(boundary - 1).state, sessionAt(boundary).state);
    return OFFSETS.map((offset) =>
      documentOf(`sessions: ${name}, ${offset} s after it, called ${state}`, boundary + offset, state),
    );
  });
}

/** Where nothing begins or ends, what a forger would call it. */
function moreOpen(before: SessionState, after: SessionState): SessionState {
  if (before === after) return "regular";
  return MORE_OPEN.indexOf(before) > MORE_OPEN.indexOf(after) ? before : after;
}

function documentOf(name: string, capturedAt: number, state: SessionState): Candidate {
  const { chain } = facts();
  const session = { source: "nyse-calendar", state } as const;
  const given = { session, chain: { ...chain, blockTimestamp: capturedAt - 2 } };
  return candidateOf(name, bareReport(given, { capturedAt }));
}
