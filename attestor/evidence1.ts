/**
 * `assay.evidence/1`, frozen: stored reports and certificates rest on it. It has one figure for the shares per token
 * whatever the token's kind, no announced changes, and counts a settlement token as one US dollar.
 */
import * as z from "zod";
import { commonFacts, judgedBy, Source, tradedAssets } from "./evidenceParts.ts";
import { BasisPoints, RawAmount, UnsignedDecimal, UsdFigure } from "./primitives.ts";

export const EVIDENCE_SCHEMA_1 = "assay.evidence/1";

export const TokenFacts1 = z.strictObject({
  source: Source,
  /** Shares of the stock that one whole token stands for. */
  sharesPerToken: UnsignedDecimal,
  halted: z.boolean(),
});

export const Facts1 = z.strictObject({ ...commonFacts, token: TokenFacts1.nullable() });
export type Facts1 = z.infer<typeof Facts1>;

export const TradeFacts1 = z.strictObject(tradedAssets);
export type TradeFacts1 = z.infer<typeof TradeFacts1>;

/** What follows from the facts; null where a fact that it needs is missing. */
export const Figures1 = z.strictObject({
  /** The settlement token is counted at one USD. */
  notionalUsd: UsdFigure.nullable(),
  /** Median of the reference prices that the policy counts. */
  referencePriceUsd: UsdFigure.nullable(),
  tokenPricePerShareUsd: UsdFigure.nullable(),
  /** Token above (+) or below (-) the stock. */
  premiumBps: BasisPoints.nullable(),
  impactBps: BasisPoints.nullable(),
  /** The least that the recipient may get: the quote less the slippage, rounded down. */
  minAmountOutRaw: RawAmount.nullable(),
});
export type Figures1 = z.infer<typeof Figures1>;

export const Evidence1 = Facts1.extend({
  schema: z.literal(EVIDENCE_SCHEMA_1),
  ...judgedBy,
  trade: TradeFacts1,
  figures: Figures1,
}).meta({ id: "Evidence1" });
export type Evidence1 = z.infer<typeof Evidence1>;
