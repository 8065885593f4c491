/**
 * Checks a report again, offline, by no one's word: recomputes the hashes, judges the evidence again, holds every other
 * member of the document against it or lists it as not checked, and asks who issued it. `VALID` needs an issuer whom
 * the reader trusts.
 */
import { z } from "zod";
import { trade1Of, tradeOf } from "./attest.ts";
import { canonicalHash } from "./canonical.ts";
import { contradictionIn } from "./coherence.ts";
import { oddNumberIn, parseDocument } from "./document.ts";
import { EVIDENCE_SCHEMA, Evidence } from "./evidence.ts";
import { EVIDENCE_SCHEMA_1 } from "./evidence1.ts";
import { factContradictions, fitsRegistry, isCalendarKnown } from "./factContradictions.ts";
import { guardSteps, type Issuance, issuerStep, knownGuard, type Standing, type Trust } from "./issuer.ts";
import { figuresAgain, pairOf } from "./judging.ts";
import { POLICY_VERSIONS, type Policy } from "./policy.ts";
import { type Registry, registryHash } from "./registry.ts";
import { evaluate, type Report } from "./report.ts";
import {
  asRecord,
  concluded,
  differingMembers,
  ISSUER,
  type JsonObject,
  type Step,
  Steps,
  type Verdict,
} from "./steps.ts";
import { envelopeSteps } from "./verifyEnvelope.ts";
import { executionSteps, type Judged } from "./verifyExecution.ts";

export interface Verification {
  readonly verdict: Verdict;
  /** Each thing that was checked; what decides the verdict comes first. */
  readonly steps: readonly Step[];
  /**
   * Whether nothing contradicts and nothing was missing but an issuer whom the reader trusts. A report that nobody
   * signed gets no further than this, and anybody can make one.
   */
  readonly isConsistent: boolean;
  /** The evidence hash as recomputed; null when there is no evidence to hash. */
  readonly evidenceHash: string | null;
  /** The report as judged again; null when it could not be. */
  readonly report: Report | null;
  /** Struct hash of the trade intent in the document; null where it has none. */
  readonly intentHash: string | null;
  /** What a certificate whose signature holds says; null without one. Who signed need not be trusted. */
  readonly issuance: Issuance | null;
}

/** Trust in nobody is the default: without `guard`, `signer` or a known deployment the best verdict is UNVERIFIABLE. */
export interface VerifyOptions extends Trust {
  /** Policies by definition hash, over the built-in ones. */
  readonly policies?: readonly Policy[];
  /** The registry that the report names, where at hand. */
  readonly registry?: Registry | undefined;
}

/** `verifyReport` of a document's text, which may be anything. */
export function verifyDocument(text: string, options: VerifyOptions = {}): Verification {
  let document: unknown;
  try {
    document = parseDocument(text);
  } catch (error) {
    return unverifiable("document", `This cannot be read as a report: ${(error as Error).message}.`);
  }
  const odd = oddNumberIn(text);
  const steps = new Steps();
  if (odd !== null)
    steps.add("numbers", "wrong", `Every number of a report is a plain integer, and ${odd} is none.`);
  return verified(document, options, steps);
}

/** A verification that came to nothing. */
export function unverifiable(name: string, detail: string): Verification {
  const steps = new Steps();
  steps.add(name, "unknown", detail);
  return ended(steps, null);
}

/**
 * @param document parsed JSON: a report, with its `execution` or without, a prepare-execution answer, or a job with its
 *   report
 */
export function verifyReport(document: unknown, options: VerifyOptions = {}): Verification {
  return verified(document, options, new Steps());
}

/**
 * A verification to which a chain has added what it says.
 * @param options those of the verification
 * @param steps what was asked of the chain
 * @param standing what the chain says of the key that signed
 */
export function withChain(
  verification: Verification,
  options: VerifyOptions,
  steps: readonly Step[],
  standing: Standing,
): Verification {
  const issuer = new Steps();
  issuerStep(options, verification.issuance, standing, issuer);
  const asked = [
    ...verification.steps.filter(({ name }) => name !== ISSUER),
    ...steps,
    ...issuer.conclude().steps,
  ];
  return { ...verification, ...concluded(asked), isConsistent: isConsistent(asked) };
}

