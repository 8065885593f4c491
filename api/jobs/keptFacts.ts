/**
 * Facts that were gathered for a request without payment, kept for a moment for the one that pays. They lie in memory
 * alone, under the hash of the whole intent, owner included; a retry that finds none has them gathered again. What is
 * kept are facts and not a report: they are judged when they are sold, so that no price counts that is too old by then.
 */
import type { Facts } from "../../attestor/evidence/facts.ts";
import type { Proofs } from "../../attestor/proofs/stateProofs.ts";
import { bytesOf, type Caches } from "../../chain/caches.ts";

/** Everything that the checks may look at, and when it was there. */
export interface GatheredFacts {
  readonly facts: Facts;
  /** What `facts.proofs` names. */
  readonly proofs: Proofs | null;
  /** Unix seconds. */
  readonly capturedAt: number;
}

export type KeptFacts = ReturnType<typeof createKeptFacts>;

/** A wallet that signs by itself needs less; the strictest policy lets a price be a minute old. */
export const KEPT_MS = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** @param clock unix milliseconds */
export function createKeptFacts(caches: Caches, clock: () => number) {
  // The nodes of a block's proofs are shared between its trades, and counted for each all the same.
  const kept = caches.open<{ gathered: GatheredFacts; at: number }>("kept facts", {
    maxBytes: MAX_BYTES,
    lifetimeMs: KEPT_MS,
    sizeOf: bytesOf,
  });
  return {
    keep(intentHash: string, gathered: GatheredFacts): void {
      kept.set(intentHash, { gathered, at: clock() });
    },
    /** Each once. @returns null where none are there, or none that are young enough */
    take(intentHash: string): GatheredFacts | null {
      const found = kept.get(intentHash);
      kept.delete(intentHash);
      const age = found === undefined ? Number.POSITIVE_INFINITY : clock() - found.at;
      // A clock that was set back says nothing about an age.
      return found === undefined || age < 0 || age >= KEPT_MS ? null : found.gathered;
    },
  };
}
