/** The job as the API shows it. */
import type { Report } from "../../attestor/report.ts";
import { Problem } from "../http/problems.ts";
import type { Entitlement } from "../payments/jobPurchase.ts";
import type { JobDeps } from "./deps.ts";
import { executionView, listExecutions, type StoredExecution } from "./executions.ts";
import { hintsOf } from "./hints.ts";
import { findReport, listReports, type ReportSummary, summaryOf } from "./reports.ts";
import type { Job } from "./schemas.ts";
import type { StoredJob } from "./store.ts";

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

export async function jobView(
  deps: Pick<JobDeps, "db" | "payments" | "log" | "policies">,
  job: StoredJob,
): Promise<Job> {
  const { db, payments, log } = deps;
  // First, so that a payment which is settled meanwhile is shown without its report rather than the other way.
  const entitlement: Entitlement = (await payments?.entitlementOf(job)) ?? { granted: true, reason: "free" };
  const [reports, report, executions] = await Promise.all([
    listReports(db, job.id),
    entitlement.granted ? findReport(db, job.id) : null,
    listExecutions(db, job.id),
  ]);
  const view = viewOf(job, entitlement, reports, executions);
  if (report === null) return view;
  return { ...view, report: await withProof({ log }, report), hints: hintsOf(deps, report) };
}

/**
 * The view of a job that was stored just now with its first report: nothing else can belong to it yet. Hints of a
 * denial come when the job is read, so that one that is denied takes no longer than another.
 */
export async function newJobView(
  deps: Pick<JobDeps, "payments">,
  job: StoredJob,
  report: Report,
): Promise<Job> {
  const entitlement: Entitlement = (await deps.payments?.entitlementOf(job)) ?? {
    granted: true,
    reason: "free",
  };
  const view = viewOf(job, entitlement, [summaryOf(report, "initial")], []);
  if (!entitlement.granted) return view;
  return report.decision === "ALLOW" ? { ...view, report, hints: [] } : { ...view, report };
}

function viewOf(
  job: StoredJob,
  entitlement: Entitlement,
  reports: readonly ReportSummary[],
  executions: readonly StoredExecution[],
): Job {
  const { granted } = entitlement;
  return {
    jobId: job.id,
    // A job without a key has one of the service's making, which is nobody's name for it.
    ...(job.keyId === null ? {} : { clientRequestId: job.clientRequestId }),
    createdAt: iso(job.createdAt),
    expiresAt: iso(job.expiresAt),
    intent: job.intent,
    payment: paymentView(entitlement),
    entitlement: entitlement.granted ? { granted, reason: entitlement.reason } : { granted, reason: null },
    reports: reports.map(({ version, kind, decision, evidence_hash, created_at }) => ({
      version,
      kind,
      decision: granted ? decision : null,
      evidenceHash: evidence_hash,
      createdAt: iso(created_at),
    })),
    executions: executions.map(executionView),
  };
}

/** A report with its proof of the decision log, as far as there is one. */
export async function withProof<R extends Report>({ log }: Pick<JobDeps, "log">, report: R): Promise<R> {
  if (report.log === undefined) return report;
  return { ...report, log: { ...report.log, proof: await log.proofOf(report) } };
}

/**
 * As `withProof`, of a job that somebody paid for: its entry goes into the log with the payment, so the proof of a report that
 * was bought just now is a moment away.
 */
export async function withProofSoon<R extends Report>({ log }: Pick<JobDeps, "log">, report: R): Promise<R> {
  const answer = await withProof({ log }, report);
  if (answer.log === undefined || answer.log.proof !== null) return answer;
  const proof = await log.signed(report).catch((error: unknown) => {
    // The report is bought, with or without its proof.
    if (error instanceof Problem) return null;
    throw error;
  });
  return { ...answer, log: { ...answer.log, proof } };
}

function paymentView(entitlement: Entitlement): Job["payment"] {
  if (!entitlement.granted)
    return { phase: "paid", state: entitlement.state, requirements: [...entitlement.accepts] };
  return entitlement.reason === "free"
    ? { phase: "free", state: "not_required" }
    : { phase: "paid", state: "settled", transaction: entitlement.receipt.transaction };
}
