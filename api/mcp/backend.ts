/** What the tools call: functions of the service's own process (`local.ts`). */
import type { AssetsAnswer, PoliciesAnswer } from "../jobs/catalog.ts";
import type { Job, JobBody, Prepared, VerifyBody } from "../jobs/schemas.ts";
import type { Settlement } from "./schemas.ts";

/** What was asked for, with the receipt of the payment for it; null where nothing was paid for this answer. */
export interface Sold<T> {
  readonly content: T;
  readonly settlement: Settlement | null;
  /** Answered from an earlier payment: the one that came now is not settled. */
  readonly replayed?: boolean;
}

/** The job as it stands, and the receipt of the payment for it. */
export interface Purchase {
  readonly job: Pick<Job, "jobId" | "payment" | "entitlement">;
  readonly settlement: Settlement | null;
}

/** A version of a job's report with what was prepared and signed for it: what every verifier takes as it is. */
export type TradeDocument = Omit<Prepared, "signUrl" | "hints">;

/**
 * Each may throw a `ToolFailure` or a `Problem`, which the caller of the tool sees. Any other error becomes `internal`
 * with a text that reveals nothing of the cause.
 *
 * `payment` is the text of the header PAYMENT-SIGNATURE, as the host's wallet made it. A tool that sells a report fails
 * with `payment_required` and the terms until it is paid.
 */
export interface Backend {
  /** Whether a payment may be charged for anything here. */
  readonly charges: boolean;
  listSupportedAssets(): Promise<AssetsAnswer>;
  /** All of them; the tool picks. */
  listPolicies(): Promise<PoliciesAnswer>;
  /** A job of the key's, not paid for yet. */
  prepareVerification(body: JobBody): Promise<Job>;
  /** A job of nobody's, paid for at once where it has to be, with the token that opens it. */
  verifyOnce(body: VerifyBody, payment?: string): Promise<Sold<Job & { jobToken: string }>>;
  /** What is known of the job, without its report while it is not paid for. Costs nothing. */
  readJob(jobId: string): Promise<Job>;
  /** Settles when there is a payment, and tells the payment's state when there is nothing to pay. */
  purchaseVerification(jobId: string, payment?: string): Promise<Purchase>;
  /**
   * The job with a report, or without one while it is not paid for. Costs nothing.
   * @param version of the report; the latest without it
   */
  getVerification(jobId: string, version?: number): Promise<Job>;
  /** `execution` is null where nothing was prepared. */
  readDocument(jobId: string, version: number): Promise<Sold<TradeDocument>>;
  /** @param deadlineSeconds 10 to 1800 */
  prepareGuardTrade(jobId: string, deadlineSeconds: number, payment?: string): Promise<Sold<Prepared>>;
  /** Records a transaction, lower case, for the job; the same one again changes nothing. */
  submitTransaction(jobId: string, transactionHash: string): Promise<void>;
  /** The OpenAPI document of the HTTP API, as JSON text. */
  openapi(): Promise<string>;
}
