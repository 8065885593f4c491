/** The data API's schemas, for the OpenAPI document and the tests. */

import { z } from "zod";
import { CHAIN_NAMES } from "../../attestor/chains.ts";
import { Attribution, DateTime } from "./members.ts";
import { BasisInputs, PremiumInputs } from "./pointSchemas.ts";

export const Bps = z.number().nullable();
const DAYS = "How many days back were asked for";
const Chain = z.enum(CHAIN_NAMES);
/** Issuers of listed tokens. */
export const Issuer = z.enum(["xstocks", "ondo", "bstocks"]);
export const Grade = z.enum(["A", "B", "C", "D"]);
export const DecimalText = z.string().regex(/^[0-9]+(\.[0-9]+)?$/);

const Token = {
  chain: Chain.nullable().describe("Of the token that was found; null when there is none"),
  address: z.string().nullable(),
};
export const State = z.enum(["agreed", "single", "disputed"]);
const LEVEL =
  "`agreed`: at least two independent origins are within their tolerances; their median is served. `single`: only one origin states it. `disputed`: no majority agrees; the figure is null. null: there is no figure";
/** What a point tells of its hour's last sample, beside its figures. */
const Told = {
  source: z
    .string()
    .describe(
      "Sources that agree on the token's price, or the venue of a perpetual, in the order of their names; `simulated` in the local world",
    ),
  session: z.string().describe("Session of the stock market at that sample"),
  reference: z
    .string()
    .nullable()
    .describe("Sources that agree on the stock's price, in the order of their names; null without one"),
  state: State.nullable().describe(
    `How well the sources agree; the worst counts. Of a premium: the token's price, its shares and the stock's price. Of a basis: the mark and the stock's price. ${LEVEL}`,
  ),
  halted: z
    .boolean()
    .describe("The token is paused or its stock halted: the figure is of a market that stands still"),
  samples: z.int().min(1).describe("Samples in this hour"),
  spread_bps: Bps.describe(
    "How far the outermost sources that agree are apart, basis points, added up over the parts of the figure; null where no part has two",
  ),
  witnesses: z
    .int()
    .min(1)
    .nullable()
    .describe(
      "How many sources agree on the last sample: the fewest of those of its parts, as in `state`; null: nobody counted",
    ),
  reference_age: z
    .int()
    .min(0)
    .nullable()
    .describe(
      "Seconds between the reference price and that sample; null without one, or where its source states no time",
    ),
};
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
  .object({
    symbol: z.string(),
    underlying: z.string().describe("Ticker of the stock"),
    name_en: z.string(),
    name_cn: z.string(),
    issuer: Issuer,
    chain: Chain,
    address: z.string().describe("Contract or mint; match by it, never by symbol"),
    tags: z.array(z.string()),
    grade: Grade.nullable().describe("Liquidity grade; null with fewer than 3 samples in 7 days"),
    decimals: z.int().describe("Decimals of the token: raw units are whole tokens times 10 to their power"),
    asset_key: z.string().describe("`eip155:<chain id>:<address>` or `solana:mainnet:<address>`"),
    address_confidence: z
      .enum(["high", "medium"])
      .describe("`medium`: a single public source states this address"),
    unpriced_reason: z
      .string()
      .nullable()
      .describe("Why this token cannot have a premium here; null when it can"),
  })
  .meta({ id: "DataAsset" });

export const AssetsAnswer = z
  .object({
    attribution: Attribution,
    count: z.int().describe("Tokens in the list"),
    assets: z.array(Asset),
  })
  .meta({ id: "DataAssets" });

const LiquidityScore = z
  .object({
    symbol: z.string(),
    grade: Grade.describe("Grade of the median at $10k, given even while there are too few samples"),
    impact_1k_bps: Bps.describe(
      "Median adverse impact of buying $1,000 by the quotes of one venue at a time, basis points, up to 4 decimals, half away from zero; null: no route",
    ),
    impact_10k_bps: Bps.describe(
      "Median adverse impact of buying $10,000 by the quotes of one venue at a time, basis points, up to 4 decimals, half away from zero; null: no route",
    ),
    sample_n: z.int().min(1).describe("Samples in the 7-day window; fewer than 3 are insufficient"),
    updated_at: DateTime,
    chain: Chain,
    address: z.string(),
    source: z.string().describe("Who measured the newest sample"),
  })
  .meta({ id: "LiquidityScore" });

