/**
 * Checks a report again, offline, by no one's word: recomputes the hashes, judges the evidence again,
 * and holds what is to be executed, where the document has it, against the evidence.
 */
import { z } from "zod";
import { tradeOf } from "./attest.ts";
import { canonicalHash } from "./canonical.ts";
import { contradictionIn } from "./coherence.ts";
import { parseDocument } from "./document.ts";
import { EVIDENCE_SCHEMA, Evidence } from "./evidence.ts";
import { figuresOf } from "./figures.ts";
import { POLICIES, type Policy } from "./policy.ts";
import { type Registry, registryHash } from "./registry.ts";
import { evaluate, Report } from "./report.ts";
import { asRecord, differingMembers, type JsonObject, type Step, Steps, type Verdict } from "./steps.ts";
import { executionSteps, type Judged } from "./verifyExecution.ts";

export interface Verification {
  readonly verdict: Verdict;
  /** Each thing that was checked, in order. */
  readonly steps: readonly Step[];
  /** The evidence hash as recomputed; null when there is no evidence to hash. */
  readonly evidenceHash: string | null;
  /** The report as judged again; null when it could not be. */
  readonly report: Report | null;
  /** Struct hash of the trade intent in the document; null where it has none. */
  readonly intentHash: string | null;
}

export interface VerifyOptions {
  /** Policies by definition hash, over the built-in ones. */
  readonly policies?: readonly Policy[];
  /** The registry that the report names, where at hand. */
  readonly registry?: Registry;
  /**
   * The key that the reader trusts. Without it the certificate is held against the guard's signer in
   * the evidence; with it a document that carries no certificate is UNVERIFIABLE.
   */
  readonly signer?: string;
}

/** `verifyReport` of a document's text, which may be anything. */
export function verifyDocument(text: string, options: VerifyOptions = {}): Verification {
  try {
    return verifyReport(parseDocument(text), options);
  } catch (error) {
    return unverifiable("document", `This cannot be read as a report: ${(error as Error).message}.`);
  }
}

/** A verification that came to nothing. */
export function unverifiable(name: string, detail: string): Verification {
  const steps = new Steps();
  steps.add(name, "unknown", detail);
  return { ...steps.conclude(), evidenceHash: null, report: null, intentHash: null };
}

/**
 * @param document parsed JSON: a report, a prepare-execution answer, or a job with its report
 */
export function verifyReport(document: unknown, options: VerifyOptions = {}): Verification {
  const envelope = asRecord(document);
  const claimed = asRecord(envelope?.report) ?? envelope;
  const evidence = asRecord(claimed?.evidence);
  if (!envelope || !claimed || !evidence || typeof claimed.evidenceHash !== "string")
    return unverifiable("document", "This is no report: evidence or evidenceHash is missing.");

  const steps = new Steps();
  const evidenceHash = hashStep(evidence, claimed.evidenceHash, steps);
  const judged = evidenceHash === claimed.evidenceHash ? judgementSteps(evidence, options, steps) : null;
  if (judged === null) return { ...steps.conclude(), evidenceHash, report: null, intentHash: null };
  reportStep(claimed, judged.report, steps);
  if (envelope !== claimed) envelopeStep(envelope, judged.report, steps);
  const intentHash = executionSteps(judged, envelope.execution ?? null, options.signer, steps);
  return { ...steps.conclude(), evidenceHash, report: judged.report, intentHash };
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
  registryStep(evidence, options.registry, steps);
  figuresStep(policy, evidence, steps);
  return { policy, report: evaluate(policy, evidence) };
}

function schemaStep(claimed: JsonObject, steps: Steps): Evidence | null {
  if (claimed.schema !== EVIDENCE_SCHEMA) {
    const schema = typeof claimed.schema === "string" ? JSON.stringify(claimed.schema) : "not named";
    steps.add(
      "schema",
      "unknown",
      `The evidence's schema is ${schema}; this program knows ${EVIDENCE_SCHEMA}.`,
    );
    return null;
  }
  const parsed = Evidence.safeParse(claimed);
  if (parsed.success && canonicalHash(parsed.data) === canonicalHash(claimed)) return parsed.data;
  // Parsing also brings text to its canonical form; evidence that is not in it already was not made by us.
  const why = parsed.success ? "it is not in canonical form" : z.prettifyError(parsed.error);
  steps.add("schema", "wrong", `The evidence does not fit ${EVIDENCE_SCHEMA}: ${why}.`);
  return null;
}

function policyStep(evidence: Evidence, more: readonly Policy[], steps: Steps): Policy | null {
  const { policyId, version, definitionHash } = evidence.policy;
  const policy = [...more, ...POLICIES.values()].find((known) => known.definitionHash === definitionHash);
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
  return policy;
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

function registryFits({ registry: named, intent, trade, quote }: Evidence, registry: Registry): boolean {
  if (named.hash !== registryHash(registry) || named.version !== registry.version) return false;
  const listed = ({ address, selector }: { address: string; selector: string }) =>
    address === quote?.route && selector === quote.selector;
  try {
    if (canonicalHash(tradeOf(intent, registry)) !== canonicalHash(trade)) return false;
  } catch {
    // The intent's assets are no pair of this registry.
    return false;
  }
  return quote === null || registry.routes.some(listed);
}

function figuresStep({ definition }: Policy, evidence: Evidence, steps: Steps): void {
  const { intent, trade, capturedAt } = evidence;
  const figures = figuresOf(definition, intent, trade, evidence, capturedAt);
  const differing = differingMembers(evidence.figures, figures);
  steps.judge(
    "figures",
    differing.length === 0,
    "Premium, impact, value and minimum output follow from the facts.",
    `These figures do not follow from the facts: ${differing.join(", ")}.`,
  );
  const contradiction = contradictionIn(evidence);
  steps.judge("coherence", contradiction === null, "All parts speak of one trade.", `${contradiction}.`);
}

function reportStep(claimed: JsonObject, report: Report, steps: Steps): void {
  const { evidence: _, ...members } = report;
  const differing = differingMembers(claimed, members);
  // Members beside the report's own (a job token, say) are no part of what was judged.
  const beside = Object.keys(claimed).filter((name) => !Object.hasOwn(Report.shape, name));
  const note = beside.length === 0 ? "" : ` Not part of a report and not judged: ${beside.join(", ")}.`;
  steps.judge(
    "judgement",
    differing.length === 0,
    `Judged again: ${report.decision}, ${report.findings.length} findings alike.${note}`,
    `Judged again: ${report.decision}, and these members read otherwise: ${differing.join(", ")}.`,
  );
}

/** What stands around a report in a job or a prepare-execution answer names the same report. */
function envelopeStep(envelope: JsonObject, { jobId, version }: Report, steps: Steps): void {
  const expected = { jobId, reportVersion: version };
  const present = Object.fromEntries(
    Object.entries(expected).filter(([name]) => envelope[name] !== undefined),
  );
  const differing = differingMembers(envelope, present);
  steps.judge(
    "envelope",
    differing.length === 0,
    "The document around the report names the same job.",
    `The document around the report disagrees with it: ${differing.join(", ")}.`,
  );
}
