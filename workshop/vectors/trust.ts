/** What the reader of a vector has, as plain JSON; docs/vectors explains each member. */
import { parseVkey } from "../../attestor/log/note.ts";
import { type PolicyDefinition, parsePolicies } from "../../attestor/policies/policy.ts";
import { readHeader } from "../../attestor/proofs/header.ts";
import { parseRegistry, type Registry } from "../../attestor/registry.ts";
import type { ChainFindings, KnownGuard, Reader } from "../../attestor/verify/trust.ts";

export interface TrustedRecord extends Omit<KnownGuard, "logKeys"> {
  readonly logKeys?: readonly string[] | undefined;
}

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
