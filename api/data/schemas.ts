/** What the data API answers, for the OpenAPI document and the tests. */

import { z } from "zod";
import { CHAIN_NAMES } from "../../attestor/chains.ts";

const DateTime = z.string().meta({ format: "date-time" });
const Bps = z.number().nullable();
const DAYS = "How many days back were asked for";
/** All of them are rounded alike. */
const bps = (what: string) => Bps.describe(`${what}, basis points, up to 4 decimals, half away from zero`);
const Attribution = z.string().describe("Constant: where the data come from and how to use them");
const Chain = z.enum(CHAIN_NAMES);
/** Who issues listed tokens. */
export const Issuer = z.enum(["xstocks", "ondo", "bstocks"]);
const Grade = z.enum(["A", "B", "C", "D"]);
const DecimalText = z
  .string()
  .regex(/^[0-9]+(\.[0-9]+)?$/)
  .describe("US dollars, unrounded");

const Token = {
  chain: Chain.nullable().describe("Of the token that was found; null when there is none"),
  address: z.string().nullable(),
};
const Origin = {
  source: z.string().describe("Who measured the hour's last sample; `simulated` in the local world"),
  session: z.string().describe("Session of the stock market at that sample"),
};
const Samples = z.int().min(1).describe("Samples in this hour");
const Reference = z
  .string()
  .nullable()
  .describe("Who stated the reference price of that sample; null without one");
const Counts = {
  witnesses: z
    .int()
    .min(1)
    .nullable()
    .describe(
      "How many sources agree on the last sample: of a premium the fewer of those of the token's price and of the reference, of a basis those of the spot price; null in hours from before they were counted",
    ),
  reference_age: z
    .int()
    .min(0)
    .nullable()
    .describe(
      "Seconds between the reference price and that sample; null without one, or where its source states no time",
    ),
};
const UnixHour = z.int().describe("Unix seconds, start of the hour");

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

export const ScoresAnswer = z
  .object({
    attribution: Attribution,
    methodology: z.string().describe("Constant: how scores are made"),
    scores: z.array(
      z
        .object({
          symbol: z.string(),
          grade: Grade.describe("Grade of the median at $10k, given even while there are too few samples"),
          impact_1k_bps: Bps.describe(
            "Median adverse impact of buying $1,000, basis points, up to 4 decimals, half away from zero; null: no route",
          ),
          impact_10k_bps: Bps.describe(
            "Median adverse impact of buying $10,000, basis points, up to 4 decimals, half away from zero; null: no route",
          ),
          sample_n: z.int().min(1).describe("Samples in the 7-day window; fewer than 3 are insufficient"),
          updated_at: DateTime,
          chain: Chain,
          address: z.string(),
          source: z.string().describe("Who measured the newest sample"),
        })
        .meta({ id: "LiquidityScore" }),
    ),
  })
  .meta({ id: "LiquidityScores" });

export const PremiumHistoryAnswer = z
  .object({
    attribution: Attribution,
    symbol: z.string(),
    days: z.int().min(1).max(90).meta({ description: DAYS }),
    points: z.array(
      z
        .object({
          ts: DateTime.describe("Start of the hour"),
          premium_bps: Bps.describe(
            "At the hour's close, basis points, up to 4 decimals, half away from zero; positive: above the stock; null: no reference price",
          ),
          ...Origin,
          reference: Reference,
          samples: Samples,
          ...Counts,
        })
        .meta({ id: "PremiumPoint" }),
    ),
    ...Token,
  })
  .meta({ id: "PremiumHistory" });

export const OverviewAnswer = z
  .object({
    days: z.int().min(1).max(365).meta({ description: DAYS }),
    series: z.array(
      z
        .object({
          day: z.string().meta({ format: "date" }),
          scope: z.string().describe("`all`, `issuer:<issuer>` or `chain:<chain>`"),
          vol: DecimalText,
          liq: DecimalText,
          cnt: z.int().describe("Tokens with DEX data that day"),
          expected: z
            .int()
            .nullable()
            .describe(
              "Tokens of the scope that had data on that day or in the seven days before; null for days from before they were counted",
            ),
          complete: z
            .boolean()
            .nullable()
            .describe(
              "False: vol and liq cover fewer tokens than expected, because a provider was down at the day's end; they grow when late samples arrive. Null where expected is null",
            ),
        })
        .meta({ id: "DayTotal" }),
    ),
    live: z
      .object({
        vol24Usd: z
          .number()
          .nullable()
          .describe(
            "24-hour DEX volume of the tokens whose figures are at most an hour old, US dollars, unrounded; null where there is none",
          ),
        liquidityUsd: z
          .number()
          .nullable()
          .describe("DEX liquidity of the same tokens, US dollars, unrounded; null where there is none"),
        assetCount: z.int().describe("As `count` of /api/v1/assets"),
        tokensWithDexData: z.int().describe("Tokens that these sums cover"),
      })
      .nullable()
      .meta({ id: "LiveTotals", description: "null while the database is unavailable" }),
    attribution: Attribution,
  })
  .meta({ id: "MarketOverview" });

export const PublicPremiumAnswer = z
  .object({
    symbol: z.string(),
    days: z.int().min(1).max(30).meta({ description: DAYS }),
    points: z.array(
      z
        .object({
          t: UnixHour,
          premium: bps("At the hour's close; positive: above the stock; null: no reference price"),
          lo: bps("Lowest of the hour; null: none"),
          hi: bps("Highest of the hour; null: none"),
          net_edge: Bps.describe(
            "-premium - platform fee - impact of $1,000, basis points, up to 4 decimals, half away from zero; negative: pricier than the stock; null where one of them is unknown",
          ),
          ...Origin,
          reference: Reference,
          samples: Samples,
          ...Counts,
        })
        .meta({ id: "PublicPremiumPoint" }),
    ),
    ...Token,
    attribution: Attribution,
  })
  .meta({ id: "PublicPremiumHistory" });

export const BasisAnswer = z
  .object({
    underlying: z.string(),
    days: z.int().min(1).max(30).meta({ description: DAYS }),
    points: z.array(
      z
        .object({
          t: UnixHour,
          basis: bps("(perpetual - spot) / spot at the hour's close; null: a price is missing"),
          lo: bps("Lowest of the hour; null: none"),
          hi: bps("Highest of the hour; null: none"),
          funding_annual: bps("Annualized funding at the hour's close; null: not stated"),
          ...Origin,
          reference: Reference,
          samples: Samples,
          ...Counts,
        })
        .meta({ id: "BasisPoint" }),
    ),
    venue: z
      .string()
      .nullable()
      .describe("The venue of the perpetual, from which all points come; null when no venue lists the stock"),
    venues: z.array(z.string()).describe("All venues with a series of the stock, the default first"),
    attribution: Attribution,
  })
  .meta({ id: "BasisHistory" });
