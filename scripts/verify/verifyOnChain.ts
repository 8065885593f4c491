/** Asks a node of the reader's about a document that was verified offline, and verifies it again with what the node says. */
import type { Fault } from "../../attestor/values/fault.ts";
import { registryFor } from "../../attestor/verify/registry.ts";
import type { ExecutedTrade } from "../../attestor/verify/trust.ts";
import { knownGuard, type Reader } from "../../attestor/verify/trust.ts";
import type { Verification } from "../../attestor/verify/verification.ts";
import { verifyDocument } from "../../attestor/verify/verify.ts";
import type { Rpc } from "../../chain/jsonRpc.ts";
import { readAgain } from "../../chain/readAgain.ts";
import { askChain, type ChainQuestion } from "../../chain/reportOnChain.ts";

/** A document as it was verified. */
export interface CheckedDocument {
  readonly verification: Verification;
  /** The trade as the guard executed it; null: no node was asked, or it shows none. */
  readonly executed: ExecutedTrade | null;
}

export interface FoundBefore {
  /** Trades that the reader found by themselves, in the place of a search for events. */
  readonly executed?: ChainQuestion["executed"];
  /** What stands against the document already. */
  readonly faults?: readonly Fault[];
}

/**
 * Never throws: what the node does not say, or refuses, is a fault of step `chain`.
 * @param text of the document
 */
export async function verifyOnChain(
  text: string,
  reader: Reader,
  rpc: Rpc,
  { executed, faults = [] }: FoundBefore = {},
): Promise<CheckedDocument> {
  const offline = verifyDocument(text, reader);
  const { report, intentHash, executableUntil, facts } = offline;
  if (report === null) return { verification: offline, executed: null };
  const { evidence } = report;
  const { chain, guard } = evidence;
  const known = knownGuard(reader, { chainId: chain.chainId, address: guard.address });
  const question: ChainQuestion = { report, intentHash, executableUntil, guardRecord: known };
  const found = await askChain(executed === undefined ? question : { ...question, executed }, rpc);
  // On another chain, or where the block is not there, there is nothing to read again.
  const again = found.hasBlock
    ? await readAgain(evidence, facts, {
        rpc,
        deployedAtBlock: known?.deployedAtBlock,
        registry: registryFor(evidence, reader),
      })
    : { faults: [], trusted: [] };
  const findings = {
    ...found,
    faults: [...faults, ...found.faults, ...again.faults],
    trusted: [...found.trusted, ...again.trusted],
  };
  const verification = verifyDocument(text, { ...reader, chain: findings });
  return { verification, executed: found.executed };
}
