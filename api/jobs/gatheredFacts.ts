/** Everything that the checks may look at, and when it was there. */
import type { Facts } from "../../attestor/evidence/facts.ts";
import type { Proofs } from "../../attestor/proofs/stateProofs.ts";

export interface GatheredFacts {
  readonly facts: Facts;
  /** What `facts.proofs` names. */
  readonly proofs: Proofs | null;
  /** Unix seconds. */
  readonly capturedAt: number;
}
