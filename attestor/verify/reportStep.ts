/**
 * Holds a report against the one that was judged again. What counts signatures depends on which keys a program knows, and
 * issuer and reader need not know the same: keys come with time.
 */
import type { Policy } from "../policies/policy.ts";
import { KNOWN_KEYS, type PublisherKeys } from "../publishers/publisherKeys.ts";
import { checkPriceProof } from "../publishers/publishers.ts";
import { evaluate, type Report } from "../report.ts";
import { differingMembers, type JsonObject, type Steps } from "../steps.ts";
import type { Judged } from "./verifyExecution.ts";

/** Evidence of ours rests on two or three sets of keys; each more doubles what has to be tried. */
const MOST_SETS = 5;

/**
 * @param keys of publishers that the reader knows
 * @returns the report as its issuer judged it, by the keys that the issuer knew: the one that was judged again where the
 *   claim differs otherwise
 */
export function reportStep(
  claimed: JsonObject,
  { policy, report }: Judged,
  keys: PublisherKeys = KNOWN_KEYS,
  steps: Steps,
): Report {
  const differing = differencesOf(claimed, report);
  const alike = ({ decision, findings }: Report) => `${decision}, ${findings.length} findings alike`;
  if (differing.length === 0) {
    steps.add("judgement", "ok", `Judged again: ${alike(report)}.`);
    return report;
  }
  const { known, unknown } = setsIn(report, keys);
  const judgedBy = (sets: readonly string[], isKnown: boolean) =>
    combinations(sets)
      .map((some) => evaluateSupposing(policy, report, keys, new Map(some.map((by) => [by, isKnown]))))
      .find((one) => differencesOf(claimed, one).length === 0);
  const before = judgedBy(known, false);
  if (before !== undefined) {
    const detail = `Judged again as by a program that knows fewer of the publishers' keys than this one: ${alike(before)}.`;
    steps.add("judgement", "ok", detail);
    return before;
  }
  const says = `Judged again: ${report.decision}`;
  const later = judgedBy(unknown, true);
  if (later !== undefined) {
    const detail = `${says}; ${differing.join(", ")} read otherwise, and rest on signatures by keys that this reader does not know (--guardian-sets brings them).`;
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

/** Which sets of keys signed prices of the evidence, by name: those that this reader knows, and those that it does not. */
function setsIn({ evidence }: Report, keys: PublisherKeys) {
  const checks = [...evidence.references, ...evidence.settlement].flatMap(({ proof, onChain }) =>
    proof === null || onChain !== null ? [] : [checkPriceProof(proof, keys, evidence.chain.chainId)],
  );
  const named = (outcome: "signed" | "unknown") => {
    const names = checks.flatMap((check) =>
      check.outcome === outcome && check.by !== null ? [check.by] : [],
    );
    return [...new Set(names)].slice(0, MOST_SETS);
  };
  return { known: named("signed"), unknown: named("unknown") };
}

/** Every selection of these but the empty one. */
function combinations(names: readonly string[]): string[][] {
  const selections = Array.from({ length: 2 ** names.length }, (_, bits) =>
    names.filter((_, place) => bits & (1 << place)),
  );
  return selections.slice(1);
}

/** The judgement of a program that knows other keys. */
function evaluateSupposing(
  policy: Policy,
  { evidence }: Report,
  keys: PublisherKeys,
  suppose: ReadonlyMap<string, boolean>,
): Report {
  return evaluate(policy, evidence, { ...keys, suppose });
}
