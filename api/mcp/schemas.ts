/** What the tools take and give, where it is not just what the HTTP API takes and gives. */
import { z } from "zod";
import { Text } from "../../attestor/values/primitives.ts";
import {
  Execution,
  Job,
  JobBody,
  PrepareBody,
  PreparedExecution,
  SubmissionBody,
  VerifyInput,
} from "../jobs/schemas.ts";
import { Requirements } from "../payments/requirements.ts";

/** Room for a signed authorization with its quote and extensions, in base64. */
const MAX_SIGNATURE_LENGTH = 16_384;

const JobId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be a jobId that prepare_verification returned")
  .describe("jobId of prepare_verification");

/** Of a job that was made without a key. */
const JobToken = z
  .string()
  .regex(/^jt_[A-Za-z0-9_-]{43}$/, "must be a jobToken that prepare_verification answered")
  .optional()
  .describe(
    "jobToken that prepare_verification answered to a host without an API key; opens that one job in the place of a key",
  );

const PaymentSignature = z
  .string()
  .max(MAX_SIGNATURE_LENGTH)
  .regex(/^[A-Za-z0-9+/_-]+={0,2}$/, "must be the base64 text of the header PAYMENT-SIGNATURE")
  .optional()
  .describe(
    "x402 version 2 payment payload that the host's wallet signed, as base64 of its JSON (the header PAYMENT-SIGNATURE). Never a private key",
  );

export const NoInput = z.strictObject({});

export const PolicyInput = z.strictObject({
  policyId: Text.min(1)
    .max(64)
    .optional()
    .describe("Only this policy, such as STRICT_LIVE; without it, all of them"),
});

export const VerificationInput = JobBody.safeExtend({
  clientRequestId: JobBody.shape.clientRequestId.describe(
    "A name of your choice for this trade, 1 to 64 characters of A-Za-z0-9._:-. The same name with the same fields finds the same job",
  ),
  policyId: JobBody.shape.policyId.describe("One of get_verification_policy"),
});

/** Without a key. */
export const OpenVerificationInput = VerifyInput.safeExtend({
  policyId: VerifyInput.shape.policyId.describe("One of get_verification_policy"),
  clientRequestId: JobBody.shape.clientRequestId
    .optional()
    .describe("Not used without an API key: there every call makes a job of its own"),
  paymentSignature: PaymentSignature,
});

/** A job with the token that opens it. */
export const OpenedJob = Job.extend({
  jobToken: z
    .string()
    .describe("Opens this one job: give it to the other tools with the jobId, in the place of an API key"),
}).meta({ id: "OpenedJob" });
export type OpenedJob = z.infer<typeof OpenedJob>;

export const PurchaseInput = z.strictObject({
  jobId: JobId,
  paymentSignature: PaymentSignature,
  jobToken: JobToken,
});

export const VerificationQuery = z.strictObject({
  jobId: JobId,
  version: z
    .int()
    .min(1)
    .max(999_999_999)
    .optional()
    .describe("Version of the report; the latest without it"),
  jobToken: JobToken,
});

/** A job with a report of it, and with what was prepared with that version, where one was asked for. */
export const VerifiedJob = Job.extend({
  execution: PreparedExecution.optional().describe(
    "What was prepared and signed with the version asked for; absent where nothing was",
  ),
}).meta({ id: "VerifiedJob" });
export type VerifiedJob = z.infer<typeof VerifiedJob>;

export const GuardTradeInput = PrepareBody.extend({ jobId: JobId, jobToken: JobToken });

export const ExecutionQuery = z.strictObject({
  jobId: JobId,
  transactionHash: SubmissionBody.shape.transactionHash
    .optional()
    .describe("Hash of the transaction that the user's wallet sent; recorded for the job first"),
  jobToken: JobToken,
});

/** The content of the header PAYMENT-REQUIRED, x402 version 2. */
export const PaymentRequired = z.object({
  x402Version: z.literal(2),
  error: z.string().optional(),
  resource: z.object({
    url: z.string(),
    description: z.string().optional(),
    mimeType: z.string().optional(),
    serviceName: z.string().optional(),
    tags: z.array(z.string()).optional(),
    iconUrl: z.string().optional(),
  }),
  accepts: z.array(Requirements),
  extensions: z.record(z.string(), z.unknown()).optional(),
});
export type PaymentRequired = z.infer<typeof PaymentRequired>;

/** The content of the header PAYMENT-RESPONSE. */
export const Settlement = z.object({
  success: z.boolean(),
  transaction: z.string(),
  network: z.string(),
  payer: z.string().optional(),
  amount: z.string().optional(),
  extensions: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("x402's: the signed receipt, where the service signs them"),
});
export type Settlement = z.infer<typeof Settlement>;

export const Purchase = z.object({
  jobId: z.string(),
  payment: Job.shape.payment,
  entitlement: Job.shape.entitlement,
  paymentRequired: PaymentRequired.nullable().describe(
    "What the host's wallet signs; null when there is nothing to pay",
  ),
  settlement: Settlement.nullable().describe("Receipt of the payment; null when there is none"),
});
export type Purchase = z.infer<typeof Purchase>;

/** What the tools answer to who has not paid: the terms, and what may be told of the job all the same. */
export const PurchaseDue = Purchase.extend(PaymentRequired.shape);
export const VerificationDue = Job.omit({ report: true }).extend(PaymentRequired.shape);

export const ExecutionStatus = z.object({
  jobId: z.string(),
  execution: Execution.nullable().describe("Of the transactionHash given; null without one"),
  executions: z.array(Execution).describe("All executions of the job, oldest first"),
});
export type ExecutionStatus = z.infer<typeof ExecutionStatus>;
