/** What a verification says about the proofs of a report. Never throws: each fault is a step of its own. */
import * as z from "zod";
import type { Evidence } from "../evidence/evidence.ts";
import { type Step, type Steps, sameJson } from "../steps.ts";
import { ABOUT, type Claim, claimsOf, listedTwice } from "./claims.ts";
import { type Header, readHeader } from "./header.ts";
import { Proofs, type ProvedState, proofsHash, provedState } from "./stateProofs.ts";
import { BrokenProof } from "./trie.ts";

/** The step that says what is proved, and on which condition. */
export const PROVED = "proved";

export interface ProofReading {
  /** Of the chain's block, by the reader's own word; undefined where there is none. */
  readonly header?: Header | undefined;
  /** Whether the policy accepts missing proofs; otherwise named but missing proofs leave the report UNVERIFIABLE. */
  readonly isOptional?: boolean;
}

/**
 * @param claimed the report's member `proofs`, which may be anything; undefined where it has none
 * @returns whether they are there and prove the state, given the block
 */
export function proofSteps(
  evidence: Evidence,
  claimed: unknown,
  { header, isOptional = false }: ProofReading,
  steps: Steps,
): boolean {
  if (header !== undefined) headerStep(evidence, header, steps);
  if (evidence.proofs === null) {
    noProofsStep(evidence, claimed, steps);
    return false;
  }
  if (claimed === undefined) {
    steps.add(
      "proofs",
      isOptional ? "absent" : "unknown",
      `Missing: the evidence names proofs that hash to ${evidence.proofs.hash}. Ask for the report again.`,
    );
    return false;
  }
  const proofs = namedProofs(evidence.proofs.hash, claimed, steps);
  const state = proofs && walkedStep(proofs, steps);
  if (state === null || !blockHeaderStep(evidence, state, steps)) return false;
  if (!claimsStep(evidence, state, steps)) return false;
  const isSaved = header?.hash === evidence.chain.blockHash;
  const { name, outcome, detail } = provedStep(evidence, isSaved ? "the saved header" : null);
  steps.add(name, outcome, detail);
  return true;
}

function noProofsStep({ chain }: Evidence, claimed: unknown, steps: Steps): void {
  const isThere = claimed !== undefined;
  steps.add(
    "proofs",
    isThere ? "wrong" : "absent",
    isThere
      ? "The evidence names no proofs, and there are some."
      : `None: the node offered none at block ${chain.blockNumber}. What was read there can be read again (--rpc) while nodes remember it.`,
  );
}

/** The proofs that the evidence names; null, with a step, for anything else. */
function namedProofs(hash: string, claimed: unknown, steps: Steps): Proofs | null {
  const parsed = Proofs.safeParse(claimed);
  if (!parsed.success) {
    steps.add("proof format", "wrong", `The proofs do not parse: ${z.prettifyError(parsed.error)}.`);
    return null;
  }
  if (!sameJson(claimed, parsed.data)) {
    steps.add("proof format", "wrong", "The proofs are not in canonical form.");
    return null;
  }
  const seen = proofsHash(parsed.data);
  if (seen === hash) return parsed.data;
  steps.add("proof hash", "wrong", `The proofs hash to ${seen}, and the evidence names ${hash}.`);
  return null;
}

function walkedStep(proofs: Proofs, steps: Steps): ProvedState | null {
  if (readHeader(proofs.header) === null) {
    steps.add("block header", "wrong", "The header does not parse.");
    return null;
  }
  try {
    return provedState(proofs);
  } catch (error) {
    if (!(error instanceof BrokenProof)) throw error;
    steps.add(
      "state proof",
      "wrong",
      `The proofs do not lead from the header to the state: ${error.message}.`,
    );
    return null;
  }
}

function blockHeaderStep({ chain }: Evidence, { header }: ProvedState, steps: Steps): boolean {
  const { blockHash, blockNumber, blockTimestamp } = chain;
  const fits =
    header.hash === blockHash && header.number === blockNumber && header.timestamp === blockTimestamp;
  steps.judge(
    "block header",
    fits,
    `The header hashes to ${blockHash}, and has the number and the time of the evidence.`,
    `The header is of block ${header.number} at ${header.timestamp} and hashes to ${header.hash}; the evidence was read at block ${blockNumber} at ${blockTimestamp}, ${blockHash}.`,
  );
  return fits;
}

function claimsStep(evidence: Evidence, state: ProvedState, steps: Steps): boolean {
  const twice = listedTwice(evidence.quote?.pools ?? []);
  if (twice.length > 0)
    steps.add("pool state", "wrong", `These do not ascend, or appear twice: ${twice.join(", ")}.`);
  const claims = claimsOf(evidence).map((claim) => ({
    ...claim,
    word: state.word(claim.address, claim.key),
  }));
  const unproved = claims.filter(({ word }) => word === undefined);
  if (unproved.length > 0) steps.add("state proof", "wrong", `Nothing proves ${named(unproved)}.`);
  const untrue = claims.filter(({ word, holds }) => word !== undefined && !holds(word));
  const says = (about: Claim["about"]) => named(untrue.filter((claim) => claim.about === about));
  const otherwise = "The chain's state at the block says otherwise";
  for (const about of ABOUT)
    if (says(about) !== "") steps.add(`${about} state`, "wrong", `${otherwise}: ${says(about)}.`);
  return twice.length + unproved.length + untrue.length === 0;
}

const named = (claims: readonly Pick<Claim, "what">[]): string => claims.map(({ what }) => what).join(", ");

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
  const { blockHash, blockNumber, blockTimestamp } = chain;
  if (header.number !== blockNumber) {
    const other = `The saved header is of block ${header.number}, and the evidence was read at block ${blockNumber}.`;
    steps.add("saved header", "unknown", other);
    return;
  }
  steps.judge(
    "saved header",
    header.hash === blockHash && header.timestamp === blockTimestamp,
    `Block ${blockNumber} of the evidence is that of the saved header.`,
    `Block ${blockNumber} hashes to ${header.hash} by the saved header, and to ${blockHash} by the evidence.`,
  );
}
