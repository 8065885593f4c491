/**
 * What the seven tools call. The HTTP server hands over functions of its own process (`local.ts`), the stdio server a
 * client of a remote service: tools, schemas, texts and refusals are the same for both.
 */
import type { AssetsAnswer, PoliciesAnswer } from "../jobs/catalog.ts";
import type { Job, JobBody, Prepared } from "../jobs/schemas.ts";
import type { Purchase, VerifiedJob } from "./schemas.ts";

/**
 * Each may throw a `ToolFailure` or a `Problem`, which the caller of the tool gets to see. Whatever else is thrown
 * becomes `internal` with a text that says nothing of the cause.
 */
export interface Backend {
  listSupportedAssets(): Promise<AssetsAnswer>;
  /** All of them; the tool picks. */
  listPolicies(): Promise<PoliciesAnswer>;
  prepareVerification(body: JobBody): Promise<Job>;
  /**
   * Settles when there is a signature, and tells the payment's state in any case.
   * @param paymentSignature the text of the header PAYMENT-SIGNATURE, as the host's wallet made it
   */
  purchaseVerification(jobId: string, paymentSignature?: string): Promise<Purchase>;
  /** @param version of the report that the job is to carry; the latest without it */
  getVerification(jobId: string, version?: number): Promise<VerifiedJob>;
  /** @param deadlineSeconds 10 to 1800 */
  prepareGuardTrade(jobId: string, deadlineSeconds: number): Promise<Prepared>;
  /** Records a transaction, lower case, for the job; the same one again changes nothing. */
  submitTransaction(jobId: string, transactionHash: string): Promise<void>;
  /** The OpenAPI document of the HTTP API, as JSON text. */
  openapi(): Promise<string>;
  /** The report view, a page that is one file; null where this installation was not built. */
  reportView(): Promise<string | null>;
}
