/** The calls of one job, from its making to what became of its transaction. */
import type { z } from "zod";
import {
  Execution,
  Job,
  type JobBody,
  type PrepareBody,
  Prepared,
  StoredReport,
} from "../api/jobs/schemas.ts";
import { type BoughtReport, documentOf } from "./document.ts";
import type { Bought, Payable } from "./payment.ts";
import type { Transport } from "./transport.ts";

/** `version`: the latest otherwise. */
export type ReportOptions = Payable & { readonly version?: number };
export type PrepareOptions = Payable & z.input<typeof PrepareBody>;

export async function createJob(send: Transport, body: z.input<typeof JobBody>): Promise<Job> {
  const call = { method: "POST", path: "/v1/jobs", auth: "key", repeatable: "always" } as const;
  return (await send({ ...call, body, answer: Job })).value;
}

export interface JobOptions {
  /** Seconds, 0 to 30, that the service may wait until nothing of the job is pending. */
  readonly wait?: number;
}

export async function readJob(send: Transport, jobId: string, { wait }: JobOptions = {}): Promise<Job> {
  const call = { method: "GET", auth: "keyOrJobToken", repeatable: "always" } as const;
  const waiting = { query: { wait }, waitSeconds: wait };
  return (await send({ ...call, ...waiting, path: jobPath(jobId), answer: Job })).value;
}

export async function buyReport(
  send: Transport,
  jobId: string,
  { version, paymentSignature }: ReportOptions,
): Promise<BoughtReport> {
  const { value, receipt } = await send({
    method: "GET",
    path: jobPath(jobId, "/report"),
    query: { version },
    answer: StoredReport,
    auth: "keyOrJobToken",
    // One authorization pays once, however often it is sent.
    repeatable: "always",
    paymentSignature,
  });
  const { execution = null, ...report } = value;
  return { ...documentOf(report, execution), receipt };
}

export async function prepareTrade(
  send: Transport,
  jobId: string,
  { paymentSignature, ...body }: PrepareOptions,
): Promise<Prepared & Bought> {
  const { value, receipt } = await send({
    method: "POST",
    path: jobPath(jobId, "/prepare-execution"),
    body,
    answer: Prepared,
    auth: "keyOrJobToken",
    // A 503 is the log's, the chain's or the database's: nothing was certified, and the next call goes on.
    repeatable: "answered",
    paymentSignature,
  });
  return { ...value, receipt };
}

export async function submitHash(
  send: Transport,
  jobId: string,
  transactionHash: string,
): Promise<Execution> {
  const { value } = await send({
    method: "POST",
    path: jobPath(jobId, "/submissions"),
    body: { transactionHash },
    answer: Execution,
    auth: "keyOrJobToken",
    repeatable: "always",
  });
  return value;
}

function jobPath(jobId: string, rest = ""): string {
  return `/v1/jobs/${encodeURIComponent(jobId)}${rest}`;
}
