/** The calls of one job, from its making to what became of its transaction. */
import type { z } from "zod";
import type { JobBody, PrepareBody } from "../api/jobs/requests.ts";
import { Execution, Job, Prepared, StoredReport } from "../api/jobs/schemas.ts";
import { type BoughtReport, documentOf } from "./document.ts";
import type { Bought, Payable } from "./payment.ts";
import type { Transport } from "./transport.ts";

type ReportOptions = Payable & { readonly version?: number };
type PrepareOptions = Payable & z.input<typeof PrepareBody>;

export interface JobOptions {
  /** Seconds, 0 to 30, that the service may wait until nothing of the job is pending. */
  readonly wait?: number;
}

export type JobCalls = ReturnType<typeof jobCalls>;

export function jobCalls(send: Transport) {
  return {
    /** The same body under the same `clientRequestId` answers the same job. */
    async createJob(body: z.input<typeof JobBody>): Promise<Job> {
      const call = { method: "POST", path: "/v1/jobs", auth: "key", repeatable: "always" } as const;
      return (await send({ ...call, body, answer: Job })).value;
    },
    /** With `wait` the answer comes when no transaction or payment of it is pending any more, or after so many seconds. */
    async job(jobId: string, { wait }: JobOptions = {}): Promise<Job> {
      const call = { method: "GET", auth: "keyOrJobToken", repeatable: "always" } as const;
      const waiting = { query: { wait }, waitSeconds: wait };
      return (await send({ ...call, ...waiting, path: jobPath(jobId), answer: Job })).value;
    },
    /**
     * Without its execution a report is signed by nobody: see `verifyReport` of the attestor.
     * @param options version: the latest otherwise
     * @returns with the execution that was prepared and signed with that version, where one was
     * @throws PaymentRequired until the job is paid
     */
    async report(jobId: string, options: ReportOptions = {}): Promise<BoughtReport> {
      const { version, paymentSignature } = options;
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
      const { execution = null, hints = [], ...report } = value;
      return { ...documentOf(report, execution), hints, receipt };
    },
    /**
     * Verifies again; `execution` is null when the trade is denied. Two calls in five minutes.
     * @throws PaymentRequired until the job is paid
     */
    async prepare(jobId: string, options: PrepareOptions = {}): Promise<Prepared & Bought> {
      const { paymentSignature, ...body } = options;
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
    },
    /** Records a transaction hash; follow it with `job`. */
    async submit(jobId: string, transactionHash: string): Promise<Execution> {
      const path = jobPath(jobId, "/submissions");
      const call = { method: "POST", path, auth: "keyOrJobToken", repeatable: "always" } as const;
      return (await send({ ...call, body: { transactionHash }, answer: Execution })).value;
    },
  };
}

function jobPath(jobId: string, rest = ""): string {
  return `/v1/jobs/${encodeURIComponent(jobId)}${rest}`;
}
