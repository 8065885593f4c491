/**
 * What the verification API can do for a caller. The HTTP routes and the MCP tools both call these functions, so that
 * neither can do more, or answer otherwise, than the other.
 */
import { POLICIES } from "../../attestor/policies/policy.ts";
import { type Registry, registryHash } from "../../attestor/registry.ts";
import type { Report } from "../../attestor/report.ts";
import { Problem } from "../http/problems.ts";
import type { Caller } from "../http/route.ts";
import { type Receipt, withReceipt } from "../payments/receipt.ts";
import type { AssetsAnswer, PoliciesAnswer } from "./catalog.ts";
import { createJob } from "./create.ts";
import type { JobDeps } from "./deps.ts";
import { executionView } from "./executions.ts";
import { hintsOf } from "./hints.ts";
import { prepareExecution } from "./prepare.ts";
import { findStoredReport } from "./reports.ts";
import type { JobBody } from "./requests.ts";
import type { Execution, Job, Prepared, StoredReport } from "./schemas.ts";
import { findJob, type StoredJob } from "./store.ts";
import { submitTransaction } from "./submit.ts";
import { jobView, newJobView, withProof, withProofSoon } from "./view.ts";

export interface OperationDeps extends JobDeps {
  /** Told when a transaction was submitted. */
  readonly onSubmission: () => void;
  /** Where clients find the service, without a slash at its end. */
  publicUrl(): string;
}

export function assetsAnswer(registry: Registry): AssetsAnswer {
  return { registryVersion: registry.version, registryHash: registryHash(registry), assets: registry.assets };
}

export function policiesAnswer(): PoliciesAnswer {
  return {
    policies: [...POLICIES.values()].map(({ description, definition, definitionHash }) => ({
      policyId: definition.policyId,
      version: definition.version,
      description,
      definition,
      definitionHash,
    })),
  };
}

const noSuchJob = () => new Problem("not_found", "There is no such job.");
const noSuchVersion = () => new Problem("not_found", "The job has no report with that version.");

/**
 * The caller's job. Another's is not found, as if it did not exist.
 * @throws Problem `not_found`
 */
async function jobOf(deps: Pick<JobDeps, "db">, id: string, caller: Caller): Promise<StoredJob> {
  if (caller.kind === "public") throw noSuchJob();
  const job = await findJob(deps.db, id, caller);
  if (job === null) throw noSuchJob();
  return job;
}

/**
 * @returns the job with its first report, and whether it stood there already
 * @throws as `createJob`
 */
export async function newJob(deps: OperationDeps, caller: Caller, body: JobBody) {
  if (caller.kind !== "key") throw new Error("jobs are made for API keys only");
  const { job, report, replayed } = await createJob(deps, caller.keyId, body);
  return { job: await (report === null ? jobView(deps, job) : newJobView(deps, job, report)), replayed };
}

/** @param settled what is waited for once it is known to be the caller's job @throws Problem `not_found` */
export async function readJob(
  deps: OperationDeps,
  caller: Caller,
  id: string,
  settled?: (jobId: string) => Promise<void>,
): Promise<Job> {
  const job = await jobOf(deps, id, caller);
  await settled?.(job.id);
  return jobView(deps, job);
}

/** What was asked for, and what was paid for it; null where it is free. */
export interface Sold<T> {
  readonly content: T;
  readonly receipt: Receipt | null;
}

/**
 * Buys a job, or finds out that it was bought already. Its reports may be read and its trade prepared from then on.
 * @param payment the header PAYMENT-SIGNATURE or its decoded JSON; undefined: no payment
 * @returns the receipt, the same every time; null when the job is free
 * @throws Problem `not_found`, `job_expired`; `payment_required` with the terms in its members and in its header
 *   PAYMENT-REQUIRED; `payment_in_progress`, `upstream_unavailable`
 */
export async function purchaseJob(deps: OperationDeps, caller: Caller, id: string, payment?: unknown) {
  const job = await jobOf(deps, id, caller);
  return { job, receipt: (await deps.payments?.admit(job, payment)) ?? null };
}

/**
 * @param version the latest without it
 * @param payment as of `purchaseJob`
 * @throws as `purchaseJob`
 */
export async function sellReport(
  deps: OperationDeps,
  caller: Caller,
  id: string,
  version: number | undefined,
  payment: unknown,
): Promise<Sold<StoredReport>> {
  const job = await jobOf(deps, id, caller);
  if (caller.kind === "jobToken" && caller.version !== undefined) {
    if (caller.version !== version) throw noSuchVersion();
    if (caller.isOver) throw new Problem("job_expired", "The time of this trade is over; prepare it again.");
  }
  // First, so that nobody pays for a version that is not there.
  const content = await findStoredReport(deps.db, job.id, version);
  if (content === null) throw noSuchVersion();
  const receipt = (await deps.payments?.admit(job, payment)) ?? null;
  const report = await withReceipt(receipt, () =>
    receipt === null ? withProof(deps, content) : withProofSoon(deps, content),
  );
  return { content: { ...report, hints: hintsOf(deps, content) }, receipt };
}

/**
 * @param deadlineSeconds how long the trade intent may be executed
 * @param payment as of `purchaseJob`; later versions are included in the price
 * @throws as `purchaseJob` and `prepareExecution`
 */
export async function sellPrepared(
  deps: OperationDeps,
  caller: Caller,
  id: string,
  deadlineSeconds: number,
  payment: unknown,
): Promise<Sold<Prepared>> {
  const { job, receipt } = await purchaseJob(deps, caller, id, payment);
  const { report, execution, signToken } = await withReceipt(receipt, () =>
    prepareExecution(deps, job, deadlineSeconds),
  );
  const signUrl = signToken && signUrlOf(deps, report, signToken);
  const hints = hintsOf(deps, report);
  const content = { jobId: job.id, reportVersion: report.version, report, hints, execution, signUrl };
  return { content, receipt };
}

/** What is in the fragment reaches no server and no log of one; the page sends the token as a bearer. */
function signUrlOf({ chain: { deployment }, publicUrl }: OperationDeps, report: Report, token: string) {
  const { chainId, guard } = deployment;
  return `${publicUrl()}/sign#trade=${[token, report.jobId, report.version, chainId, guard].join(":")}`;
}

/**
 * Nothing of a job that is not paid for can have been prepared, so there is nothing that could be submitted.
 * @param transactionHash lower case
 * @returns the execution, and whether the hash was recorded already
 * @throws Problem `not_found`; what `purchaseJob` throws without a payment; and as `submitTransaction`
 */
export async function recordTransaction(
  deps: OperationDeps,
  caller: Caller,
  id: string,
  transactionHash: string,
): Promise<{ execution: Execution; isRepeated: boolean }> {
  const { job } = await purchaseJob(deps, caller, id);
  const { execution, isRepeated } = await submitTransaction(deps, job, transactionHash);
  if (!isRepeated) deps.onSubmission();
  return { execution: executionView(execution), isRepeated };
}
