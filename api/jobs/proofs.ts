/** The decision log's proof in the answers that carry a report. */
import type { Report } from "../../attestor/report.ts";
import type { JobDeps } from "./deps.ts";

export async function withProof<R extends Report>({ log }: Pick<JobDeps, "log">, report: R): Promise<R> {
  if (report.log === undefined) return report;
  return { ...report, log: { ...report.log, proof: await log.proofOf(report) } };
}
