/**
 * Checks a report again, offline, by no one's word: recomputes the hashes, judges the evidence again,
 * and holds certificate and trade intent, where the document has them, against the evidence.
 */
import { getAddress, recoverAddress } from "ethers";
import { z } from "zod";
import { tradeOf } from "./attest.ts";
import { canonicalHash } from "./canonical.ts";
import {
  certificateFor,
  domainSeparator,
  guardDomain,
  hashCertificate,
  hashIntent,
  typedDataDigest,
  VerificationCertificate,
} from "./certificate.ts";
import { EVIDENCE_SCHEMA, Evidence } from "./evidence.ts";
import { figuresOf } from "./figures.ts";
import { TradeIntent } from "./intent.ts";
import { POLICIES, type Policy } from "./policy.ts";
import { Address, addressOf } from "./primitives.ts";
import { type Registry, registryHash } from "./registry.ts";
import { evaluate, type Report } from "./report.ts";

export type Verdict = "VALID" | "INVALID" | "UNVERIFIABLE";

export interface Step {
  readonly name: string;
  readonly outcome: "ok" | "wrong" | "unknown" | "absent";
  readonly detail: string;
}

export interface Verification {
  readonly verdict: Verdict;
  /** Each thing that was checked, in order. */
  readonly steps: readonly Step[];
  /** The evidence hash as recomputed; null when there is no evidence to hash. */
  readonly evidenceHash: string | null;
}

export interface VerifyOptions {
  /** Policies by definition hash, over the built-in ones. */
  readonly policies?: readonly Policy[];
  /** The registry that the report names, where at hand. */
  readonly registry?: Registry;
  /** The key that the reader trusts; without it the certificate is held against the guard's signer in the evidence. */
  readonly signer?: string;
}

/** A report as it may have been saved: alone, as the answer of prepare-execution, or inside a job. */
const Envelope = z.looseObject({
  report: z.unknown().optional(),
  execution: z.unknown().optional(),
});

const SignedExecution = z.looseObject({
  tradeIntent: z.looseObject({ message: TradeIntent }),
  certificate: z.looseObject({
    domain: z.looseObject({ chainId: z.coerce.number(), verifyingContract: Address }),
    message: VerificationCertificate,
    signature: z.string(),
  }),
});

const Claimed = z.looseObject({ evidenceHash: z.string(), evidence: z.record(z.string(), z.unknown()) });

/**
 * @param document parsed JSON: a report, a prepare-execution answer, or a job with its report
 */
export function verifyReport(document: unknown, options: VerifyOptions = {}): Verification {
  const envelope = Envelope.safeParse(document);
  const enclosed = envelope.success && envelope.data.report !== undefined && envelope.data.report !== null;
  const claimed = Claimed.safeParse(enclosed ? envelope.data.report : document);
  if (!claimed.success)
    return conclude(
      [
        {
          name: "document",
          outcome: "unknown",
          detail: "This is no report: evidence or evidenceHash is missing.",
        },
      ],
      null,
    );

  const steps: Step[] = [];
  const recomputed = hashStep(claimed.data, steps);
  const judged =
    recomputed === claimed.data.evidenceHash ? evaluationSteps(claimed.data, options, steps) : null;
  const execution = enclosed ? (envelope.data.execution ?? null) : null;
  if (judged !== null) certificateSteps(judged, execution, options, steps);
  return conclude(steps, recomputed);
}

function conclude(steps: Step[], evidenceHash: string | null): Verification {
  const outcomes = new Set(steps.map((step) => step.outcome));
  const verdict = outcomes.has("wrong") ? "INVALID" : outcomes.has("unknown") ? "UNVERIFIABLE" : "VALID";
  return { verdict, steps, evidenceHash };
}

const step = (steps: Step[], name: string, right: boolean, ok: string, wrong: string): boolean => {
  steps.push({ name, outcome: right ? "ok" : "wrong", detail: right ? ok : wrong });
  return right;
};

