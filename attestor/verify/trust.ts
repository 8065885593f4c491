/** What a reader knows and trusts. Without any of it nothing is VALID; nothing in a document is a reason to trust it. */
import { checksumAddress } from "../evm/address.ts";
import type { VerifierKey } from "../log/note.ts";
import type { ServedTree } from "../log/served.ts";
import type { Policy } from "../policies/policy.ts";
import type { Header } from "../proofs/header.ts";
import type { PublisherKeys } from "../publishers/publisherKeys.ts";
import type { Registry } from "../registry.ts";
import type { Fault } from "../values/fault.ts";
import { orElse } from "../values/orElse.ts";
import type { UnixSeconds } from "../values/time.ts";

export interface GuardName {
  readonly chainId: number;
  readonly address: string;
}

/** An attestation key as a deployment's record knows it. */
export interface KnownKey {
  readonly address: string;
  /** Unix seconds when the guard stopped naming it; null for the present key. */
  readonly endedAt: UnixSeconds | null;
}

/** A guard that the reader's own program has a record of. */
export interface KnownGuard extends GuardName {
  /** What to call the record: `deployments/56.json`. */
  readonly record: string;
  /** Oldest first; empty where the record names none. */
  readonly keys: readonly KnownKey[];
  readonly registry?: Registry;
  /** keccak256 of the guard's code. */
  readonly codeHash?: string;
  readonly deployedAtBlock?: number;
  /** Keys of the decision log of the guard's service. */
  readonly logKeys?: readonly VerifierKey[];
  /** What the service says of itself: its log commits to nothing for who has the log's key from it. */
  readonly isServices?: boolean;
}

/** What the chain says about the key that signed, where it was asked. */
export type Standing =
  /** The guard names the key, and named it at the evidence's block. */
  | { readonly kind: "current" }
  /** The guard named it at the evidence's block and no longer does. `executed`: the guard carried out this very trade. */
  | { readonly kind: "former"; readonly executed: boolean }
  /** The chain could not be asked, or contradicts the document, which step `chain` tells. */
  | { readonly kind: "unsettled" };

/** The trade of the report, as the guard's event tells it. */
export interface ExecutedTrade {
  readonly transactionHash: string;
  readonly blockNumber: number;
  /** Raw units, decimal. */
  readonly amountSpent: string;
  readonly amountOut: string;
}

export interface ChainFindings {
  /** What the node says against the document, or did not say. */
  readonly faults: readonly Fault[];
  /** What could not be looked at: the node no longer has it, or nobody knows what it should be. */
  readonly trusted: readonly Fault[];
  /** Whether the evidence's block is the chain's. */
  readonly hasBlock: boolean;
  readonly standing: Standing;
  /** The execution of this very trade; null: the node shows none. */
  readonly executed: ExecutedTrade | null;
}

export interface Reader {
  /** The guard that the reader uses. A document of another one is INVALID. */
  readonly guard?: GuardName | undefined;
  /** The attestation key that the reader trusts. A document that another one signed is INVALID. */
  readonly signer?: string | undefined;
  /** Guards that the reader's program knows by itself. */
  readonly known?: readonly KnownGuard[];
  /** Keys of decision logs that the reader trusts. A document without an entry in one of them is UNVERIFIABLE. */
  readonly logKeys?: readonly VerifierKey[];
  /** Witnesses of decision logs whose signature the reader asks for. */
  readonly witnessKeys?: readonly VerifierKey[];
  /** Policies that the reader vouches for, beside the published ones. */
  readonly policies?: readonly Policy[];
  /** The registry that the report names. */
  readonly registry?: Registry | undefined;
  /** The signers of prices; by default those that this program knows. */
  readonly publisherKeys?: PublisherKeys | undefined;
  /** Of the evidence's block, where the reader has it from the chain. */
  readonly header?: Header | undefined;
  /** The batch of liquidity samples that the evidence names, as parsed JSON. */
  readonly samples?: unknown;
  /** Whether what could be checked and is not leaves the document UNVERIFIABLE. */
  readonly strict?: boolean | undefined;

  /** Policies that nobody but the service gave: a report that is judged by one rests on its word. */
  readonly servicePolicies?: readonly Policy[];
  /** A registry that nobody but the service gave: it can contradict, and confirms nothing unless a trusted log commits to it. */
  readonly serviceRegistry?: Registry | undefined;
  /** What the log's service serves, where it was asked about the checkpoint of the report's proof. */
  readonly served?: ServedTree | null | undefined;
  /** What a node of the reader's says of the report, where it was asked. */
  readonly chain?: ChainFindings | undefined;
}

export function knownGuard(
  { known = [] }: Pick<Reader, "known">,
  { chainId, address }: GuardName,
): KnownGuard | undefined {
  return known.find((one) => one.chainId === chainId && sameAddress(one.address, address));
}

/** Whether two texts are one address, in whichever case. */
export function sameAddress(one: string, other: string): boolean {
  return orElse(() => checksumAddress(one) === checksumAddress(other), false);
}