function isConsistent(steps: readonly Step[]): boolean {
  return steps.every(
    ({ name, outcome }) =>
      outcome === "ok" || outcome === "absent" || (name === ISSUER && outcome === "unknown"),
  );
}

function ended(steps: Steps, evidenceHash: string | null): Verification {
  return {
    ...steps.conclude(),
    isConsistent: false,
    evidenceHash,
    report: null,
    intentHash: null,
    issuance: null,
  };
}

function verified(document: unknown, options: VerifyOptions, steps: Steps): Verification {
  const envelope = asRecord(document);
  const claimed = asRecord(envelope?.report) ?? envelope;
  const evidence = asRecord(claimed?.evidence);
  if (!envelope || !claimed || !evidence || typeof claimed.evidenceHash !== "string")
    return unverifiable("document", "This is no report: evidence or evidenceHash is missing.");

  const evidenceHash = hashStep(evidence, claimed.evidenceHash, steps);
  const judged = evidenceHash === claimed.evidenceHash ? judgementSteps(evidence, options, steps) : null;
  if (judged === null) return ended(steps, evidenceHash);
  const { report } = judged;
  reportStep(claimed, report, steps);
  envelopeSteps(envelope, claimed, report, steps);
  statedStep(report.evidence, steps);
  const signed = signedSteps(judged, envelope.execution ?? null, options, steps);
  const conclusion = steps.conclude();
  return {
    ...conclusion,
    isConsistent: isConsistent(conclusion.steps),
    evidenceHash,
    report,
    ...signed,
  };
}

/** Who signed what, and whether the reader has a reason to trust it. */
function signedSteps(
  judged: Judged,
  execution: unknown,
  trust: Trust,
  steps: Steps,
): Pick<Verification, "intentHash" | "issuance"> {
  const { jobId, version, decision, evidence } = judged.report;
  const { guard, chain } = evidence;
  const place = { chainId: chain.chainId, guard: guard.address };
  guardSteps(trust, { ...place, executor: guard.executor }, steps);
  if (execution === null) {
    issuerStep(trust, null, null, steps);
    return { intentHash: null, issuance: null };
  }
  const { intentHash, signer } = executionSteps(judged, execution, steps);
  if (signer === null) return { intentHash, issuance: null };
  const issuance = { ...place, signer, what: `version ${version} of ${jobId}, ${decision}` };
  issuerStep(trust, issuance, null, steps);
  return { intentHash, issuance };
}

/** @returns the hash as recomputed; null for evidence that has none */
function hashStep(evidence: JsonObject, stated: string, steps: Steps): string | null {
  let hash: string;
  try {
    hash = canonicalHash(evidence);
  } catch (error) {
    steps.add("evidence hash", "wrong", `The evidence cannot be hashed: ${(error as Error).message}.`);
    return null;
  }
  steps.judge(
    "evidence hash",
    hash === stated,
    `The evidence hashes to ${hash}, as stated.`,
    `The evidence hashes to ${hash}, but the report states ${stated}.`,
  );
  return hash;
}

/** Judges evidence of the stated hash again; null when it cannot be. */
function judgementSteps(claimed: JsonObject, options: VerifyOptions, steps: Steps): Judged | null {
  const evidence = schemaStep(claimed, steps);
  if (evidence === null) return null;
  const policy = policyStep(evidence, options.policies ?? [], steps);
  if (policy === null) return null;
  registryStep(evidence, registryFor(evidence, options), steps);
  figuresStep(policy, evidence, steps);
  factsStep(evidence, steps);
  return { policy, report: evaluate(policy, evidence) };
}

