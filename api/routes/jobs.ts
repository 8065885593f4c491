/** /v1/jobs: create, look, report, prepare, submit. */

import type { Reply } from "../http/route.ts";
import {
  newJob,
  readJob,
  recordTransaction,
  type Sold,
  sellPrepared,
  sellReport,
} from "../jobs/operations.ts";
import { JobBody, JobParams, JobQuery, PrepareBody, ReportQuery, SubmissionBody } from "../jobs/requests.ts";
import { Execution, Job, Prepared, StoredReport } from "../jobs/schemas.ts";
import { receiptHeaders } from "../payments/receipt.ts";
import { route } from "../route.ts";
import type { Service } from "../service.ts";

const tags = ["Verification"];
const ofJob = { tags, auth: "keyOrJobToken", params: JobParams } as const;
const ofVersion = { ...ofJob, auth: "keyOrAnyToken" } as const;

const createJob = route({
  method: "post",
  path: "/v1/jobs",
  operationId: "createJob",
  summary: "Create a fixed-intent verification task",
  description:
    "Report version 1 is computed at once. Idempotent by `clientRequestId`: the same body again returns the same job with `Idempotent-Replayed: true`. `limits` can only be tighter than the policy: a wider one is 422 `limit_too_wide`, with the policy's bound in `bounds`. Reading the job gives `hints` beside the report: for each finding that does not pass, what would let it pass.",
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
  async handle({ body, caller }, service) {
    const { job, replayed } = await newJob(service, caller, body);
    const headers: Record<string, string> = replayed
      ? { "Idempotent-Replayed": "true" }
      : { Location: `/v1/jobs/${job.jobId}` };
    return { status: replayed ? 200 : 201, body: job, headers };
  },
});

const getJob = route({
  ...ofJob,
  path: "/v1/jobs/:id",
  operationId: "getJob",
  summary: "State of a task: payment, report versions, entitlement, executions",
  description:
    "With `?wait=30` the answer comes as soon as no execution is `submitted` and no payment `settling`, or after so many seconds; it counts as one call.",
  query: JobQuery,
  responses: { 200: { description: "The job", schema: Job } },
  errors: ["not_found"],
  async handle({ params, query, caller, gone }, service) {
    const { wait = 0 } = query;
    if (wait === 0) return { status: 200, body: await readJob(service, caller, params.id) };
    using key = service.revocations.watch(caller);
    const job = await readJob(service, caller, params.id, async (jobId) => {
      await service.waits.settled(jobId, wait, caller, AbortSignal.any([gone(), key.signal]));
      key.signal.throwIfAborted();
    });
    return { status: 200, body: job };
  },
});

const getReport = route({
  ...ofVersion,
  path: "/v1/jobs/:id/report",
  operationId: "getReport",
  summary: "Report and evidence of a task",
  description:
    "The latest version, or the one asked for, with the `execution` that was prepared and signed with it, if any. `assay verify` checks both again: without a signature a report is UNVERIFIABLE at best. In the paid phase: 402 until the job is paid for, here or at prepare-execution; once paid, every version is included. `proofs` holds Merkle proofs of what was read from the chain.",
  query: ReportQuery,
  responses: { 200: { description: "The report", schema: StoredReport } },
  takesPayment: true,
  errors: ["not_found", "job_expired"],
  async handle({ params, query, caller, headers }, service) {
    const payment = headers["payment-signature"];
    return sold(service, params.id, await sellReport(service, caller, params.id, query.version, payment));
  },
});

const prepareExecution = route({
  method: "post",
  ...ofJob,
  path: "/v1/jobs/:id/prepare-execution",
  operationId: "prepareExecution",
  summary: "Verify again and prepare the guarded trade",
  description:
    "Makes a new report version. On ALLOW, `execution` contains the typed data, the signed certificate and the guard's call. On DENY it is null. At most two versions per job in five minutes. After a 503, call again. A version that was judged but not certified is resumed while it is recent and the guard has not changed. That costs no further call. `signUrl` is a page where the owner's wallet signs this trade; its fragment carries a sign token, which opens this version until the trade can no longer be executed.",
  body: PrepareBody,
  bodyMode: "optional",
  responses: { 200: { description: "The new report and the execution", schema: Prepared } },
  takesPayment: true,
  errors: ["not_found", "job_expired", "rate_limited", "upstream_unavailable"],
  async handle({ params, body, caller, headers }, service) {
    const payment = headers["payment-signature"];
    const { deadlineSeconds } = body;
    return sold(service, params.id, await sellPrepared(service, caller, params.id, deadlineSeconds, payment));
  },
});

/** With the receipt, where it was paid for. */
function sold({ payments }: Service, jobId: string, { content, receipt }: Sold<unknown>): Reply {
  const reply = { status: 200, body: content, headers: receiptHeaders(receipt) };
  return receipt === null ? reply : { ...reply, onSent: () => payments?.released(jobId) };
}

const submitTransaction = route({
  method: "post",
  ...ofVersion,
  path: "/v1/jobs/:id/submissions",
  operationId: "submitTransaction",
  summary: "Record the hash of a submitted trade",
  description:
    "`confirmed` is filled from the on-chain receipt; follow it with GET /v1/jobs/:id. A job can have 8 hashes at a time that are in no block, and 48 submitted in all; an API key can have 64 in no block. A hash that is recorded already is answered with its state. With a sign token it works for ten minutes longer than the trade. In the paid phase: 402 while the job is not paid for.",
  body: SubmissionBody,
  responses: {
    201: { description: "The execution", schema: Execution },
    200: { description: "The hash was already recorded", schema: Execution },
  },
  errors: ["not_found", "rate_limited", "payment_required", "payment_in_progress", "job_expired"],
  async handle({ params, body, caller }, service) {
    const { execution, isRepeated } = await recordTransaction(
      service,
      caller,
      params.id,
      body.transactionHash,
    );
    return { status: isRepeated ? 200 : 201, body: execution };
  },
});

export const jobRoutes = [createJob, getJob, getReport, prepareExecution, submitTransaction];
