/** Step `state`: proofs lead from the header of the evidence's block to what the evidence says of guard, pools and token. */
import type { Evidence } from "../evidence/evidence.ts";
import type { Fact } from "../factKinds.ts";
import type { Policy } from "../policies/policy.ts";
import { type Header, isHeaderOf } from "../proofs/header.ts";
import { type ProvedRow, proveState } from "../proofs/proveState.ts";
import type { Reader } from "./trust.ts";
import type { Account } from "./verification.ts";

/**
 * @param claimed the report's member `proofs`, which may be anything; undefined where it has none
 * @returns whether the proofs are there and prove the state, given the block
 */
export function stateStep(
  evidence: Evidence,
  claimed: unknown,
  policy: Policy,
  reader: Reader,
  account: Account,
): boolean {
  if (reader.header !== undefined) headerFaults(evidence, reader.header, account);
  const proof = proveState(evidence, claimed);
  if ("fault" in proof) {
    const { code, params } = proof.fault;
    const isOptional = policy.definition.evidence.quoteProof === "optional";
    if (code === "proofs_missing" && isOptional) account.leave("state", code, params);
    else if (code === "proofs_missing") account.unknown("state", code, params);
    else if (code !== "proofs_none") account.wrong("state", code, params);
    return false;
  }
  account.ask("state");
  const unproved = proof.rows.filter(({ word }) => word === null);
  const untrue = proof.rows.filter(({ word, holds }) => word !== null && !holds);
  if (unproved.length > 0) account.wrong("state", "state_unproved", { slots: named(unproved) });
  if (untrue.length > 0) account.wrong("state", "state_other", { slots: named(untrue) });
  if (unproved.length + untrue.length > 0) return false;
  const isBlockKnown = reader.chain?.hasBlock || (reader.header && isHeaderOf(reader.header, evidence.chain));
  if (!isBlockKnown)
    account.trust("state", "block_of_proof", { blockHash: evidence.chain.blockHash }, "header");
  return true;
}

const named = (rows: readonly ProvedRow[]): string =>
  rows.map(({ what, address }) => `${what} of ${address}`).join(", ");

/** Compares the reader's saved block header with the evidence, with or without proofs. */
function headerFaults({ chain }: Evidence, header: Header, account: Account): void {
  const { blockNumber, blockHash } = chain;
  account.ask("state");
  if (header.number !== blockNumber)
    account.unknown("state", "header_of_other_block", { given: header.number, blockNumber });
  else if (!isHeaderOf(header, chain))
    account.wrong("state", "header_other", { blockNumber, blockHash, given: header.hash });
}

/** What rests on the service's word: what it alone read from the chain, and what nobody signed. */
export function factReservations(facts: readonly Fact[], reader: Reader, account: Account): void {
  const of = (kind: Fact["kind"]) => facts.filter((fact) => fact.kind === kind);
  // In quotes, since a service may call a price or a source whatever it likes.
  const observed = [...new Set(of("observed").map(({ name }) => JSON.stringify(name)))];
  // What a node was asked about is told by step `chain`.
  if (observed.length > 0 && reader.chain === undefined)
    account.trust("state", "facts_observed", { facts: observed.join(", ") }, "rpc");
  const stated = [
    ...new Set(of("stated").map(({ name, by }) => `${JSON.stringify(name)} by ${JSON.stringify(by)}`)),
  ];
  if (stated.length > 0) account.trust("judgement", "facts_stated", { facts: stated.join(", ") });
}
