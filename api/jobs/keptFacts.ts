/**
 * Facts that were gathered for a request without payment, kept for a moment for the one that pays. They lie in memory
 * alone, under the hash of the whole intent, owner included; a retry that finds none has them gathered again. What is
 * kept are facts and not a report: they are judged when they are sold, so that no price counts that is too old by then.
 */
import { LRUCache } from "lru-cache";
import type { Facts } from "../../attestor/evidence/facts.ts";
import type { Proofs } from "../../attestor/proofs/stateProofs.ts";

/** Everything that the checks may look at, and when it was there. */
export interface GatheredFacts {
  readonly facts: Facts;
  /** What `facts.proofs` names. */
  readonly proofs: Proofs | null;
  /** Unix seconds. */
  readonly capturedAt: number;
}

export interface KeptFacts {
  keep(intentHash: string, gathered: GatheredFacts): void;
  /** Each once. @returns null where none are there, or none that are young enough */
  take(intentHash: string): GatheredFacts | null;
}

/** A wallet that signs by itself needs less; the strictest policy lets a price be a minute old. */
export const KEPT_MS = 5_000;
const MAX_COUNT = 256;
const MAX_BYTES = 16 * 1024 * 1024;

/** @param clock unix milliseconds */
export function createKeptFacts(clock: () => number): KeptFacts {
  const kept = new LRUCache<string, { gathered: GatheredFacts; at: number }>({
    max: MAX_COUNT,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ gathered }) => sizeOf(gathered),
  });
  return {
    keep(intentHash, gathered) {
      kept.set(intentHash, { gathered, at: clock() });
    },
    take(intentHash) {
      const found = kept.get(intentHash);
      kept.delete(intentHash);
      const age = found === undefined ? Number.POSITIVE_INFINITY : clock() - found.at;
      // A clock that was set back says nothing about an age.
      return found === undefined || age < 0 || age >= KEPT_MS ? null : found.gathered;
    },
  };
}

/** Characters; the nodes of a block's proofs are shared between its trades, and counted for each all the same. */
function sizeOf({ facts, proofs }: GatheredFacts): number {
  const ofProofs = proofs === null ? 0 : proofs.nodes.reduce((sum, node) => sum + node.length, 0);
  return JSON.stringify(facts).length + ofProofs + (proofs?.header.length ?? 0);
}
