/**
 * Holds a report against the one that was judged again. What counts signatures depends on which guardians a program knows,
 * and issuer and reader need not know the same: sets come with time.
 */
import { signedFinding } from "../checks/signedReferences.ts";
import type { FactCounts } from "../factKinds.ts";
import type { Policy } from "../policies/policy.ts";
import { type GuardianSets, KNOWN_GUARDIAN_SETS } from "../pyth/guardianSets.ts";
import { checkPriceProof } from "../pyth/priceProof.ts";
import { evaluate, type Report } from "../report.ts";
import { differingMembers, type JsonObject, type Steps } from "../steps.ts";
import type { Judged } from "./verifyExecution.ts";

/**
 * @param sets guardian sets that the reader knows
 * @returns the report as its issuer judged it, by the guardians whom the issuer knew: the one that was judged again where
 *   the claim differs otherwise
 */
export function reportStep(
  claimed: JsonObject,
  { policy, report }: Judged,
  sets: GuardianSets = KNOWN_GUARDIAN_SETS,
  steps: Steps,
): Report {
  const differing = differencesOf(claimed, report);
  const alike = ({ decision, findings }: Report) => `${decision}, ${findings.length} findings alike`;
  if (differing.length === 0) {
    steps.add("judgement", "ok", `Judged again: ${alike(report)}.`);
    return report;
  }
  const before = judgedBefore(claimed, policy, report, sets);
  if (before !== undefined) {
    const detail = `Judged again as by a program that knows fewer of Pyth's guardians than this one: ${alike(before)}.`;
    steps.add("judgement", "ok", detail);
    return before;
  }
  const later = judgedLater(claimed, policy, report, sets);
  const says = `Judged again: ${report.decision}`;
  if (later !== undefined) {
    const detail = `${says}; ${differing.join(", ")} read otherwise, and rest on signatures of guardians whom this reader does not know (--guardian-sets brings them).`;
    steps.add("judgement", "unknown", detail);
    return later;
  }
  steps.add("judgement", "wrong", `${says}, and these members read otherwise: ${differing.join(", ")}.`);
  return report;
}

function differencesOf(claimed: JsonObject, report: Report): string[] {
  const { evidence: _, ...members } = report;
  return differingMembers(claimed, members);
}

/** As a program judged that knew none of the newest sets. */
function judgedBefore(claimed: JsonObject, policy: Policy, { evidence }: Report, sets: GuardianSets) {
  const oldestFirst = [...sets].sort((a, b) => a.index - b.index);
  return oldestFirst
    .map((_, count) => evaluate(policy, evidence, oldestFirst.slice(0, count)))
    .find((report) => differencesOf(claimed, report).length === 0);
}

/** As a program may have judged that could check what this one cannot: each such price may count as signed there. */
function judgedLater(claimed: JsonObject, policy: Policy, report: Report, sets: GuardianSets) {
  const unknown = unknownProofs(report, sets);
  const more = Array.from({ length: unknown }, (_, index) => index + 1);
  const facts = more.map((count) => moreFacts(report.facts, count));
  const judged = [0, ...more].map((count) => moreSigned(policy, report, count));
  return judged
    .flatMap((one) => facts.map((counts): Report => ({ ...one, facts: counts })))
    .find((one) => differencesOf(claimed, one).length === 0);
}

function unknownProofs({ evidence }: Report, sets: GuardianSets): number {
  return [...evidence.references, ...evidence.settlement].filter(
    ({ proof, onChain }) =>
      proof !== null &&
      onChain === null &&
      checkPriceProof(proof, sets, evidence.chain.chainId).outcome === "unknown",
  ).length;
}

/** What is signed to somebody else is stated here. */
function moreFacts({ signed, stated, ...counts }: FactCounts, count: number): FactCounts {
  return { ...counts, signed: signed + count, stated: stated - count };
}

/** The report with so many more signed prices among those that count. */
function moreSigned({ definition }: Policy, report: Report, count: number): Report {
  const { evidence } = report;
  if (count === 0) return report;
  const findings = report.findings.map((finding) =>
    finding.check === "signed-references"
      ? { ...finding, ...signedFinding(definition, evidence, Number(finding.observed) + count) }
      : finding,
  );
  const isAllowed = findings.every(({ outcome }) => outcome === "pass");
  return { ...report, findings, decision: isAllowed ? "ALLOW" : "DENY" };
}
