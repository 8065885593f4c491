/** The data API's schemas, for the OpenAPI document and the tests. descriptions.json describes each member. */

import { z } from "zod";
import { CHAIN_NAMES } from "../../attestor/chains.ts";
import { worded } from "../http/worded.ts";
import WORDS from "./descriptions.json" with { type: "json" };
import { Attribution, DateTime } from "./members.ts";
import { BasisInputs, PremiumInputs } from "./pointSchemas.ts";

export const Bps = z.number().nullable();
const DAYS = "How many days back were asked for";
const Chain = z.enum(CHAIN_NAMES);
/** Issuers of listed tokens. */
export const Issuer = z.enum(["xstocks", "ondo", "bstocks"]);
export const Grade = z.enum(["A", "B", "C", "D"]);
export const DecimalText = z.string().regex(/^[0-9]+(\.[0-9]+)?$/);
const Amount = DecimalText.describe("US dollars, unrounded");

const Token = {
  chain: Chain.nullable().describe("Of the token that was found; null when there is none"),
  address: z.string().nullable(),
};
export const State = z.enum(["agreed", "single", "disputed"]);
const LEVEL =
  "`agreed`: at least two independent origins are within their tolerances; their median is served. `single`: only one origin states it. `disputed`: no majority agrees; the figure is null. null: there is no figure";
/** What a point tells of its hour's last sample, beside its figures. */
const Told = worded(WORDS.Told, {
  source: z.string(),
  session: z.string(),
  reference: z.string().nullable(),
  state: State.nullable().describe(
    `How well the sources agree; the worst counts. Of a premium: the token's price, its shares and the stock's price. Of a basis: the mark and the stock's price. ${LEVEL}`,
  ),
  halted: z.boolean(),
  samples: z.int().min(1),
  spread_bps: Bps,
  witnesses: z.int().min(1).nullable(),
  reference_age: z.int().min(0).nullable(),
});
/** What a point has where it is asked for. */
const withInputs = (inputs: z.ZodType) => ({ inputs: inputs.optional().describe("With `inputs=1`") });
/** Of an answer to `from`, `to` or `inputs`, and of no other. */
const OfWindow = {
  from: DateTime.optional().describe("In an answer about a window: its beginning, inclusive"),
  to: DateTime.optional().describe("In an answer about a window: its end, exclusive"),
};
const UnixHour = z.int().describe("Unix seconds, start of the hour");
const days = (most: number) => z.int().min(1).max(most).meta({ description: DAYS });

const Asset = z
  .object(
    worded(WORDS.Asset, {
      symbol: z.string(),
      underlying: z.string(),
      name_en: z.string(),
      name_cn: z.string(),
      issuer: Issuer,
      chain: Chain,
      address: z.string(),
      tags: z.array(z.string()),
      grade: Grade.nullable(),
      decimals: z.int(),
      asset_key: z.string(),
      address_confidence: z.enum(["high", "medium"]),
      unpriced_reason: z.string().nullable(),
    }),
  )
  .meta({ id: "DataAsset" });

export const AssetsAnswer = z
  .object({
    attribution: Attribution,
    count: z.int().describe("Tokens in the list"),
    assets: z.array(Asset),
  })
  .meta({ id: "DataAssets" });

const LiquidityScore = z
  .object(
    worded(WORDS.LiquidityScore, {
      symbol: z.string(),
      grade: Grade,
      impact_1k_bps: Bps,
      impact_10k_bps: Bps,
      sample_n: z.int().min(1),
      updated_at: DateTime,
      chain: Chain,
      address: z.string(),
      source: z.string(),
    }),
  )
  .meta({ id: "LiquidityScore" });

export const ScoresAnswer = z
  .object({
    attribution: Attribution,
    methodology: z.string().describe("Constant: how scores are made"),
    scores: z.array(LiquidityScore),
  })
  .meta({ id: "LiquidityScores" });

export const PremiumPoint = z
  .object({ ...worded(WORDS.PremiumPoint, { ts: DateTime, premium_bps: Bps }), ...Told })
  .meta({ id: "PremiumPoint" });

export const PremiumHistoryAnswer = z
  .object({
    attribution: Attribution,
    symbol: z.string(),
    days: days(90),
    points: z.array(PremiumPoint.extend(withInputs(PremiumInputs))),
    ...Token,
    ...OfWindow,
  })
  .meta({ id: "PremiumHistory" });

const Totals = z
  .literal("single")
  .describe(
    "Each pool's volume and liquidity are one index's word, up to what measured buys and the trades of the day before allow; no second index is asked. Halted tokens are in no total",
  );

export const DayTotal = z
  .object(
    worded(WORDS.DayTotal, {
      day: z.string().meta({ format: "date" }),
      scope: z.string(),
      vol: Amount.nullable(),
      liq: Amount.nullable(),
      cnt: z.int(),
      expected: z.int(),
      complete: z.boolean(),
      state: Totals,
    }),
  )
  .meta({ id: "DayTotal" });

const LiveTotals = z.object(
  worded(WORDS.LiveTotals, {
    vol24Usd: z.number().nullable(),
    liquidityUsd: z.number().nullable(),
    assetCount: z.int(),
    tokensWithDexData: z.int(),
    expected: z.int(),
    complete: z.boolean(),
    state: Totals,
  }),
);

export const OverviewAnswer = z
  .object({
    days: days(365),
    series: z.array(DayTotal),
    live: LiveTotals.nullable().meta({
      id: "LiveTotals",
      description: "null while the database is unavailable",
    }),
    attribution: Attribution,
    ...OfWindow,
  })
  .meta({ id: "MarketOverview" });

export const PublicPremiumPoint = z
  .object({
    t: UnixHour,
    ...worded(WORDS.PublicPremiumPoint, { premium: Bps, lo: Bps, hi: Bps, net_edge: Bps }),
    ...Told,
  })
  .meta({ id: "PublicPremiumPoint" });

export const PublicPremiumAnswer = z
  .object({
    symbol: z.string(),
    days: days(30),
    points: z.array(PublicPremiumPoint),
    ...Token,
    attribution: Attribution,
    ...OfWindow,
  })
  .meta({ id: "PublicPremiumHistory" });

export const BasisPoint = z
  .object({
    t: UnixHour,
    ...worded(WORDS.BasisPoint, { basis: Bps, lo: Bps, hi: Bps, funding_annual: Bps }),
    ...Told,
    funding_state: State.nullable().describe(`Of \`funding_annual\`. ${LEVEL}`),
  })
  .meta({ id: "BasisPoint" });

export const BasisAnswer = z
  .object({
    underlying: z.string(),
    days: days(30),
    points: z.array(BasisPoint.extend(withInputs(BasisInputs))),
    ...worded(WORDS.BasisHistory, { venue: z.string().nullable(), venues: z.array(z.string()) }),
    attribution: Attribution,
    ...OfWindow,
  })
  .meta({ id: "BasisHistory" });