function hashStep(claimed: z.infer<typeof Claimed>, steps: Step[]): string | null {
  let recomputed: string;
  try {
    recomputed = canonicalHash(claimed.evidence);
  } catch (error) {
    steps.push({
      name: "evidence hash",
      outcome: "wrong",
      detail: `The evidence cannot be hashed: ${(error as Error).message}.`,
    });
    return null;
  }
  step(
    steps,
    "evidence hash",
    recomputed === claimed.evidenceHash,
    `The evidence hashes to ${recomputed}, as stated.`,
    `The evidence hashes to ${recomputed}, but the report states ${claimed.evidenceHash}.`,
  );
  return recomputed;
}

interface Judged {
  readonly policy: Policy;
  readonly report: Report;
}

function evaluationSteps(
  claimed: z.infer<typeof Claimed>,
  options: VerifyOptions,
  steps: Step[],
): Judged | null {
  if (claimed.evidence.schema !== EVIDENCE_SCHEMA) {
    steps.push({
      name: "schema",
      outcome: "unknown",
      detail: `The evidence is of the schema ${JSON.stringify(claimed.evidence.schema)}; this program knows ${EVIDENCE_SCHEMA}.`,
    });
    return null;
  }
  const parsed = Evidence.safeParse(claimed.evidence);
  // Parsing also brings text to its canonical form; evidence that is not in it already was not made by us.
  if (!parsed.success || canonicalHash(parsed.data) !== claimed.evidenceHash) {
    const why = parsed.success ? "it is not in canonical form" : z.prettifyError(parsed.error);
    steps.push({
      name: "schema",
      outcome: "wrong",
      detail: `The evidence does not fit ${EVIDENCE_SCHEMA}: ${why}.`,
    });
    return null;
  }
  const evidence = parsed.data;
  const policy = [...(options.policies ?? []), ...POLICIES.values()].find(
    ({ definitionHash }) => definitionHash === evidence.policy.definitionHash,
  );
  if (policy === undefined) {
    steps.push({
      name: "policy",
      outcome: "unknown",
      detail: `No definition at hand hashes to ${evidence.policy.definitionHash} (${evidence.policy.policyId}).`,
    });
    return null;
  }
  step(
    steps,
    "policy",
    policy.definition.policyId === evidence.policy.policyId &&
      policy.definition.version === evidence.policy.version &&
      evidence.intent.policyId === evidence.policy.policyId,
    `${policy.definition.policyId} version ${policy.definition.version}, definition hash ${policy.definitionHash}.`,
    `The definition hash belongs to ${policy.definition.policyId} version ${policy.definition.version}, but the evidence names another policy.`,
  );
  registryStep(evidence, options.registry, steps);

  const { intent, trade, capturedAt } = evidence;
  const figures = figuresOf(policy.definition, intent, trade, evidence, capturedAt);
  step(
    steps,
    "figures",
    canonicalHash(figures) === canonicalHash(evidence.figures) && quoteFitsIntent(evidence),
    "Premium, impact, value and minimum output follow from the facts.",
    "Premium, impact, value or minimum output do not follow from the facts.",
  );

  const report = evaluate(policy, evidence);
  step(
    steps,
    "judgement",
    canonicalHash(report) === safeHash(claimed),
    `Judged again: ${report.decision}, ${report.findings.length} findings alike.`,
    `Judged again the report reads otherwise: ${report.decision}.`,
  );
  return { policy, report };
}

function registryStep(evidence: Evidence, registry: Registry | undefined, steps: Step[]): void {
  if (registry === undefined) {
    steps.push({
      name: "registry",
      outcome: "absent",
      detail: `Registry ${evidence.registry.version} is not at hand; its hash stands in the evidence.`,
    });
    return;
  }
  const fits =
    registryHash(registry) === evidence.registry.hash &&
    canonicalHash(tradeOf(evidence.intent, registry)) === canonicalHash(evidence.trade);
  step(
    steps,
    "registry",
    fits,
    "The registry is the one that the evidence names.",
    "The registry is not the one that the evidence names.",
  );
}

