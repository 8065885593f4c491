/** What an agent fixed (the intent), and what the guard is asked to carry out (the trade intent). */
import * as z from "zod";
import { Address, AssetKey, Bytes32, PositiveAmount, RawAmount, Text } from "./values/primitives.ts";

/** What an owner accepts of the trade beside what the policy allows. None is wider than the policy's own bound. */
export const Limits = z
  .strictObject({
    maxPremiumBps: z
      .int()
      .min(-10_000)
      .max(10_000)
      .optional()
      .describe("Greatest premium against the trader, basis points; a negative one demands a discount"),
    maxImpactBps: z.int().min(0).max(10_000).optional().describe("Greatest price impact, basis points"),
    minAmountOutRaw: PositiveAmount.optional().describe(
      "Least output, raw units of the output token; the guard enforces it",
    ),
    maxReferenceAgeSeconds: z
      .int()
      .min(1)
      .optional()
      .describe("Greatest age of a reference price that counts, seconds"),
  })
  .refine((limits) => Object.keys(limits).length > 0, "must name a limit")
  .meta({ id: "Limits", minProperties: 1 });
export type Limits = z.infer<typeof Limits>;

export const Intent = z
  .strictObject({
    ownerAddress: Address,
    recipientAddress: Address,
    inputAssetKey: AssetKey,
    outputAssetKey: AssetKey,
    amountInRaw: PositiveAmount.describe("What the trade puts in, raw units of the input token"),
    policyId: Text.min(1).max(40),
    maxSlippageBps: z
      .int()
      .min(0)
      .max(10_000)
      .describe("The greatest slippage that the owner accepts, basis points"),
    limits: Limits.optional().describe("Absent where the policy's bounds are enough for the owner"),
  })
  .meta({ id: "Intent" });
export type Intent = z.infer<typeof Intent>;

/** The on-chain `TradeIntent`; numbers are decimal strings. Member order is the order of the Solidity struct. */
export const TradeIntent = z
  .strictObject({
    owner: Address,
    recipient: Address,
    inputToken: Address,
    outputToken: Address,
    amountIn: RawAmount.describe("What the trade puts in, raw units of the input token"),
    minAmountOut: RawAmount.describe("The least that the recipient must get, raw units of the output token"),
    route: Address,
    callDataHash: Bytes32.describe("keccak256 of the whole route call data"),
    policyHash: Bytes32.describe("Hash of the policy definition that the trade is judged by"),
    nonce: RawAmount.describe("Number of the trade intent among its owner's: the guard takes each once"),
    deadline: RawAmount.describe("Until when it can be executed, unix seconds"),
  })
  .meta({ id: "TradeIntent" });
export type TradeIntent = z.infer<typeof TradeIntent>;
