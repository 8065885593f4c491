/** What a report's proofs prove of the state that its evidence speaks of. Nothing is thrown: each fault has a code. */
import * as z from "zod";
import { sameJson } from "../steps.ts";
import type { Fault } from "../values/fault.ts";
import { type Header, isHeaderOf } from "./header.ts";
import { type ProofRow, type Provable, rowsOf } from "./rows.ts";
import { Proofs, type ProvedState, proofsHash, provedState } from "./stateProofs.ts";
import { BrokenProof } from "./trie.ts";

export interface ProvedRow extends Pick<ProofRow, "address" | "slot" | "what"> {
  /** The word in the slot; null where the proofs do not lead to it. */
  readonly word: bigint | null;
  /** Whether the word says what the evidence says. */
  readonly holds: boolean;
}

export type ProofFaultCode =
  /** The evidence names no proofs, and the report has none. */
  | "proofs_none"
  /** The evidence names proofs by their `hash`, and the report has none. */
  | "proofs_missing"
  /** The report has proofs, and the evidence names none. */
  | "proofs_unnamed"
  /** They are not of their form, for the `reason`, or not canonical. */
  | "proofs_format"
  /** They hash to `computed`, and the evidence names `stated`. */
  | "proofs_hash"
  /** They do not lead from their header to the state, for the `reason`. */
  | "proofs_broken"
  /** Their header is of the block `number` at `timestamp`, with `hash`: not of the evidence's. */
  | "proofs_block";

export type StateProof =
  /** Every row that the evidence needs, given that the header is the chain's. */
  | { readonly rows: readonly ProvedRow[]; readonly header: Header }
  | { readonly fault: Fault & { readonly code: ProofFaultCode } };

/** @param claimed the report's member `proofs`, which may be anything; undefined where it has none */
export function proveState(
  evidence: Provable & { proofs: { hash: string } | null },
  claimed: unknown,
): StateProof {
  const named = evidence.proofs;
  if (named === null) return fault(claimed === undefined ? "proofs_none" : "proofs_unnamed");
  if (claimed === undefined) return fault("proofs_missing", { hash: named.hash });
  const parsed = Proofs.safeParse(claimed);
  if (!parsed.success) return fault("proofs_format", { reason: z.prettifyError(parsed.error) });
  if (!sameJson(claimed, parsed.data)) return fault("proofs_format", { reason: "not in canonical form" });
  const computed = proofsHash(parsed.data);
  if (computed !== named.hash) return fault("proofs_hash", { computed, stated: named.hash });
  let state: ProvedState;
  try {
    state = provedState(parsed.data);
  } catch (error) {
    if (!(error instanceof BrokenProof)) throw error;
    return fault("proofs_broken", { reason: error.message });
  }
  const { hash, number, timestamp } = state.header;
  if (!isHeaderOf(state.header, evidence.chain)) return fault("proofs_block", { hash, number, timestamp });
  return { rows: provedRows(rowsOf(evidence), state), header: state.header };
}

/** Each row with the word that a proved state has in its slot. */
export function provedRows(rows: readonly ProofRow[], state: Pick<ProvedState, "word">): ProvedRow[] {
  return rows.map(({ address, slot, what, holds }) => {
    const word = state.word(address, slot) ?? null;
    return { address, slot, what, word, holds: word !== null && holds(word) };
  });
}

function fault(code: ProofFaultCode, params: Fault["params"] = {}): StateProof {
  return { fault: { code, params } };
}
