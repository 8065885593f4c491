/** Repeatable randomness: every draw follows from a seed and a place, so that a restart goes on where it was. */

/** Of the world that `npm start` makes. */
export const WORLD_SEED = 1;

/**
 * A stream of numbers in [0, 1).
 * @param seed the world's seed
 * @param place distinguishes this stream from the others, such as the number of a tick
 */
export function randomStream(seed: number, ...place: readonly (string | number)[]): () => number {
  let state = hash(`${seed}/${place.join("/")}`);
  // A 32-bit counter scrambled by multiplication and shifts: plenty for a market of five pools.
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A number from 0 up to 1 that follows from a place alone. */
export const randomAt =
  (seed: number) =>
  (...place: readonly (string | number)[]): number =>
    randomStream(seed, ...place)();

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value;
}
