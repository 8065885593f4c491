import { type Fact, factsOf } from "../factKinds.ts";
import type { ServedTree } from "../log/served.ts";
import type { Logged, LogReader } from "../log/verifyLog.ts";
import type { Header } from "../proofs/header.ts";
import type { Report } from "../report.ts";
import {
  asRecord,
  concluded,
  ISSUER,
  type JsonObject,
  READ_AGAIN,
  type Step,
  Steps,
  type Verdict,
} from "../steps.ts";
import { canonicalHash } from "../values/canonical.ts";
import { oddNumberIn, parseDocument } from "./document.ts";
import { guardSteps, type Issuance, issuerStep, knownGuard, type Standing, type Trust } from "./issuer.ts";
import { logStep } from "./logStep.ts";
import { reportStep } from "./reportStep.ts";
import { PROVED, provedStep, stateStep } from "./stateStep.ts";
import { envelopeSteps } from "./verifyEnvelope.ts";
import { executionSteps, type Judged } from "./verifyExecution.ts";
import { type JudgementOptions, judgementSteps, registryStep, statedStep } from "./verifyJudgement.ts";
import { samplesStep } from "./verifySources.ts";

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
  /** What each fact of the evidence rests on, as this reader can tell; empty without evidence that could be judged. */
  readonly facts: readonly Fact[];
  /** Struct hash of the trade intent in the document; null where it has none. */
  readonly intentHash: string | null;
  /** Unix seconds until when the guard carries the trade out; null where the document has no execution. */
  readonly executableUntil: number | null;
  /** Where a decision log that the reader trusts has the report; null: in none. */
  readonly logged: Logged | null;
  /** What a certificate with a valid signature says; null without one. Its signer may be untrusted. */
  readonly issuance: Issuance | null;
}

/** Trust in nobody is the default: without `guard`, `signer` or a known deployment the best verdict is UNVERIFIABLE. */
export interface VerifyOptions extends JudgementOptions {
  /** Of the evidence's block, where the reader has it from the chain. */
  readonly header?: Header | undefined;
  /** Whether what is not checked and could be leaves the document UNVERIFIABLE. */
  readonly strict?: boolean | undefined;
  /** The batch of liquidity samples that the evidence names, as parsed JSON, where the reader has it. */
  readonly samples?: unknown;
  /** What the log's service serves, where it was asked about the checkpoint of the report's proof. */
  readonly served?: ServedTree | null | undefined;
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
  issuerStep(options, verification.issuance, standing, issuer, verification.logged);
  const before = verification.steps.filter(({ name }) => name !== ISSUER && name !== READ_AGAIN);
  const all = [
    ...before.map((step) => settled(step, verification, steps)),
    ...steps,
    ...issuer.conclude().steps,
  ];
  const asked = strictly(all, options, verification.report);
  return { ...verification, ...concluded(asked), isConsistent: isConsistent(asked) };
}

/** Steps that are `absent` where there is nothing that a reader could check, or nothing that rests on it. */
const NOTHING_TO_CHECK: readonly string[] = ["stated", "not checked", "calls", "code", "trade"];

function strictly(
  steps: readonly Step[],
  { strict = false }: VerifyOptions,
  report: Report | null,
): readonly Step[] {
  const exempt = (name: string) =>
    NOTHING_TO_CHECK.includes(name) || (name === "proofs" && report?.evidence.proofs === null);
  return strict
    ? steps.map((step) =>
        step.outcome === "absent" && !exempt(step.name) ? { ...step, outcome: "unknown" } : step,
      )
    : steps;
}

/** What has no step where it is not given. */
function skippedSteps(
  { evidence: { liquidity } }: Report,
  facts: readonly Fact[],
  { samples }: VerifyOptions,
  steps: Steps,
): void {
  const root = liquidity?.samplesRoot ?? null;
  if (root !== null && samples === undefined)
    steps.add("samples", "unknown", `Missing: the samples that hash to ${root}. Name them with --samples.`);
  const observed = facts.filter(({ kind }) => kind === "observed").map(({ name }) => name);
  if (observed.length > 0)
    steps.add(READ_AGAIN, "unknown", `Not read again: ${observed.join(", ")}. Name a node with --rpc.`);
}

/** What was proved on condition of the block is proved without one where the chain has the block. */
function settled(step: Step, { report }: Verification, asked: readonly Step[]): Step {
  const isOfChain = asked.some(({ name, outcome }) => name === "block" && outcome === "ok");
  if (step.name !== PROVED || !isOfChain || report === null) return step;
  return provedStep(report.evidence, "the RPC");
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
    facts: [],
    intentHash: null,
    executableUntil: null,
    logged: null,
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
  const { policy, report } = judged;
  reportStep(claimed, report, steps);
  const isOptional = policy.definition.evidence.quoteProof === "optional";
  const reading = { header: options.header, isOptional };
  const isProved = stateStep(report.evidence, claimed.proofs, reading, steps);
  envelopeSteps(envelope, claimed, report, steps);
  samplesStep(report.evidence, options.samples, steps);
  statedStep(report.evidence, steps);
  const logged = logStep(claimed, report, logTrust(options, report), steps);
  registryStep(report.evidence, options, logged, steps);
  const signed = signedSteps(judged, envelope.execution ?? null, options, steps, logged);
  const facts = factsOf(report.evidence, isProved);
  if (options.strict) skippedSteps(report, facts, options, steps);
  const conclusion = concluded(strictly(steps.conclude().steps, options, report));
  return {
    ...conclusion,
    isConsistent: isConsistent(conclusion.steps),
    evidenceHash,
    report,
    facts,
    logged,
    ...signed,
  };
}

/** The logs that the reader named, else those of the guard's record. */
function logTrust(trust: VerifyOptions, { evidence: { chain, guard } }: Report): LogReader {
  const known = knownGuard(trust, { chainId: chain.chainId, guard: guard.address });
  const { logKeys, witnessKeys } = trust;
  const isNamed = logKeys !== undefined || witnessKeys !== undefined;
  return {
    logs: logKeys ?? known?.logKeys ?? [],
    witnesses: witnessKeys ?? [],
    isNamed,
    served: trust.served,
  };
}

/** The signer of each part, and whether the reader has a reason to trust it. */
function signedSteps(judged: Judged, execution: unknown, trust: Trust, steps: Steps, logged: Logged | null) {
  const { jobId, version, decision, evidence } = judged.report;
  const { guard, chain } = evidence;
  const place = { chainId: chain.chainId, guard: guard.address };
  guardSteps(trust, { ...place, executor: guard.executor }, steps);
  if (execution === null) {
    issuerStep(trust, null, null, steps, logged);
    return { intentHash: null, executableUntil: null, issuance: null };
  }
  const { signer, ...executable } = executionSteps(judged, execution, steps);
  if (signer === null) return { ...executable, issuance: null };
  const issuance = { ...place, signer, what: `version ${version} of ${jobId}, ${decision}` };
  issuerStep(trust, issuance, null, steps, logged);
  return { ...executable, issuance };
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
