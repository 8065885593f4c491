/**
 * `assay.evidence/1`, frozen: stored reports and certificates rest on it. It has one figure for the shares per token
 * whatever the token's kind, no announced changes, and counts a settlement token as one US dollar.
 */
import * as z from "zod";
import { BasisPoints, RawAmount, UnsignedDecimal, UsdFigure } from "../values/primitives.ts";
import { commonFacts, judgedBy, Source, tradedAssets } from "./evidenceParts.ts";

export const EVIDENCE_SCHEMA_1 = "assay.evidence/1";

export const TokenFacts1 = z.strictObject({
  source: Source,
  sharesPerToken: UnsignedDecimal.meta({
    description: "Shares of the stock that one whole token stands for, unrounded",
  }),
  halted: z.boolean(),
});

export const Facts1 = z.strictObject({ ...commonFacts, token: TokenFacts1.nullable() });
export type Facts1 = z.infer<typeof Facts1>;

export const TradeFacts1 = z.strictObject(tradedAssets);
export type TradeFacts1 = z.infer<typeof TradeFacts1>;

/** What follows from the facts; null where a fact that it needs is missing. */
export const Figures1 = z.strictObject({
  notionalUsd: UsdFigure.nullable().meta({
    description:
      "The trade's value in US dollars, the settlement token counted at one, up to 8 decimals, half up; null of a sell without a quote",
  }),
  referencePriceUsd: UsdFigure.nullable().meta({
    description:
      "US dollars per share: the median of the reference prices that the policy counts, up to 8 decimals, half up; null without one",
  }),
  tokenPricePerShareUsd: UsdFigure.nullable().meta({
    description:
      "US dollars that the tiny trade pays per share, up to 8 decimals, half up; null without a quote or the shares per token",
  }),
  premiumBps: BasisPoints.nullable().meta({
    description:
      "Token above (+) or below (-) the stock, basis points, up to 4 decimals, half away from zero; null where either price is",
  }),
  impactBps: BasisPoints.nullable().meta({
    description:
      "What this size costs more than the tiny trade, basis points, up to 4 decimals, half away from zero; null without a quote, or where one of its amounts is zero",
  }),
  minAmountOutRaw: RawAmount.nullable().meta({
    description:
      "The least that the recipient may get: the quote less the slippage, raw units of the output token, rounded down; null without a quote",
  }),
});
export type Figures1 = z.infer<typeof Figures1>;

export const Evidence1 = Facts1.extend({
  schema: z.literal(EVIDENCE_SCHEMA_1),
  ...judgedBy,
  trade: TradeFacts1,
  figures: Figures1,
}).meta({ id: "Evidence1" });
export type Evidence1 = z.infer<typeof Evidence1>;
