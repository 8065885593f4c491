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
const State = z.enum(["agreed", "single", "disputed"]);
const LEVEL =
  "`agreed`: two independent origins at least are within their tolerances, and their median is served; `single`: one origin alone says it; `disputed`: no majority agrees, and the figure is null; null: there is no figure";
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
    `How the sources stand to each other: of a premium those of the token's price, of its shares and of the stock's price, of a basis those of the mark and of the stock's price; the worst of them counts. ${LEVEL}`,
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
            "At the hour's close, of the medians of the sources that agree on each part, basis points, up to 4 decimals, half away from zero; positive: above the stock; null: no reference price, or a part is disputed",
          ),
          ...Told,
        })
        .meta({ id: "PremiumPoint" }),
    ),
    ...Token,
  })
  .meta({ id: "PremiumHistory" });

const Totals = z
  .literal("single")
  .describe(
    "Each pool's volume and liquidity are one index's word, up to what measured buys and the trades of the day before allow; no second index is asked. Halted tokens are in no total",
  );

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
          state: Totals,
        })
        .meta({ id: "DayTotal" }),
    ),
    live: z
      .object({
        vol24Usd: z
          .number()
          .nullable()
          .describe(
            "24-hour DEX volume of the tokens that are not halted and whose figures are at most an hour old, US dollars, unrounded; null where there is none",
          ),
        liquidityUsd: z
          .number()
          .nullable()
          .describe("DEX liquidity of the same tokens, US dollars, unrounded; null where there is none"),
        assetCount: z.int().describe("As `count` of /api/v1/assets"),
        tokensWithDexData: z.int().describe("Tokens that these sums cover"),
        expected: z
          .int()
          .describe("Tokens that had volume and liquidity in the last seven days and are not halted"),
        complete: z.boolean().describe("False: these sums cover fewer tokens than expected"),
        state: Totals,
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
          premium: bps(
            "At the hour's close, of the medians of the sources that agree on each part; positive: above the stock; null: no reference price, or a part is disputed",
          ),
          lo: bps("Lowest of the hour; null: none"),
          hi: bps("Highest of the hour; null: none"),
          net_edge: Bps.describe(
            "-premium - platform fee - impact of $1,000 at one venue, basis points, up to 4 decimals, half away from zero; negative: pricier than the stock; null where one of them is unknown",
          ),
          ...Told,
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
          basis: bps(
            "(perpetual - spot) / spot at the hour's close, of the venue's own mark, where other venues bear it out, and the median of the stock's sources; null: a price is missing or disputed",
          ),
          lo: bps("Lowest of the hour; null: none"),
          hi: bps("Highest of the hour; null: none"),
          funding_annual: bps(
            "Annualized funding at the hour's close, by the venue's word alone; null: rate or interval not stated, or disputed",
          ),
          ...Told,
          funding_state: State.nullable().describe(`Of \`funding_annual\`. ${LEVEL}`),
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