function schemaStep(claimed: JsonObject, steps: Steps): Evidence | null {
  const named = claimed.schema;
  if (named !== EVIDENCE_SCHEMA && named !== EVIDENCE_SCHEMA_1) {
    const schema = typeof named === "string" ? JSON.stringify(named) : "not named";
    steps.add(
      "schema",
      "unknown",
      `The evidence's schema is ${schema}; this program knows ${EVIDENCE_SCHEMA_1} and ${EVIDENCE_SCHEMA}.`,
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
    steps.add("policy", "unknown", `No definition at hand hashes to ${definitionHash} (${policyId}).`);
    return null;
  }
  const { definition } = policy;
  steps.judge(
    "policy",
    definition.policyId === policyId && definition.version === version,
    `${policyId} version ${version}, definition hash ${definitionHash}.`,
    `The definition hash belongs to ${definition.policyId} version ${definition.version}, but the evidence names ${policyId} version ${version}.`,
  );
  if (pairOf(definition, evidence) !== null) return policy;
  steps.add("policy", "wrong", `${definition.schema} does not judge ${evidence.schema}.`);
  return null;
}

/** The reader's own, else the one of the guard's record, where it is the one that the evidence names. */
function registryFor({ chain, guard, registry }: Evidence, options: VerifyOptions): Registry | undefined {
  if (options.registry !== undefined) return options.registry;
  const known = knownGuard(options, { chainId: chain.chainId, guard: guard.address })?.registry;
  return known !== undefined && registryHash(known) === registry.hash ? known : undefined;
}

function registryStep(evidence: Evidence, registry: Registry | undefined, steps: Steps): void {
  const { version } = evidence.registry;
  if (registry === undefined)
    steps.add("registry", "absent", `Registry ${version} is not at hand; its hash stands in the evidence.`);
  else
    steps.judge(
      "registry",
      registryFits(evidence, registry),
      `The trade's assets and route are those of registry ${version}.`,
      `The registry at hand (${registry.version}) is not the one of the evidence (${version}), or says otherwise.`,
    );
}

function registryFits(evidence: Evidence, registry: Registry): boolean {
  const { registry: named, intent, trade } = evidence;
  if (named.hash !== registryHash(registry) || named.version !== registry.version) return false;
  try {
    const listedTrade = tradeOf(intent, registry);
    const expected = evidence.schema === EVIDENCE_SCHEMA_1 ? trade1Of(listedTrade) : listedTrade;
    if (canonicalHash(expected) !== canonicalHash(trade)) return false;
  } catch {
    // The intent's assets are no pair of this registry.
    return false;
  }
  return fitsRegistry(evidence, registry);
}

function figuresStep({ definition }: Policy, evidence: Evidence, steps: Steps): void {
  const differing = differingMembers(evidence.figures, { ...figuresAgain(definition, evidence) });
  steps.judge(
    "figures",
    differing.length === 0,
    "Premium, impact, value and minimum output follow from the facts.",
    `These figures do not follow from the facts: ${differing.join(", ")}.`,
  );
  const contradiction = contradictionIn(evidence);
  steps.judge("coherence", contradiction === null, "All parts speak of one trade.", `${contradiction}.`);
}

function factsStep(evidence: Evidence, steps: Steps): void {
  const faults = factContradictions(evidence);
  steps.judge(
    "facts",
    faults.length === 0,
    "The facts do not contradict each other.",
    `These facts cannot be: ${faults.join("; ")}.`,
  );
}

/** The chain of local worlds. */
const LOCAL_CHAIN = 31_337;

/** What the evidence says and nothing here can hold against anything: it is as good as who issued it. */
function statedStep({ session, chain }: Evidence, steps: Steps): void {
  const more = [
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
    `As good as its issuer, and not checked here: prices of the stock and of the settlement token, quoted amounts, shares per token, halts, liquidity, the guard's state${more.map((one) => `, ${one}`).join("")}.`,
  );
}

function reportStep(claimed: JsonObject, report: Report, steps: Steps): void {
  const { evidence: _, ...members } = report;
  const differing = differingMembers(claimed, members);
  steps.judge(
    "judgement",
    differing.length === 0,
    `Judged again: ${report.decision}, ${report.findings.length} findings alike.`,
    `Judged again: ${report.decision}, and these members read otherwise: ${differing.join(", ")}.`,
  );
}
