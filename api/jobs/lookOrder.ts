/**
 * In which order submissions are checked, and how often. Anybody can submit hashes that no node will ever know, so these
 * must not delay the others. Hashes known from the guard's events or a node come first, then the newest. Unknown ones are
 * checked ever more rarely.
 */

/** `look_rank` of a transaction in which the guard traded, by its own events. */
export const TRADED = 0;
/** Of one that a node knows: in its pool or in a block. */
export const KNOWN = 1;
/** Of one that was never looked at; one that stays unknown has a higher one by the doublings of its age. */
export const NEW = 2;

const HIGHEST_RANK = 12;
/** Ranks of unknown transactions that are looked at newest first: younger than a minute. */
export const YOUNG_RANKS: readonly number[] = [NEW, NEW + 1, NEW + 2, NEW + 3, NEW + 4, NEW + 5];

/** A share of the age, and no more than this. Unix milliseconds, as all times here. */
const KNOWN_PART = 10;
const KNOWN_SLOWEST_MS = 60_000;
const UNKNOWN_PART = 4;
const UNKNOWN_SLOWEST_MS = 30 * 60_000;

export interface NextLook {
  /** Unix milliseconds; null when nothing can change any more. */
  readonly nextLookAt: number | null;
  readonly rank: number;
}

export function nextOfKnown(
  previousRank: number,
  nowMs: number,
  ageMs: number,
  pollMs: number,
): NextLook & { nextLookAt: number } {
  const rank = previousRank === TRADED ? TRADED : KNOWN;
  return { rank, nextLookAt: nowMs + pause(ageMs / KNOWN_PART, pollMs, KNOWN_SLOWEST_MS) };
}

/** Of a transaction that no node knows, or that the node cannot say anything about. */
export function nextOfUnknown(
  nowMs: number,
  ageMs: number,
  pollMs: number,
): NextLook & { nextLookAt: number } {
  const doublings = Math.floor(Math.log2(1 + Math.max(0, ageMs) / 1000));
  return {
    rank: Math.min(HIGHEST_RANK, NEW + doublings),
    nextLookAt: nowMs + pause(ageMs / UNKNOWN_PART, pollMs, UNKNOWN_SLOWEST_MS),
  };
}

function pause(wanted: number, least: number, most: number): number {
  return Math.round(Math.min(Math.max(most, least), Math.max(least, wanted)));
}
