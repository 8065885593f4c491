/**
 * The issuer of a document, and whether the reader may trust it. Trust comes from the reader alone: from a guard or a
 * key that the reader names, or from deployments that the reader's own program knows. A document's own statements
 * about its guard and signer are never a reason to trust it.
 */
import { checksumAddress, executorOf } from "../evm/address.ts";
import type { VerifierKey } from "../log/note.ts";
import type { Logged } from "../log/verifyLog.ts";
import type { Registry } from "../registry.ts";
import { ISSUER, type Steps } from "../steps.ts";
import { orElse } from "../values/orElse.ts";

/** A guard, named by who trusts it. */
export interface GuardName {
  readonly chainId: number;
  readonly address: string;
}

/** An attestation key as a deployment's record knows it. */
export interface KnownKey {
  readonly address: string;
  /** Unix seconds when the guard stopped naming it; null for the present key. */
  readonly endedAt: number | null;
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

/** Where the reader's trust comes from. Without any of them nothing is VALID. */
export interface Trust {
  /** The guard that the reader uses. A document of another one is INVALID. */
  readonly guard?: GuardName | undefined;
  /** The attestation key that the reader trusts. A document that another one signed is INVALID. */
  readonly signer?: string | undefined;
  /** Guards that the reader's program knows by itself. */
  readonly known?: readonly KnownGuard[];
  /** Keys of decision logs that the reader trusts. */
  readonly logKeys?: readonly VerifierKey[];
  /** Witnesses of decision logs whose signature the reader asks for. */
  readonly witnessKeys?: readonly VerifierKey[];
}

/** What the chain says about the key that signed, where it was asked. */
export type Standing =
  /** The guard names the key, and named it at the evidence's block. */
  | { readonly kind: "current" }
  /** The guard named it at the evidence's block and no longer does. `executed`: the guard carried out this very trade. */
  | { readonly kind: "former"; readonly executed: boolean }
  /** The chain could not be asked, or contradicts the document; another step says so. */
  | { readonly kind: "unsettled" };

/** A certificate whose signature holds. */
export interface Issuance {
  readonly chainId: number;
  readonly guard: string;
  /** The key that signed. */
  readonly signer: string;
  /** `version 2 of job_1, ALLOW`: what was issued. */
  readonly what: string;
}

const UNSIGNED =
  "It is consistent, but nobody signed it, so anybody could have made it up: ask for the prepared trade, or for the report version that carries its execution.";

export function knownGuard(trust: Trust, { chainId, guard }: { chainId: number; guard: string }) {
  return (trust.known ?? []).find((known) => known.chainId === chainId && sameAddress(known.address, guard));
}

interface Place {
  readonly chainId: number;
  readonly guard: string;
  readonly executor: string;
}

/** Holds the guard that a report names against the one that the reader named, and its executor against its address. */
export function guardSteps(trust: Trust, { chainId, guard, executor }: Place, steps: Steps): void {
  if (trust.guard !== undefined)
    steps.judge(
      "guard",
      trust.guard.chainId === chainId && sameAddress(trust.guard.address, guard),
      `It is about the guard that you named, ${guard} on chain ${chainId}.`,
      `It is about the guard ${guard} on chain ${chainId}, and you named ${trust.guard.address} on chain ${trust.guard.chainId}.`,
    );
  if (!sameAddress(executorOf(guard), executor))
    steps.add(
      "guard",
      "wrong",
      `The guard ${guard} created the executor ${executorOf(guard)}, and the report names ${executor}.`,
    );
}

/**
 * The step that decides between VALID and UNVERIFIABLE.
 * @param issuance null where nothing is signed
 * @param standing null where the chain was not asked
 * @param logged where a log that the reader trusts has the report; null: in none. The report names the key that signed, so
 *   who trusts the log's word for the report has it for the key
 */
export function issuerStep(
  trust: Trust,
  issuance: Issuance | null,
  standing: Standing | null,
  steps: Steps,
  logged: Logged | null = null,
): void {
  if (issuance === null) {
    if (logged === null) steps.add(ISSUER, "unknown", UNSIGNED);
    else
      steps.add(
        ISSUER,
        "ok",
        `Issued by the decision log ${logged.origin}, which you trust, as its entry ${logged.index}; no trade was certified with it.`,
      );
    return;
  }
  const { signer, guard, chainId, what } = issuance;
  if (trust.signer !== undefined && !sameAddress(trust.signer, signer)) {
    steps.add(ISSUER, "wrong", `It was signed by ${signer}, and not by ${trust.signer}, which you trust.`);
    return;
  }
  const reason = reasonToTrust(trust, issuance, standing, logged);
  if ("missing" in reason) steps.add(ISSUER, "unknown", `Issued by ${signer}, ${reason.missing}`);
  else
    steps.add(
      ISSUER,
      "ok",
      `Issued by ${signer}, ${reason.because}, for the guard ${guard} on chain ${chainId}: ${what}.`,
    );
}

type Reason = { readonly because: string } | { readonly missing: string };

function reasonToTrust(
  trust: Trust,
  issuance: Issuance,
  standing: Standing | null,
  logged: Logged | null,
): Reason {
  const record = knownGuard(trust, issuance);
  if (trust.guard === undefined && trust.signer === undefined && record === undefined && logged === null)
    return {
      missing:
        "and nothing says that you may trust this key: name your guard with --guard <chainId>:<address>, or its attestation key with --signer 0x…. Take neither from this document.",
    };
  const key = record?.keys.findLast(({ address }) => sameAddress(address, issuance.signer));
  const by =
    trust.signer !== undefined
      ? "the key that you trust"
      : trust.guard !== undefined
        ? "the key of the guard that you named"
        : record !== undefined
          ? `the key that ${record.record} gives for its guard`
          : wordOf(logged);
  if (standing !== null && standing.kind !== "unsettled") return reasonOnChain(standing, by);
  if (key !== undefined && key.endedAt !== null)
    return {
      missing: `a key that is no longer the guard's (by ${record?.record}) and could backdate: ask ${standing === null ? "a" : "another"} node with --rpc URL whether the guard executed this very trade.`,
    };
  if (trust.signer !== undefined || key !== undefined) return { because: by };
  if (logged !== null) return { because: wordOf(logged) };
  if (standing !== null)
    return {
      missing:
        "and whether that is a key of the guard could not be settled: try another node with --rpc URL, or name the key with --signer 0x….",
    };
  if (record !== undefined && record.keys.length > 0)
    return {
      missing: `a key that ${record.record} does not know. It may be newer than the record: ask a node for the guard's key with --rpc URL, or name it with --signer 0x….`,
    };
  return {
    missing:
      "and which keys the guard that you named has is not known offline: ask a node with --rpc URL, or name the key with --signer 0x….",
  };
}

const wordOf = (logged: Logged | null): string =>
  `the guard's key by entry ${logged?.index} of the decision log ${logged?.origin}, which you trust`;

function reasonOnChain(standing: Exclude<Standing, { kind: "unsettled" }>, by: string): Reason {
  if (standing.kind === "current") return { because: `${by}, which the guard names today` };
  if (standing.executed)
    return { because: `${by} until it was replaced, in time, as the guard executed this very trade` };
  return {
    missing:
      "a key that is no longer the guard's and could backdate, and the guard shows no event of this very trade: ask for a new report.",
  };
}

/** Whether two texts are one address, in whichever case. */
export function sameAddress(one: string, other: string): boolean {
  return orElse(() => checksumAddress(one) === checksumAddress(other), false);
}
