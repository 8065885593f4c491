/**
 * Judges the evidence of a document again: its form, policy and registry, whether figures and quote follow from the
 * facts, and whether the report has the same result.
 */
import * as z from "zod";
import { tradeOf } from "../attest.ts";
import { contradictionsIn, isCalendarKnown } from "../evidence/contradictions.ts";
import { EVIDENCE_SCHEMA, Evidence } from "../evidence/evidence.ts";
import { figuresOf } from "../evidence/figures.ts";
import type { Logged } from "../log/verifyLog.ts";
import { POLICY_VERSIONS, type Policy } from "../policies/policy.ts";
import { tighten } from "../policies/tighten.ts";
import type { PoolState } from "../pools/poolState.ts";
import { KNOWN_KEYS, type PublisherKeys } from "../publishers/publisherKeys.ts";
import { type Registry, registryHash } from "../registry.ts";
import { evaluate } from "../report.ts";
import { differingMembers, type JsonObject, type Outcome, REGISTRY, type Steps } from "../steps.ts";
import { canonicalHash } from "../values/canonical.ts";
import { knownGuard, type Trust } from "./issuer.ts";
import { fitsRegistry } from "./registry.ts";
import type { Judged } from "./verifyExecution.ts";
import { priceSteps } from "./verifyPrices.ts";
import { sourcesStep } from "./verifySources.ts";

/** What the reader judges with. */
export interface JudgementOptions extends Trust {
  /** Policies by definition hash, over the built-in ones. */
  readonly policies?: readonly Policy[];
  /** The registry that the report names, where the reader has it. */
  readonly registry?: Registry | undefined;
  /** One that nobody but the service gave: it can contradict, and confirms nothing unless a trusted log commits to it. */
  readonly serviceRegistry?: Registry | undefined;
  /** The signers of prices; by default those that this program knows. */
  readonly publisherKeys?: PublisherKeys | undefined;
}

/** Judges evidence of the stated hash again; null when it cannot be. */
export function judgementSteps(claimed: JsonObject, options: JudgementOptions, steps: Steps): Judged | null {
  const evidence = schemaStep(claimed, steps);
  if (evidence === null) return null;
  const policy = policyStep(evidence, options.policies ?? [], steps);
  if (policy === null) return null;
  const registry = registryFor(evidence, options);
  figuresStep(policy, evidence, steps);
  factsStep(evidence, steps);
  priceSteps(evidence, options.publisherKeys, steps);
  sourcesStep(evidence, registry, options.publisherKeys ?? KNOWN_KEYS, steps);
  return { policy, report: evaluate(policy, evidence) };
}

function schemaStep(claimed: JsonObject, steps: Steps): Evidence | null {
  const named = claimed.schema;
  if (named !== EVIDENCE_SCHEMA) {
    const schema = typeof named === "string" ? JSON.stringify(named) : "not named";
    steps.add(
      "schema",
      "unknown",
      `The evidence's schema is ${schema}; this program knows ${EVIDENCE_SCHEMA} alone.`,
    );
    return null;
  }
  const parsed = Evidence.safeParse(claimed);
  if (parsed.success && canonicalHash(parsed.data) === canonicalHash(claimed)) return parsed.data;
  // Parsing also brings text to its canonical form; evidence that is not in it already was not made by us.
  const why = parsed.success ? "it is not in canonical form" : z.prettifyError(parsed.error);
  steps.add("schema", "wrong", `The evidence does not fit ${named}: ${why}.`);
  return null;
}

function policyStep(evidence: Evidence, more: readonly Policy[], steps: Steps): Policy | null {
  const { policyId, version, definitionHash } = evidence.policy;
  const policy = [...more, ...POLICY_VERSIONS].find((known) => known.definitionHash === definitionHash);
  if (policy === undefined) {
    steps.add("policy", "unknown", `No known definition hashes to ${definitionHash} (${policyId}).`);
    return null;
  }
  const { definition } = policy;
  steps.judge(
    "policy",
    definition.policyId === policyId && definition.version === version,
    `${policyId} version ${version}, definition hash ${definitionHash}.`,
    `The definition hash belongs to ${definition.policyId} version ${definition.version}, but the evidence names ${policyId} version ${version}.`,
  );
  return policy;
}

/** The reader's own, else of the guard's record and the service the first that the evidence names by its hash. */
export function registryFor(evidence: Evidence, options: JudgementOptions): Registry | undefined {
  if (options.registry !== undefined) return options.registry;
  const others = [recordOf(evidence, options)?.registry, options.serviceRegistry];
  return others.find((one) => one !== undefined && registryHash(one) === evidence.registry.hash);
}

