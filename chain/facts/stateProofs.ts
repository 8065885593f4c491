/**
 * Proofs of what was read at a block, from nodes that give them (`eth_getProof`). They are checked here before anything
 * is called proved: a node that proves something else than it answers gives no proofs.
 */
import { isError } from "ethers";
import { z } from "zod";
import type { ChainFacts } from "../../attestor/evidence/facts.ts";
import { headerOf, isHeaderOf } from "../../attestor/proofs/header.ts";
import { provedRows } from "../../attestor/proofs/proveState.ts";
import { type Provable, rowsOf, slotsOf } from "../../attestor/proofs/rows.ts";
import {
  assembleProofs,
  type Proofs,
  type ProvedState,
  proofsHash,
  provedState,
  type Slots,
} from "../../attestor/proofs/stateProofs.ts";
import { BrokenProof } from "../../attestor/proofs/trie.ts";
import type { BlockReader } from "../blockReads.ts";
import { UpstreamUnavailable } from "../chainErrors.ts";
import type { BlockMemo } from "./blockMemo.ts";

/** Checked, with their hash. */
export interface CheckedProofs {
  readonly proofs: Proofs;
  readonly hash: string;
  readonly state: ProvedState;
}

export interface ProofReader {
  /**
   * Proofs of everything that these facts say of the state at their block. `isLayoutRight`: whether the token's storage,
   * by its layout, says what the token says.
   * @returns null where the node gives none, gives some that do not hold, or says otherwise of guard or pools
   */
  proofsOf(facts: Provable): Promise<(CheckedProofs & { readonly isLayoutRight: boolean }) | null>;
}

const Nodes = z.array(z.string().regex(/^0x([0-9a-f]{2})+$/));
const Said = z.looseObject({
  accountProof: Nodes,
  storageProof: z.array(z.looseObject({ proof: Nodes })),
});

/** JSON-RPC: the method does not exist, or is not available. */
const UNKNOWN_METHOD = [-32601, -32004];

/**
 * Proofs of these slots at a block, checked.
 * @returns null for a header of a fork that is not known here
 * @throws BrokenProof, UpstreamUnavailable, ZodError, and what ethers throws where the node answers with an error
 */
export async function readProofs(
  reader: BlockReader,
  memo: BlockMemo,
  { blockHash }: Pick<ChainFacts, "blockHash">,
  slots: Slots,
): Promise<CheckedProofs | null> {
  const reads = reader.at({ blockHash });
  const [rlp, ...said] = await Promise.all([
    memo(blockHash, "header", async () => headerOf(await reads.header())),
    ...[...slots].map(([address, keys]) => reads.send("eth_getProof", [address, [...keys]])),
  ]);
  if (rlp === null) return null;
  const nodes = said.flatMap((answer) => {
    const { accountProof, storageProof } = Said.parse(answer);
    return [...accountProof, ...storageProof.flatMap(({ proof }) => proof)];
  });
  const proofs = assembleProofs(rlp, slots, nodes);
  return { proofs, hash: proofsHash(proofs), state: provedState(proofs) };
}

/**
 * @param reader brings along, with the first batch of a block, what was proved at the last one: state changes, and where
 *   it stands seldom does
 * @param memo shares what was checked at a block
 */
export function createProofReader(reader: BlockReader, memo: BlockMemo): ProofReader {
  /** Learnt once: a node that does not know the method is not asked again. */
  let isOffered = true;

  async function quietly(chain: ChainFacts, slots: Slots): Promise<CheckedProofs | null> {
    try {
      return await readProofs(reader, memo, chain, slots);
    } catch (error) {
      if (isUnknownMethod(error)) {
        isOffered = false;
        return null;
      }
      // Proofs that are missing or broken take no fact away: it is then observed, and not proved.
      const isWithout =
        error instanceof UpstreamUnavailable || error instanceof BrokenProof || error instanceof z.ZodError;
      if (isWithout || isNodesFault(error)) return null;
      throw error;
    }
  }

  return {
    async proofsOf(facts) {
      if (!isOffered) return null;
      const { chain } = facts;
      const rows = rowsOf(facts);
      const slots = slotsOf(rows);
      const key = [...slots].map(([address, keys]) => [address, ...keys].join()).join(";");
      const checked = await memo(chain.blockHash, `proofs ${key}`, () => quietly(chain, slots));
      if (checked === null) return null;
      if (!isHeaderOf(checked.state.header, chain)) return null;
      const untrue = provedRows(rows, checked.state).filter(({ holds }) => !holds);
      if (untrue.some(({ what }) => !what.startsWith("token."))) return null;
      return { ...checked, isLayoutRight: untrue.length === 0 };
    },
  };
}

function isUnknownMethod(thrown: unknown): boolean {
  // The reader gives every fault of the node one name, and keeps what it was.
  const error = thrown instanceof UpstreamUnavailable ? thrown.cause : thrown;
  return UNKNOWN_METHOD.includes(codeOf(error) ?? 0) || isError(error, "UNSUPPORTED_OPERATION");
}

/** Of the node's own answer; null where there is none. */
function codeOf(error: unknown): number | null {
  const answer = error as { error?: { code?: unknown }; info?: { error?: { code?: unknown } } } | null;
  const code = answer?.error?.code ?? answer?.info?.error?.code;
  return typeof code === "number" ? code : null;
}

/** It answers with an error, or not at all: any other request then fails by itself. */
function isNodesFault(error: unknown): boolean {
  return ["UNKNOWN_ERROR", "SERVER_ERROR", "TIMEOUT", "NETWORK_ERROR", "CALL_EXCEPTION"].some(
    (code) => (error as { code?: unknown } | null)?.code === code,
  );
}
