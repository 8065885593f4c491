/** The one shape in which calls bring a report. */
import type { Prepared } from "../api/jobs/schemas.ts";
import type { Report } from "../attestor/report.ts";
import type { Bought } from "./payment.ts";

/** What a wallet acts on, with the certificate that allows it. */
export type PreparedExecution = NonNullable<Prepared["execution"]>;

/** A report with what was prepared and signed for it; `execution` is null where nothing was. */
export type ReportDocument = Pick<Prepared, "jobId" | "reportVersion" | "report" | "execution">;

/**
 * As a call answers it. `verifyReport` takes it as it is, and so does `assay verify` once it is saved as JSON. `hints` are the
 * service's advice beside a denial: no part of the document, and checked by nobody.
 */
export type BoughtReport = ReportDocument & Bought & Pick<Prepared, "hints">;

export function documentOf(report: Report, execution: PreparedExecution | null): ReportDocument {
  return { jobId: report.jobId, reportVersion: report.version, report, execution };
}
