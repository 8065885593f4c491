/** What the tools take, and the little that they tell a model of what the HTTP API answers. */
import { z } from "zod";
import { Decision } from "../../attestor/report.ts";
import { Text } from "../../attestor/values/primitives.ts";
import {
  ExecutionState,
  Hint,
  Job,
  JobBody,
  PrepareBody,
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
  .describe("jobToken of prepare_verification, where it answered one");

const PaymentSignature = z
  .string()
  .max(MAX_SIGNATURE_LENGTH)
  .regex(/^[A-Za-z0-9+/_-]+={0,2}$/, "must be the base64 text of the header PAYMENT-SIGNATURE")
  .optional()
  .describe("Base64 of the x402 version 2 payment that the user's wallet signed. Never a private key");

/** Longer than any symbol or asset key. */
const MAX_NAME_LENGTH = 80;

export const AssetQuery = z.strictObject({
  query: Text.min(1)
    .max(MAX_NAME_LENGTH)
    .optional()
    .describe("Part of a symbol or of the stock's ticker, such as AAPL"),
});

export const PolicyInput = z.strictObject({
  policyId: Text.min(1).max(64).optional().describe("Only this policy"),
});

const asset = (role: string) =>
  Text.min(1).max(MAX_NAME_LENGTH).describe(`Symbol or asset key of the token that is ${role}`);
const trade = {
  inputAssetKey: asset("spent"),
  outputAssetKey: asset("bought"),
  amount: z
    .string()
    .max(160)
    .optional()
    .describe('Input amount in units, such as "250 USDL" or "250"; or else amountInRaw'),
  amountInRaw: JobBody.shape.amountInRaw.optional(),
  policyId: JobBody.shape.policyId.describe("One of get_verification_policy"),
};
const isOneAmount = (given: { amount?: string | undefined; amountInRaw?: string | undefined }) =>
  (given.amount === undefined) !== (given.amountInRaw === undefined);
const oneAmount = { path: ["amount"], error: "give either amount or amountInRaw" };

export const VerificationInput = z
  .strictObject({
    ...JobBody.shape,
    ...trade,
    clientRequestId: JobBody.shape.clientRequestId.describe(
      "A new name for this trade; the same name with the same fields finds the same job",
    ),
  })
  .refine(isOneAmount, oneAmount);

/** Without a key. */
export const OpenVerificationInput = z
  .strictObject({
    ...VerifyInput.shape,
    ...trade,
    policyId: VerifyInput.shape.policyId.describe("One of get_verification_policy"),
    paymentSignature: PaymentSignature,
  })
  .refine(isOneAmount, oneAmount);
export type TradeInput = z.infer<typeof VerificationInput> | z.infer<typeof OpenVerificationInput>;

export const PurchaseInput = z.strictObject({
  jobId: JobId,
  paymentSignature: PaymentSignature,
  jobToken: JobToken,
});

const Version = z.int().min(1).max(999_999_999);

export const VerificationQuery = z.strictObject({
  jobId: JobId,
  version: Version.optional().describe("Of the report; the latest without it"),
  jobToken: JobToken,
});

export const GuardTradeInput = PrepareBody.extend({
  jobId: JobId,
  include: z
    .enum(["call"])
    .optional()
    .describe("call: with the call data, for a host whose wallet is a tool"),
  jobToken: JobToken,
});

export const ExecutionQuery = z.strictObject({
  jobId: JobId,
  transactionHash: SubmissionBody.shape.transactionHash
    .optional()
    .describe("Of the transaction that was sent; it is recorded first"),
  jobToken: JobToken,
});

const next = z.string().describe("What to do now");

export const AssetList = z.object({
  assets: z.array(
    z.object({
      symbol: z.string(),
      assetKey: z.string(),
      kind: z.enum(["stock", "settlement"]),
      underlying: z.string().nullable(),
      decimals: z.number(),
    }),
  ),
  next,
});

const bps = z.number();
export const PolicyList = z.object({
  policies: z.array(
    z.object({
      policyId: z.string(),
      sessions: z.array(z.string()),
      reference: z.string(),
      maxReferenceAgeSeconds: z.number(),
      maxPremiumBps: bps,
      maxImpactBps: bps,
      maxSlippageBps: bps,
      maxNotionalUsd: z.string(),
    }),
  ),
  next,
});

/** A finding that did not pass. */
const Refusal = z.object({ check: z.string(), message: z.string() });

const verdict = {
  jobId: z.string(),
  version: z.number().nullable().describe("Of the report"),
  decision: Decision.nullable().describe("null: not paid for"),
  understood: z.string().describe("The trade in words"),
  refusals: z.array(Refusal),
  hints: z.array(Hint.omit({})).describe("What would let each pass"),
  premiumBps: z.string().nullable(),
  impactBps: z.string().nullable(),
};

export const Verdict = z.object({ ...verdict, payment: Job.shape.payment.shape.state, next });
export type Verdict = z.infer<typeof Verdict>;

/** A job with the token that opens it. */
export const OpenedVerdict = Verdict.extend({ jobToken: z.string().describe("Goes with the jobId") });

const Call = z.object({ to: z.string(), data: z.string(), value: z.string() });

export const PreparedVerdict = z.object({
  ...verdict,
  expiresAt: z.string().optional().describe("Until when it can be sent"),
  sends: z
    .object({
      chainId: z.number(),
      to: z.string(),
      function: z.string(),
      approve: z.string().optional().describe("What the owner approves first"),
    })
    .optional()
    .describe("The call by which the owner carries the trade out; absent on DENY"),
  signUrl: z.string().optional().describe("A page where the user's wallet signs and sends it"),
  approvals: z.array(Call).optional().describe("What the owner sends before the call, in this order"),
  guardCall: Call.optional(),
  next,
});
export type PreparedVerdict = z.infer<typeof PreparedVerdict>;

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
});
export type Settlement = z.infer<typeof Settlement>;

export const PurchaseAnswer = z.object({
  jobId: z.string(),
  payment: Job.shape.payment.shape.state,
  settlement: Settlement.nullable().describe("Receipt; null without a payment"),
  next,
});

export const ExecutionStatus = z.object({
  jobId: z.string(),
  execution: z
    .object({
      transactionHash: z.string(),
      state: ExecutionState,
      reason: z.string().optional(),
      spent: z.string().optional(),
      received: z.string().optional(),
      evidenceHash: z.string().optional(),
    })
    .nullable()
    .describe("Of the hash given, else the confirmed or the latest one"),
  next,
});
export type ExecutionStatus = z.infer<typeof ExecutionStatus>;
