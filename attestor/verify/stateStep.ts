/** The account that a verification gives of a report's proofs, in words. */
import type { Evidence } from "../evidence/evidence.ts";
import { type Header, isHeaderOf } from "../proofs/header.ts";
import { type ProofFaultCode, type ProvedRow, proveState } from "../proofs/proveState.ts";
import type { Outcome, Step, Steps } from "../steps.ts";

/** The step that says what is proved, and on which condition. */
export const PROVED = "proved";

export interface StateReading {
  /** Of the chain's block, by the reader's own word; undefined where there is none. */
  readonly header?: Header | undefined;
  /** Whether the policy accepts missing proofs; otherwise named but missing proofs leave the report UNVERIFIABLE. */
  readonly isOptional?: boolean;
}

/** The step of each fault, and its words but for what is different each time. */
const FAULTS: Readonly<Record<ProofFaultCode, readonly [step: string, outcome: Outcome, words: string]>> = {
  proofs_none: ["proofs", "absent", "None: the node offered none. What was read can be read again (--rpc)"],
  proofs_missing: ["proofs", "unknown", "Missing: ask for the report again. The evidence names the proofs"],
  proofs_unnamed: ["proofs", "wrong", "The evidence names no proofs, and there are some"],
  proofs_format: ["proof format", "wrong", "The proofs do not parse"],
  proofs_hash: ["proof hash", "wrong", "The proofs are not those that the evidence names"],
  proofs_broken: ["state proof", "wrong", "The proofs do not lead from the header to the state"],
  proofs_block: ["block header", "wrong", "The header is not of the evidence's block"],
};

/** @returns whether the proofs are there and prove the state, given the block */
export function stateStep(
  evidence: Evidence,
  claimed: unknown,
  { header, isOptional = false }: StateReading,
  steps: Steps,
): boolean {
  if (header !== undefined) headerStep(evidence, header, steps);
  const proof = proveState(evidence, claimed);
  if ("fault" in proof) {
    const { code, params } = proof.fault;
    const [step, outcome, words] = FAULTS[code];
    const isAccepted = code === "proofs_missing" && isOptional;
    steps.add(step, isAccepted ? "absent" : outcome, `${[words, ...Object.values(params)].join(" ")}.`);
    return false;
  }
  const { blockHash } = evidence.chain;
  steps.add("block header", "ok", `The header is that of the evidence's block: it hashes to ${blockHash}.`);
  const unproved = proof.rows.filter(({ word }) => word === null);
  if (unproved.length > 0) steps.add("state proof", "wrong", `Nothing proves ${named(unproved)}.`);
  for (const about of ["guard", "pool", "token"]) {
    const untrue = proof.rows.filter(
      ({ what, word, holds }) => word !== null && !holds && what.startsWith(about),
    );
    if (untrue.length > 0)
      steps.add(
        `${about} state`,
        "wrong",
        `The chain's state at the block says otherwise: ${named(untrue)}.`,
      );
  }
  if (!proof.rows.every(({ holds }) => holds)) return false;
  const isSaved = header?.hash === blockHash;
  const { name, outcome, detail } = provedStep(evidence, isSaved ? "the saved header" : null);
  steps.add(name, outcome, detail);
  return true;
}

const named = (rows: readonly ProvedRow[]): string =>
  rows.map(({ what, address }) => `${what} of ${address}`).join(", ");

/** @param witness who says that the block is the chain's; null: nobody */
export function provedStep({ chain, quote, token }: Evidence, witness: string | null): Step {
  const count = quote?.pools?.length ?? 0;
  const what = `The state of ${[
    "the guard",
    ...(count === 0 ? [] : [count === 1 ? "the pool" : `${count} pools`]),
    ...(token.layout === null ? [] : ["the token's multiplier"]),
  ].join(" and of ")} is proved`;
  const { blockHash } = chain;
  return witness === null
    ? {
        name: PROVED,
        outcome: "absent",
        detail: `${what}, if block ${blockHash} is the chain's (not checked).`,
      }
    : {
        name: PROVED,
        outcome: "ok",
        detail: `${what}; block ${blockHash} is the chain's by ${witness} (checked).`,
      };
}

/** Compares the reader's saved block header with the evidence, with or without proofs. */
function headerStep({ chain }: Evidence, header: Header, steps: Steps): void {
  const { blockHash, blockNumber } = chain;
  if (header.number !== blockNumber) {
    const other = `The saved header is of block ${header.number}, and the evidence was read at block ${blockNumber}.`;
    steps.add("saved header", "unknown", other);
    return;
  }
  steps.judge(
    "saved header",
    isHeaderOf(header, chain),
    `Block ${blockNumber} of the evidence is that of the saved header.`,
    `Block ${blockNumber} hashes to ${header.hash} by the saved header, and to ${blockHash} by the evidence.`,
  );
}
