/** /v1/jobs: create, look, report, prepare, submit. */
import { Report } from "../../attestor/report.ts";
import { createJob } from "../jobs/create.ts";
import type { JobDeps } from "../jobs/deps.ts";
import { executionView } from "../jobs/executions.ts";
import { prepareExecution } from "../jobs/prepare.ts";
import {
  Execution,
  Job,
  JobBody,
  JobParams,
  PrepareBody,
  Prepared,
  ReportQuery,
  SubmissionBody,
} from "../jobs/schemas.ts";
import { findJob, findReport, type StoredJob } from "../jobs/store.ts";
import { submitTransaction } from "../jobs/submit.ts";
import { jobView } from "../jobs/view.ts";
import { Problem } from "../problems.ts";
import { type Caller, defineRoute, type Route } from "../route.ts";

export interface JobRouteDeps extends JobDeps {
  /** Told when a transaction was submitted. */
  readonly onSubmission: () => void;
}

const tags = ["Verification"];
const noSuchJob = () => new Problem("not_found", "There is no such job.");

/** The caller's job. Another's is not found, as if it did not exist. */
async function jobOf(deps: JobRouteDeps, id: string, caller: Caller): Promise<StoredJob> {
  if (caller.kind === "public") throw noSuchJob();
  const job = await findJob(deps.db, id, caller);
  if (job === null) throw noSuchJob();
  return job;
}

export function jobRoutes(deps: JobRouteDeps): Route[] {
  return [
    defineRoute({
      method: "post",
      path: "/v1/jobs",
      operationId: "createJob",
      summary: "Create a fixed-intent verification task",
      description:
        "Report version 1 is computed at once. Idempotent by `clientRequestId`: the same body again answers the same job with `Idempotent-Replayed: true`.",
      tags,
      auth: "key",
      body: JobBody,
      responses: {
        201: { description: "The job with its first report", schema: Job },
        200: {
          description: "The job stood there already",
          schema: Job,
          headers: { "Idempotent-Replayed": { description: "`true`" } },
        },
      },
      errors: ["unsupported_asset", "unknown_policy", "idempotency_conflict", "upstream_unavailable"],
      async handle({ body, caller }) {
        if (caller.kind !== "key") throw new Error("the route takes keys alone");
        const { job, replayed } = await createJob(deps, caller.keyId, body);
        const headers: Record<string, string> = replayed
          ? { "Idempotent-Replayed": "true" }
          : { Location: `/v1/jobs/${job.id}` };
        return { status: replayed ? 200 : 201, body: await jobView(deps.db, job), headers };
      },
    }),

    defineRoute({
      method: "get",
      path: "/v1/jobs/:id",
      operationId: "getJob",
      summary: "State of a task: payment, report versions, entitlement, executions",
      tags,
      auth: "keyOrJobToken",
      params: JobParams,
      responses: { 200: { description: "The job", schema: Job } },
      errors: ["not_found"],
      async handle({ params, caller }) {
        return { status: 200, body: await jobView(deps.db, await jobOf(deps, params.id, caller)) };
      },
    }),

    defineRoute({
      method: "get",
      path: "/v1/jobs/:id/report",
      operationId: "getReport",
      summary: "Report and evidence of a task",
      description: "The latest version, or the one asked for. It can be checked again with `assay verify`.",
      tags,
      auth: "keyOrJobToken",
      params: JobParams,
      query: ReportQuery,
      responses: { 200: { description: "The report", schema: Report } },
      errors: ["not_found"],
      async handle({ params, query, caller }) {
        const job = await jobOf(deps, params.id, caller);
        const report = await findReport(deps.db, job.id, query.version);
        if (report === null) throw new Problem("not_found", "The job has no report of that version.");
        return { status: 200, body: report };
      },
    }),

    defineRoute({
      method: "post",
      path: "/v1/jobs/:id/prepare-execution",
      operationId: "prepareExecution",
      summary: "Verify again and prepare the guarded trade",
      description:
        "Makes a new report version. When it allows the trade, `execution` holds the typed data, the signed certificate and the call of the guard; on DENY it is null. Two calls in five minutes per job.",
      tags,
      auth: "keyOrJobToken",
      params: JobParams,
      body: PrepareBody,
      bodyMode: "optional",
      responses: { 200: { description: "The new report and the execution", schema: Prepared } },
      errors: ["not_found", "job_expired", "rate_limited", "upstream_unavailable"],
      async handle({ params, body, caller }) {
        const job = await jobOf(deps, params.id, caller);
        const { report, execution } = await prepareExecution(deps, job, body.deadlineSeconds);
        return { status: 200, body: { jobId: job.id, reportVersion: report.version, report, execution } };
      },
    }),

    defineRoute({
      method: "post",
      path: "/v1/jobs/:id/submissions",
      operationId: "submitTransaction",
      summary: "Record the hash of a submitted trade",
      description: "`confirmed` is filled from the on-chain receipt; follow it with GET /v1/jobs/:id.",
      tags,
      auth: "keyOrJobToken",
      params: JobParams,
      body: SubmissionBody,
      responses: {
        201: { description: "The execution", schema: Execution },
        200: { description: "The hash was recorded already", schema: Execution },
      },
      errors: ["not_found", "rate_limited"],
      async handle({ params, body, caller }) {
        const job = await jobOf(deps, params.id, caller);
        const { execution, known } = await submitTransaction(deps, job.id, body.transactionHash);
        deps.onSubmission();
        return { status: known ? 200 : 201, body: executionView(execution) };
      },
    }),
  ];
}
