/** When requests may leave: evenly spaced, by this process alone or by slots that processes lease from each other. */
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Clock } from "./clock.ts";

export interface Pacer {
  /** @returns milliseconds until so many may leave at once; 0 or less: now; infinite: nobody knows */
  wait(count: number): number | Promise<number>;
  /** Takes them, after `wait` said now. Those that leave together use up the time of each. */
  take(count: number): void;
  /** Gives back what was taken and not used. */
  giveBack(count: number): void;
}

/** A token bucket. @param burst requests that may have been saved up */
export function createTokenBucket(spacingMs: number, burst: number, clock: Clock): Pacer {
  let tokens = burst;
  let filledAt = clock.now();
  const refill = () => {
    const now = clock.now();
    // A clock set back grants nothing and takes nothing.
    tokens = Math.min(burst, tokens + Math.max(0, now - filledAt) / spacingMs);
    filledAt = now;
  };
  return {
    wait() {
      refill();
      // Float dust must not cost a token another round of waiting.
      return tokens > 1 - 1e-9 ? 0 : (1 - tokens) * spacingMs;
    },
    take(count) {
      tokens -= count;
    },
    giveBack(count) {
      tokens = Math.min(burst, tokens + count);
    },
  };
}

/** Slots of time that no other process has. */
export interface Slice {
  readonly from: UnixMs;
  readonly slots: number;
}

/**
 * Slots in slices: one look at what processes share serves the requests of about a second. A slot that passes unused
 * is lost, so that no two processes are ever in the same one.
 * @param lease null: what is shared did not answer
 */
export function createSlicePacer(
  spacingMs: number,
  lease: (slots: number) => Promise<Slice | null>,
  clock: Clock,
): Pacer {
  const atLeast = Math.max(1, Math.floor(SLICE_MS / spacingMs));
  let slice: Slice = { from: 0, slots: 0 };
  let used = 0;
  let awaySince: number | null = null;
  return {
    async wait(count) {
      const passed = () => Math.max(used, Math.floor((clock.now() - slice.from) / spacingMs));
      used = passed();
      if (used + count > slice.slots) {
        const leased = await lease(Math.max(count, atLeast));
        if (leased === null) {
          awaySince ??= clock.now();
          return clock.now() - awaySince < AWAY_MS ? AGAIN_MS : Number.POSITIVE_INFINITY;
        }
        awaySince = null;
        slice = leased;
        used = 0;
        used = passed();
        // A caller that was delayed beyond its slice asks again.
        if (used + count > slice.slots) return 0.5;
      }
      return slice.from + used * spacingMs - clock.now();
    },
    take(count) {
      used += count;
    },
    giveBack(count) {
      used -= count;
    },
  };
}

const SLICE_MS = 1_000;
/** What is shared is asked again until it has been away for so long; then nobody waits for it. */
const AWAY_MS = 2_000;
const AGAIN_MS = 250;