const recordOf = ({ chain, guard }: Evidence, trust: Trust) =>
  knownGuard(trust, { chainId: chain.chainId, guard: guard.address });

/** @param logged where a log that the reader trusts has the report: its entry names the registry's hash */
export function registryStep(
  evidence: Evidence,
  options: JudgementOptions,
  logged: Logged | null,
  steps: Steps,
): void {
  const registry = registryFor(evidence, options);
  const record = options.registry === undefined ? recordOf(evidence, options) : undefined;
  const { version, hash } = evidence.registry;
  const held = `The trade's assets and route are those of registry ${version}`;
  const say = (outcome: Outcome, detail: string) => steps.add(REGISTRY, outcome, detail);
  if (registry !== undefined && !registryFits(evidence, registry))
    say(
      "wrong",
      `The given registry (${registry.version}) is not the one of the evidence (${version}), or differs from it.`,
    );
  else if (record?.registry !== undefined && record.registry !== registry)
    say(
      "unknown",
      `The evidence names registry ${version}, ${hash}, and ${record.record} has ${record.registry.version}, ${registryHash(record.registry)}. Registries change with time: name that version with --registry, and do not take it from this document or its service.`,
    );
  else if (registry === undefined)
    say(
      "absent",
      `Registry ${version} is missing: which token is which stock, and whose prices count, is the issuer's word. Name it with --registry.`,
    );
  else if (registry !== options.serviceRegistry) say("ok", `${held}.`);
  else if (logged !== null && (options.logKeys !== undefined || !record?.isServices))
    say("ok", `${held}, by the service, whose log ${logged.origin} commits to it in entry ${logged.index}.`);
  else
    say(
      "absent",
      `${held}, which only the service vouches for: which token is which stock, and whose prices count. Name yours with --registry.`,
    );
}

function registryFits(evidence: Evidence, registry: Registry): boolean {
  const { registry: named, intent, trade } = evidence;
  if (named.hash !== registryHash(registry) || named.version !== registry.version) return false;
  try {
    if (canonicalHash(tradeOf(intent, registry)) !== canonicalHash(trade)) return false;
  } catch {
    // The intent's assets are no pair of this registry.
    return false;
  }
  return fitsRegistry(evidence, registry);
}

function figuresStep({ definition }: Policy, evidence: Evidence, steps: Steps): void {
  const differing = differingMembers(evidence.figures, {
    ...figuresOf(tighten(definition, evidence.intent.limits), evidence),
  });
  steps.judge(
    "figures",
    differing.length === 0,
    "Premium, impact, value and minimum output follow from the facts.",
    `These figures do not follow from the facts: ${differing.join(", ")}.`,
  );
}

type Computed = Evidence & { quote: { pools: readonly PoolState[] } };

function hasPools(evidence: Evidence): evidence is Computed {
  return evidence.quote !== null && evidence.quote.pools !== null;
}

function factsStep(evidence: Evidence, steps: Steps): void {
  const found = contradictionsIn(evidence).map(({ code, params }) => {
    const named = Object.entries(params).map(([name, value]) => `${name} ${value}`);
    return [code, ...named].join(" ");
  });
  steps.judge(
    "facts",
    found.length === 0,
    "The facts do not contradict each other.",
    `These facts cannot be: ${found.join("; ")}.`,
  );
}

/** The chain of local worlds. */
const LOCAL_CHAIN = 31_337;

/** Lists what the evidence says and nothing here can check: it is as reliable as its issuer. */
export function statedStep(evidence: Evidence, steps: Steps): void {
  const { session, chain, token } = evidence;
  // What proofs are named for is said by their own steps.
  const isProved = evidence.proofs !== null;
  const more = [
    ...(hasPools(evidence) ? (isProved ? [] : ["the state of the quoted pools"]) : ["quoted amounts"]),
    ...(isProved && token.layout !== null ? [] : ["shares per token"]),
    "halts",
    "liquidity",
    ...(isProved ? [] : ["the guard's state"]),
    ...(session !== null && !isCalendarKnown(session.source)
      ? [`the market session (by ${session.source}, which is no calendar known here)`]
      : []),
    ...(chain.chainId === LOCAL_CHAIN
      ? [`and who holds the keys of chain ${LOCAL_CHAIN}: those of the local world are published`]
      : []),
  ];
  steps.add(
    "stated",
    "absent",
    `As good as its issuer, and not checked here: prices of the stock and of the settlement token that nobody signed${more.map((one) => `, ${one}`).join("")}.`,
  );
}
