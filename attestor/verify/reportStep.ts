/** Compares a report with the one that was judged again. */
import type { Report } from "../report.ts";
import { differingMembers, type JsonObject, type Steps } from "../steps.ts";

export function reportStep(claimed: JsonObject, report: Report, steps: Steps): void {
  const { evidence: _, ...members } = report;
  const differing = differingMembers(claimed, members);
  const { decision, findings } = report;
  steps.judge(
    "judgement",
    differing.length === 0,
    `Judged again: ${decision}, ${findings.length} findings alike.`,
    `Judged again: ${decision}, and these members read otherwise: ${differing.join(", ")}.`,
  );
}
