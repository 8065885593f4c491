/** What callers of the verification API send, for validation and for the OpenAPI file alike. */
import { z } from "zod";
import { Limits } from "../../attestor/intent.ts";
import { Address, AssetKey, PositiveAmount, Text } from "../../attestor/values/primitives.ts";

/** Far more than a URL or an id needs; keeps echoes and lookups small. */
const ShortText = Text.max(64);

const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";
const Wallet = Address.refine((value) => value !== ZERO_ADDRESS, "must not be the zero address");

const tradeFields = {
  ownerAddress: Wallet.describe("Wallet that owns the input and signs or sends the trade"),
  inputAssetKey: AssetKey.describe("Asset key of the token that is spent: eip155:<chainId>:<address>"),
  outputAssetKey: AssetKey.describe("Asset key of the token that is bought: eip155:<chainId>:<address>"),
  amountInRaw: PositiveAmount.describe("Input amount in raw integer units"),
};

const MaxSlippageBps = z.int().min(0).max(10_000).describe("Maximum slippage in basis points");

const differentAssets = (body: { inputAssetKey: string; outputAssetKey: string }) =>
  body.inputAssetKey !== body.outputAssetKey;
const sameAsset = { path: ["outputAssetKey"], error: "must not be the input asset" };

const AskedLimits = Limits.optional().describe(
  "Tighter than the policy's bounds; a wider one is `limit_too_wide`",
);
export const JobBody = z
  .strictObject({
    clientRequestId: z
      .string()
      .regex(/^[A-Za-z0-9._:-]{1,64}$/, "must be 1 to 64 characters of A-Za-z0-9._:-"),
    ...tradeFields,
    recipientAddress: Wallet.optional().describe("The recipient of the output; the owner by default"),
    policyId: ShortText.min(1),
    maxSlippageBps: MaxSlippageBps,
    limits: AskedLimits,
  })
  .refine(differentAssets, sameAsset)
  .meta({ id: "JobRequest" });
export type JobBody = z.infer<typeof JobBody>;

/** Without a component name, so that a client that is sent this schema finds its members at the top. */
export const VerifyInput = z
  .strictObject({
    ...tradeFields,
    policyId: ShortText.min(1).default("STRICT_LIVE").describe("Policy identifier"),
    maxSlippageBps: MaxSlippageBps.default(50),
    limits: AskedLimits,
  })
  .refine(differentAssets, sameAsset);
export const VerifyBody = VerifyInput.meta({ id: "VerifyRequest" });
export type VerifyBody = z.infer<typeof VerifyBody>;

export const PrepareBody = z
  .strictObject({
    deadlineSeconds: z
      .int()
      .min(10)
      .max(1800)
      .default(300)
      .describe("How long the trade intent may be executed, in seconds"),
  })
  .meta({ id: "PrepareRequest" });
export type PrepareBody = z.infer<typeof PrepareBody>;

export const SubmissionBody = z
  .strictObject({
    transactionHash: z
      .string()
      .regex(/^0x[0-9a-fA-F]{64}$/, "must be 0x and 64 hexadecimal digits")
      .overwrite((hash) => hash.toLowerCase()),
  })
  .meta({ id: "SubmissionRequest" });
export type SubmissionBody = z.infer<typeof SubmissionBody>;

export const JobQuery = z.object({
  wait: z
    .string()
    .regex(/^([0-9]|[12][0-9]|30)$/, "must be a whole number of seconds from 0 to 30")
    .transform(Number)
    .optional()
    .meta({
      description:
        "Seconds, 0 to 30: answers once no execution of the job is `submitted` and no payment `settling`, or when they are over. Where very many wait it answers at once",
      override: { type: "integer", minimum: 0, maximum: 30, pattern: undefined },
    }),
});
export const JobParams = z.object({ id: ShortText.describe("Id of the job") });
export const ReportQuery = z.object({
  version: z
    .string()
    .regex(/^[1-9][0-9]{0,8}$/, "must be a whole number from 1")
    .transform(Number)
    .optional()
    .meta({
      description: "Which version of the report, from 1; the latest without",
      override: { type: "integer", minimum: 1, pattern: undefined },
    }),
});