/** The quote is for the intent's amount and from its input to its output. */
function quoteFitsIntent({ quote, intent, chain }: Evidence): boolean {
  if (!intent.inputAssetKey.startsWith(`eip155:${chain.chainId}:`)) return false;
  if (quote === null) return true;
  return (
    quote.amountInRaw === intent.amountInRaw &&
    quote.path[0] === addressOf(intent.inputAssetKey) &&
    quote.path.at(-1) === addressOf(intent.outputAssetKey)
  );
}

/** Members beside the report's own (a job token, say) are no part of what is judged. */
function safeHash(claimed: Record<string, unknown>): string | null {
  const { jobToken: _, ...report } = claimed;
  try {
    return canonicalHash(report);
  } catch {
    return null;
  }
}

function certificateSteps(
  { policy, report }: Judged,
  execution: unknown,
  options: VerifyOptions,
  steps: Step[],
): void {
  if (execution === null) {
    steps.push({ name: "certificate", outcome: "absent", detail: "This document carries no certificate." });
    return;
  }
  const parsed = SignedExecution.safeParse(execution);
  if (!parsed.success) {
    steps.push({
      name: "certificate",
      outcome: "wrong",
      detail: "The execution has no readable trade intent and certificate.",
    });
    return;
  }
  const { tradeIntent, certificate } = parsed.data;
  const { evidence } = report;
  const intent = tradeIntent.message;
  const expected = certificateFor(policy, report, intent);
  step(
    steps,
    "trade intent",
    report.decision === "ALLOW" &&
      intent.owner === evidence.intent.ownerAddress &&
      intent.recipient === evidence.intent.recipientAddress &&
      intent.inputToken === addressOf(evidence.intent.inputAssetKey) &&
      intent.outputToken === addressOf(evidence.intent.outputAssetKey) &&
      intent.amountIn === evidence.intent.amountInRaw &&
      intent.minAmountOut === evidence.figures.minAmountOutRaw &&
      intent.route === evidence.quote?.route &&
      intent.selector === evidence.quote?.selector,
    "The trade intent is the trade that was judged.",
    "The trade intent is not the trade that was judged.",
  );
  step(
    steps,
    "certificate",
    canonicalHash(expected) === canonicalHash(certificate.message) &&
      certificate.message.intentHash === hashIntent(intent),
    "The certificate binds this trade intent, evidence, policy, job and report version.",
    "The certificate binds another trade intent, evidence, policy, job or report version.",
  );
  signatureStep(evidence, certificate, options, steps);
}

function signatureStep(
  evidence: Evidence,
  certificate: z.infer<typeof SignedExecution>["certificate"],
  options: VerifyOptions,
  steps: Step[],
): void {
  const trusted = getAddress(options.signer ?? evidence.guard.signer);
  const domain = guardDomain(evidence.chain.chainId, evidence.guard.address);
  const sameDomain =
    certificate.domain.chainId === domain.chainId &&
    certificate.domain.verifyingContract === domain.verifyingContract;
  let recovered: string | null = null;
  try {
    recovered = recoverAddress(
      typedDataDigest(domainSeparator(domain), hashCertificate(certificate.message)),
      certificate.signature,
    );
  } catch {
    // An unreadable signature recovers to nobody.
  }
  step(
    steps,
    "signature",
    sameDomain && recovered === trusted,
    `Signed by ${trusted}, ${options.signer ? "the key that you trust" : "the guard's signer in the evidence"}.`,
    sameDomain
      ? `Signed by ${recovered ?? "nobody"}, not by ${trusted}.`
      : "The certificate is for another guard or chain than the evidence.",
  );
}