export const ScoresAnswer = z
  .object({
    attribution: Attribution,
    methodology: z.string().describe("Constant: how scores are made"),
    scores: z.array(LiquidityScore),
  })
  .meta({ id: "LiquidityScores" });

export const PremiumPoint = z
  .object({
    ts: DateTime.describe("Start of the hour"),
    premium_bps: Bps.describe(
      "At the hour's close, of the medians of the sources that agree on each part, basis points, up to 4 decimals, half away from zero; positive: above the stock; null: no reference price, or a part is disputed",
    ),
    ...Told,
  })
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
  .object({
    day: z.string().meta({ format: "date" }),
    scope: z.string().describe("`all`, `issuer:<issuer>` or `chain:<chain>`"),
    vol: DecimalText.nullable().describe(
      "DEX volume of the 24 hours before midnight UTC, US dollars, unrounded; null while `complete` is false",
    ),
    liq: DecimalText.nullable().describe(
      "DEX liquidity at midnight UTC, US dollars, unrounded; null likewise",
    ),
    cnt: z.int().describe("Tokens with DEX data that day"),
    expected: z.int().describe("Tokens of the scope that had data on that day or in the seven days before"),
    complete: z
      .boolean()
      .describe(
        "False: at the day's end some of the expected tokens had no figure, or a disputed one. vol and liq are null then, until late samples arrive",
      ),
    state: Totals,
  })
  .meta({ id: "DayTotal" });

const LiveTotals = z.object({
  vol24Usd: z
    .number()
    .nullable()
    .describe(
      "24-hour DEX volume of the tokens that are not halted and whose figures are at most an hour old, US dollars, unrounded; null where there is none, or one of the expected tokens has no figure",
    ),
  liquidityUsd: z
    .number()
    .nullable()
    .describe("DEX liquidity of the same tokens, US dollars, unrounded; null likewise"),
  assetCount: z.int().describe("As `count` of /api/v1/assets"),
  tokensWithDexData: z.int().describe("Tokens that have both figures"),
  expected: z
    .int()
    .describe("Tokens that had volume and liquidity in the last seven days and are not halted"),
  complete: z
    .boolean()
    .describe(
      "False: some of the expected tokens have no figure of the last hour, or a disputed one. The sums are null then",
    ),
  state: Totals,
});

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
    premium: Bps.describe(
      "At the hour's close, of the medians of the sources that agree on each part; positive: above the stock; null: no reference price, or a part is disputed, basis points, up to 4 decimals, half away from zero",
    ),
    lo: Bps.describe("Lowest of the hour; null: none, basis points, up to 4 decimals, half away from zero"),
    hi: Bps.describe("Highest of the hour; null: none, basis points, up to 4 decimals, half away from zero"),
    net_edge: Bps.describe(
      "-premium - platform fee - impact of $1,000 at one venue, basis points, up to 4 decimals, half away from zero; negative: pricier than the stock; null where one of them is unknown",
    ),
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
    basis: Bps.describe(
      "(perpetual - spot) / spot at the hour's close, of the venue's own mark, where other venues bear it out, and the median of the stock's sources; null: a price is missing or disputed, basis points, up to 4 decimals, half away from zero",
    ),
    lo: Bps.describe("Lowest of the hour; null: none, basis points, up to 4 decimals, half away from zero"),
    hi: Bps.describe("Highest of the hour; null: none, basis points, up to 4 decimals, half away from zero"),
    funding_annual: Bps.describe(
      "Annualized funding at the hour's close, by the venue's word alone; null: rate or interval not stated, or disputed, basis points, up to 4 decimals, half away from zero",
    ),
    ...Told,
    funding_state: State.nullable().describe(`Of \`funding_annual\`. ${LEVEL}`),
  })
  .meta({ id: "BasisPoint" });

export const BasisAnswer = z
  .object({
    underlying: z.string(),
    days: days(30),
    points: z.array(BasisPoint.extend(withInputs(BasisInputs))),
    venue: z
      .string()
      .nullable()
      .describe("The venue of the perpetual, from which all points come; null when no venue lists the stock"),
    venues: z.array(z.string()).describe("All venues with a series of the stock, the default first"),
    attribution: Attribution,
    ...OfWindow,
  })
  .meta({ id: "BasisHistory" });
