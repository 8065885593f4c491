/** A vector of a document: what somebody hands to a verifier, what the reader has, and what comes of it. */
import { parseVkey } from "../../attestor/log/note.ts";
import { type PolicyDefinition, parsePolicies } from "../../attestor/policies/policy.ts";
import { readHeader } from "../../attestor/proofs/header.ts";
import { parseRegistry, type Registry } from "../../attestor/registry.ts";
import type { ChainFindings, KnownGuard, Reader } from "../../attestor/verify/trust.ts";
import type { Outcome, Verdict } from "../../attestor/verify/verification.ts";
import { verifyDocument } from "../../attestor/verify/verify.ts";

export interface DocumentVector {
  readonly name: string;
  /** As it is read: text, since some of it is not JSON. */
  readonly document: string;
  readonly trust: Trust;
  readonly verdict: Verdict;
  /** The verdict of the same reader who is strict. */
  readonly strictVerdict: Verdict;
  /** All eleven, by their outcome, where the reader is not strict. */
  readonly steps: Readonly<Record<Outcome, readonly string[]>>;
}

/** What the reader has, as plain JSON; docs/vectors explains each member. */
export interface Trust {
  readonly guard?: Reader["guard"];
  readonly signer?: string | undefined;
  readonly records?: readonly TrustedRecord[] | undefined;
  readonly logKeys?: readonly string[] | undefined;
  readonly witnessKeys?: readonly string[] | undefined;
  readonly policies?: readonly PolicyDefinition[];
  readonly registry?: Registry | undefined;
  /** RLP. */
  readonly header?: string | undefined;
  readonly samples?: unknown;
  readonly servicePolicies?: readonly PolicyDefinition[];
  readonly serviceRegistry?: Registry | undefined;
  readonly chain?: ChainFindings | undefined;
}

export interface TrustedRecord extends Omit<KnownGuard, "logKeys"> {
  readonly logKeys?: readonly string[] | undefined;
}

/** The question of a vector, without its answer. */
export type Candidate = Pick<DocumentVector, "name" | "document" | "trust">;

export function vectorOf({ name, document, trust }: Candidate): DocumentVector {
  const reader = readerOf(trust);
  const { verdict, steps } = verifyDocument(document, reader);
  const named = (outcome: Outcome) =>
    steps.filter((step) => step.outcome === outcome).map((step) => step.name);
  return {
    name,
    document,
    trust,
    verdict,
    strictVerdict: verifyDocument(document, { ...reader, strict: true }).verdict,
    steps: {
      wrong: named("wrong"),
      unknown: named("unknown"),
      ok: named("ok"),
      "not asked": named("not asked"),
    },
  };
}

/** The reader as the attestor takes it. */
export function readerOf(trust: Trust): Reader {
  const { guard, signer, records, logKeys, witnessKeys, policies, servicePolicies, samples, chain } = trust;
  const registryIn = (given: Registry | undefined) =>
    given === undefined ? undefined : parseRegistry(given);
  const header = trust.header === undefined ? undefined : readHeader(trust.header);
  if (header === null) throw new Error("the reader's header is not the RLP of one");
  return {
    guard,
    signer,
    known: records?.map((record) => ({
      ...record,
      registry: registryIn(record.registry),
      logKeys: record.logKeys?.map(parseVkey),
    })),
    logKeys: logKeys?.map(parseVkey),
    witnessKeys: witnessKeys?.map(parseVkey),
    policies: policies && parsePolicies(policies),
    registry: registryIn(trust.registry),
    header,
    samples,
    servicePolicies: servicePolicies && parsePolicies(servicePolicies),
    serviceRegistry: registryIn(trust.serviceRegistry),
    chain,
  };
}
