/**
 * Smooth randomness over time, for the simulated market: a function of the moment alone, so that history and
 * what comes after it are one curve, and a restart changes nothing.
 */

/** A number from 0 up to 1 that follows from a place alone. */
export type RandomAt = (...place: readonly (string | number)[]) => number;

const HOUR = 3_600;
/** Seconds between the knots of each octave, and its share of the whole. */
const OCTAVES: readonly (readonly [period: number, share: number])[] = [
  [30 * 24 * HOUR, 0.4],
  [6 * 24 * HOUR, 0.3],
  [24 * HOUR, 0.2],
  [3 * HOUR, 0.07],
  [HOUR / 4, 0.03],
];

/** Between -1 and 1. @param seconds unix seconds */
export function wave(randomAt: RandomAt, name: string, seconds: number): number {
  return OCTAVES.reduce((sum, [period, share]) => sum + share * octave(randomAt, name, period, seconds), 0);
}

/** Quick changes alone, which come back to 0 within hours. Between -1 and 1. */
export function ripple(randomAt: RandomAt, name: string, seconds: number): number {
  return (
    0.7 * octave(randomAt, `${name}/ripple`, 2 * HOUR, seconds) +
    0.3 * octave(randomAt, `${name}/ripple`, HOUR / 6, seconds)
  );
}

function octave(randomAt: RandomAt, name: string, period: number, seconds: number): number {
  const knot = Math.floor(seconds / period);
  const at = seconds / period - knot;
  const [from, to] = [randomAt(name, period, knot), randomAt(name, period, knot + 1)];
  // Level at the knots.
  const eased = at * at * (3 - 2 * at);
  return 2 * (from + (to - from) * eased) - 1;
}
