/** The job as the API shows it. */
import type { Database } from "../../database/open.ts";
import { executionView, listExecutions } from "./executions.ts";
import type { Job } from "./schemas.ts";
import { findReport, listReports, type StoredJob } from "./store.ts";

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

export async function jobView(db: Database, job: StoredJob): Promise<Job> {
  const [reports, report, executions] = await Promise.all([
    listReports(db, job.id),
    findReport(db, job.id),
    listExecutions(db, job.id),
  ]);
  return {
    jobId: job.id,
    clientRequestId: job.clientRequestId,
    createdAt: iso(job.createdAt),
    expiresAt: iso(job.expiresAt),
    intent: job.intent,
    payment: { phase: "free", state: "not_required" },
    entitlement: { granted: true, reason: "free" },
    reports: reports.map(({ version, kind, decision, evidence_hash, created_at }) => ({
      version,
      kind,
      decision,
      evidenceHash: evidence_hash,
      createdAt: iso(created_at),
    })),
    ...(report === null ? {} : { report }),
    executions: executions.map(executionView),
  };
}
