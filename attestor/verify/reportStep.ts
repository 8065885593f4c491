/**
 * Holds a report against the one that was judged again. What counts signatures depends on which keys a program knows, and
 * issuer and reader need not know the same: keys come with time.
 */
import type { Policy } from "../policies/policy.ts";
import { KNOWN_KEYS, type PublisherKeys } from "../publishers/publisherKeys.ts";
import { otherwise } from "../publishers/publishers.ts";
import { evaluate, type Report } from "../report.ts";
import { differingMembers, type JsonObject, type Steps } from "../steps.ts";
import type { Judged } from "./verifyExecution.ts";

/** Evidence of ours rests on two or three sets of keys and a stream; each more doubles what has to be tried. */
const MOST_NAMES = 6;

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
  const names = namesIn(report, keys);
  const judgedBy = (some: Names) => judgedSupposing(claimed, policy, report, keys, some.slice(0, MOST_NAMES));
  const before = judgedBy(names.filter(([, isKnown]) => !isKnown));
  if (before !== undefined) {
    const detail = `Judged again as by a program that knows less of the publishers than this one: ${alike(before)}`;
    // Only a signed session can deny what is allowed without it, and the reader must learn of that.
    if (before.decision === report.decision || before.decision === "DENY")
      steps.add("judgement", "ok", `${detail}.`);
    else steps.add("judgement", "unknown", `${detail}; by what is known here it is ${report.decision}.`);
    return before;
  }
  const says = `Judged again: ${report.decision}`;
  const later = judgedBy(names.toSorted(([, one], [, other]) => Number(other) - Number(one)));
  if (later !== undefined) {
    const detail = `${says}; ${differing.join(", ")} read otherwise, and rest on publishers' keys or streams that this reader does not know (--guardian-sets brings them).`;
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

type Names = readonly (readonly [name: string, isKnown: boolean])[];

/** What readers may know otherwise of the evidence's prices; what any of them has known here is known. */
function namesIn({ evidence }: Report, keys: PublisherKeys): Names {
  const all = [...evidence.references, ...evidence.settlement].flatMap((reading) =>
    otherwise(reading, keys, evidence.chain.chainId),
  );
  return [
    ...new Map(all.map(([name]) => [name, all.every(([other, isKnown]) => other !== name || isKnown)])),
  ];
}

/** The judgement, alike the claimed one, of a program that knows some of these otherwise; undefined where there is none. */
function judgedSupposing(
  claimed: JsonObject,
  policy: Policy,
  { evidence, evidenceHash, facts }: Report,
  keys: PublisherKeys,
  names: Names,
): Report | undefined {
  for (let bits = 1; bits < 2 ** names.length; bits++) {
    const suppose = new Map(names.filter((_, place) => bits & (1 << place)));
    const supposing = { ...keys, suppose, basis: keys };
    const one = evaluate(policy, evidence, supposing, facts.proved > 0, () => evidenceHash);
    if (differencesOf(claimed, one).length === 0) return one;
  }
  return undefined;
}
