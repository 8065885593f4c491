/**
 * Smooth randomness over time, for the simulated market: a function of the moment alone.
 */

/** A number from 0 up to 1 that follows from a place alone. */
export type RandomAt = (...place: readonly (string | number)[]) => number;

/** Between -1 and 1, at a unix second. */
export type Curve = (seconds: number) => number;

const HOUR = 3_600;

/** Seconds between the knots of an octave, and its share of the whole. */
type Octaves = readonly (readonly [period: number, share: number])[];
const WAVE: Octaves = [
  [30 * 24 * HOUR, 0.4],
  [6 * 24 * HOUR, 0.3],
  [24 * HOUR, 0.2],
  [3 * HOUR, 0.07],
  [HOUR / 4, 0.03],
];
const RIPPLE: Octaves = [
  [2 * HOUR, 0.7],
  [HOUR / 6, 0.3],
];

/** Long swings with small ones on them. */
export function wave(randomAt: RandomAt, name: string): Curve {
  return curve(randomAt, name, WAVE);
}

/** Quick changes alone, which come back within hours. */
export function ripple(randomAt: RandomAt, name: string): Curve {
  return curve(randomAt, `${name}/ripple`, RIPPLE);
}

function curve(randomAt: RandomAt, name: string, octaves: Octaves): Curve {
  const parts = octaves.map(([period, share]) => ({ share, at: octave(randomAt, name, period) }));
  return (seconds) => parts.reduce((sum, { share, at }) => sum + share * at(seconds), 0);
}

function octave(randomAt: RandomAt, name: string, period: number): Curve {
  // Walking along a curve evaluates the same two knots many times.
  let between = { knot: Number.NaN, from: 0, to: 0 };
  return (seconds) => {
    const knot = Math.floor(seconds / period);
    if (knot !== between.knot)
      between = { knot, from: randomAt(name, period, knot), to: randomAt(name, period, knot + 1) };
    const at = seconds / period - knot;
    // Level at the knots.
    const eased = at * at * (3 - 2 * at);
    return 2 * (between.from + (between.to - between.from) * eased) - 1;
  };
}
