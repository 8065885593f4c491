/** Compares a report with the one that was judged again. */
import type { Report } from "../report.ts";
import { differingMembers, type JsonObject, type Steps } from "../steps.ts";
import type { Judged } from "./verifyExecution.ts";

export function reportStep(claimed: JsonObject, { report }: Judged, steps: Steps): void {
  const { evidence: _, ...members }: Report = report;
  const differing = differingMembers(claimed, members);
  steps.judge(
    "judgement",
    differing.length === 0,
    `Judged again: ${report.decision}, ${report.findings.length} findings alike.`,
    `Judged again: ${report.decision}, and these members read otherwise: ${differing.join(", ")}.`,
  );
}
