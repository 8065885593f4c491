/** /v1/jobs: create, look, report, prepare, submit. */
import { named } from "../docs/operations.ts";
import { defineRoute, type Route } from "../http/route.ts";
import {
  newJob,
  type OperationDeps,
  readJob,
  recordTransaction,
  sellPrepared,
  sellReport,
} from "../jobs/operations.ts";
import {
  Execution,
  Job,
  JobBody,
  JobParams,
  JobQuery,
  PrepareBody,
  Prepared,
  ReportQuery,
  StoredReport,
  SubmissionBody,
} from "../jobs/schemas.ts";
import type { JobWaits } from "../jobs/waits.ts";
import { receiptHeaders } from "../payments/receipt.ts";

const tags = ["Verification"];
const ofJob = { tags, auth: "keyOrJobToken", params: JobParams } as const;

const ofVersion = { ...ofJob, auth: "keyOrAnyToken" } as const;

export function jobRoutes(deps: OperationDeps, waits: JobWaits): Route[] {
  return [
    createRoute(deps),
    readRoute(deps, waits),
    reportRoute(deps),
    prepareRoute(deps),
    submitRoute(deps),
  ];
}

const createRoute = (deps: OperationDeps): Route =>
  defineRoute({
    method: "post",
    path: "/v1/jobs",
    ...named("createJob"),
    tags,
    auth: "key",
    body: JobBody,
    responses: {
      201: {
        description: "The job with its first report",
        schema: Job,
        headers: { Location: { description: "Path of the job" } },
      },
      200: {
        description: "The job already existed",
        schema: Job,
        headers: { "Idempotent-Replayed": { description: "`true`" } },
      },
    },
    errors: [
      "unsupported_asset",
      "unknown_policy",
      "limit_too_wide",
      "idempotency_conflict",
      "upstream_unavailable",
    ],
    async handle({ body, caller }) {
      const { job, replayed } = await newJob(deps, caller, body);
      const headers: Record<string, string> = replayed
        ? { "Idempotent-Replayed": "true" }
        : { Location: `/v1/jobs/${job.jobId}` };
      return { status: replayed ? 200 : 201, body: job, headers };
    },
  });

const readRoute = (deps: OperationDeps, waits: JobWaits): Route =>
  defineRoute({
    ...ofJob,
    ...named("getJob"),
    path: "/v1/jobs/:id",
    query: JobQuery,
    responses: { 200: { description: "The job", schema: Job } },
    errors: ["not_found"],
    async handle({ params, query, caller, gone }) {
      const { wait = 0 } = query;
      const settled = (jobId: string) => waits.settled(jobId, wait, gone());
      const job = await readJob(deps, caller, params.id, wait === 0 ? undefined : settled);
      return { status: 200, body: job };
    },
  });

const reportRoute = (deps: OperationDeps): Route =>
  defineRoute({
    ...ofVersion,
    ...named("getReport"),
    path: "/v1/jobs/:id/report",
    query: ReportQuery,
    responses: { 200: { description: "The report", schema: StoredReport } },
    takesPayment: true,
    errors: ["not_found", "job_expired"],
    async handle({ params, query, caller, headers }) {
      const payment = headers["payment-signature"];
      const { content, receipt } = await sellReport(deps, caller, params.id, query.version, payment);
      return {
        status: 200,
        body: content,
        headers: receiptHeaders(receipt),
        ...(receipt === null ? {} : { onSent: () => deps.payments?.released(params.id) }),
      };
    },
  });

const prepareRoute = (deps: OperationDeps): Route =>
  defineRoute({
    method: "post",
    ...ofJob,
    ...named("prepareExecution"),
    path: "/v1/jobs/:id/prepare-execution",
    body: PrepareBody,
    bodyMode: "optional",
    responses: { 200: { description: "The new report and the execution", schema: Prepared } },
    takesPayment: true,
    errors: ["not_found", "job_expired", "rate_limited", "upstream_unavailable"],
    async handle({ params, body, caller, headers }) {
      const payment = headers["payment-signature"];
      const { content, receipt } = await sellPrepared(deps, caller, params.id, body.deadlineSeconds, payment);
      return {
        status: 200,
        body: content,
        headers: receiptHeaders(receipt),
        ...(receipt === null ? {} : { onSent: () => deps.payments?.released(params.id) }),
      };
    },
  });

const submitRoute = (deps: OperationDeps): Route =>
  defineRoute({
    method: "post",
    ...ofVersion,
    ...named("submitTransaction"),
    path: "/v1/jobs/:id/submissions",
    body: SubmissionBody,
    responses: {
      201: { description: "The execution", schema: Execution },
      200: { description: "The hash was already recorded", schema: Execution },
    },
    errors: ["not_found", "rate_limited", "payment_required", "payment_in_progress", "job_expired"],
    async handle({ params, body, caller }) {
      const { execution, known } = await recordTransaction(deps, caller, params.id, body.transactionHash);
      return { status: known ? 200 : 201, body: execution };
    },
  });
