/** Leaves a report's proofs out of an answer: they are most of it, and the evidence names their hash either way. */
import { z } from "zod";
import { unproved } from "../../attestor/factKinds.ts";
import type { Report } from "../../attestor/report.ts";

export const ProofsQuery = z.object({
  proofs: z
    .enum(["omit"])
    .optional()
    .describe(
      "`omit` leaves out the report's `proofs`: the evidence and its hash stay the same, and a verification is UNVERIFIABLE without the proofs",
    ),
});

/** Proofs that are not there prove nothing, so that nothing is counted as proved. */
export function withoutProofs<R extends Pick<Report, "proofs" | "facts">>(given: R): Omit<R, "proofs"> {
  const { proofs: _, ...report } = given;
  return { ...report, facts: unproved(report.facts) };
}

/** As `withoutProofs`, of an answer with a report in it. */
export function withoutItsProofs<A extends { readonly report?: Report | undefined }>(answer: A): A {
  return answer.report === undefined ? answer : { ...answer, report: withoutProofs(answer.report) };
}
