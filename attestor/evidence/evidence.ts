/**
 * The evidence: every fact that the checks may look at, as one JSON object.
 *
 * Facts come from outside (chain, reference sources, stored samples); figures are worked out from
 * them here, so that a verifier can work them out again. Amounts, prices and hashes are strings,
 * numbers are safe integers, times are unix seconds, distances are basis points with four places.
 */
import * as z from "zod";
import { Intent } from "../intent.ts";
import { TokenKind } from "../shares.ts";
import {
  AssetKey,
  BasisPoints,
  Bytes32,
  JobId,
  PolicyId,
  RawAmount,
  RegistryVersion,
  TradedSymbol,
  UnixSeconds,
  UnsignedDecimal,
  UsdFigure,
} from "../values/primitives.ts";
import { Facts } from "./facts.ts";

/** The assets of the trade, as the registry names them. */
export const TradeFacts = z.strictObject({
  side: z.enum(["buy", "sell"]),
  stockAssetKey: AssetKey,
  symbol: TradedSymbol,
  underlying: TradedSymbol,
  inputDecimals: z
    .int()
    .min(0)
    .max(36)
    .describe("Decimals of the input token: raw units are whole tokens times 10 to the power of this"),
  outputDecimals: z.int().min(0).max(36).describe("Decimals of the output token"),
  settlementAssetKey: AssetKey,
  settlementSymbol: TradedSymbol,
  /** null where the registry does not say: the shares per token are then not known. */
  tokenKind: TokenKind.nullable(),
});
export type TradeFacts = z.infer<typeof TradeFacts>;

/** What follows from the facts; null where a fact that it needs is missing. */
export const Figures = z.strictObject({
  settlementPriceUsd: UsdFigure.nullable().describe(
    "US dollars per whole settlement token: the median of the prices that the policy counts, up to 8 decimals, half up; null without one",
  ),
  notionalUsd: UsdFigure.nullable().describe(
    "The trade's value in US dollars at the price of the settlement token, up to 8 decimals, half up; null without that price, and of a sell without a quote",
  ),
  referencePriceUsd: UsdFigure.nullable().describe(
    "US dollars per share: the median of the reference prices that the policy counts, up to 8 decimals, half up; null without one",
  ),
  sharesPerToken: UnsignedDecimal.nullable().describe(
    "Shares of the stock that one whole token stands for, as stated, unrounded; null where the kind of token or its factor is not known",
  ),
  tokenPricePerShareUsd: UsdFigure.nullable().describe(
    "US dollars that the tiny trade pays per share, up to 8 decimals, half up; null without a quote, the price of the settlement token or the shares per token",
  ),
  premiumBps: BasisPoints.nullable().describe(
    "Token above (+) or below (-) the stock, basis points, up to 4 decimals, half away from zero; null where either price is",
  ),
  impactBps: BasisPoints.nullable().describe(
    "The extra cost of this size over the tiny trade, basis points, up to 4 decimals, half away from zero; null without a quote or with a zero amount",
  ),
  minAmountOutRaw: RawAmount.nullable().describe(
    "The minimum output, in raw units: the quote less the slippage, rounded down, or the intent's `minAmountOutRaw` where that is more; null without a quote",
  ),
});
export type Figures = z.infer<typeof Figures>;

/** Evidence of another schema is UNVERIFIABLE: this program cannot tell what it says. */
export const EVIDENCE_SCHEMA = "assay.evidence/2";

export const Evidence = Facts.extend({
  schema: z.literal(EVIDENCE_SCHEMA),
  jobId: JobId,
  reportVersion: z.int().min(1).describe("Version of the report within its job, from 1"),
  capturedAt: UnixSeconds.describe("Moment of judgement, unix seconds"),
  intent: Intent,
  policy: z.strictObject({
    policyId: PolicyId,
    version: z.int().min(1).describe("Version of the policy"),
    definitionHash: Bytes32,
  }),
  registry: z.strictObject({ version: RegistryVersion, hash: Bytes32 }),
  trade: TradeFacts,
  figures: Figures,
}).meta({ id: "Evidence" });
export type Evidence = z.infer<typeof Evidence>;
