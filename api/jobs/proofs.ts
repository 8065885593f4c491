/** The decision log's proof in the answers that carry a report. */
import type { Report } from "../../attestor/report.ts";
import type { JobDeps } from "./deps.ts";

/** A stored report with its proof, as soon as there is one. Reports of before the log stay as they are. */
export async function withProof<R extends Report>({ log }: Pick<JobDeps, "log">, report: R): Promise<R> {
  if (report.log === undefined) return report;
  return { ...report, log: { ...report.log, proof: await log.proofOf(report) } };
}
