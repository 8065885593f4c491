/** The job as the API shows it. */

import type { Entitlement } from "../payments/payments.ts";
import type { JobDeps } from "./deps.ts";
import { executionView, listExecutions } from "./executions.ts";
import type { Job } from "./schemas.ts";
import { findReport, listReports, type StoredJob } from "./store.ts";

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

export async function jobView(
  { db, payments }: Pick<JobDeps, "db" | "payments">,
  job: StoredJob,
): Promise<Job> {
  // First, so that a payment which is settled meanwhile is shown without its report rather than the other way.
  const entitlement: Entitlement = (await payments?.entitlementOf(job)) ?? { granted: true, reason: "free" };
  const { granted } = entitlement;
  const [reports, report, executions] = await Promise.all([
    listReports(db, job.id),
    granted ? findReport(db, job.id) : null,
    listExecutions(db, job.id),
  ]);
  return {
    jobId: job.id,
    clientRequestId: job.clientRequestId,
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
    ...(report === null ? {} : { report }),
    executions: executions.map(executionView),
  };
}

function paymentView(entitlement: Entitlement): Job["payment"] {
  if (!entitlement.granted)
    return { phase: "paid", state: entitlement.state, requirements: [...entitlement.accepts] };
  return entitlement.reason === "free"
    ? { phase: "free", state: "not_required" }
    : { phase: "paid", state: "settled", transaction: entitlement.receipt.transaction };
}
