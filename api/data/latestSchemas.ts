/** The data API's schemas of the newest values. */
import { z } from "zod";
import { CHAIN_NAMES } from "../../attestor/chains.ts";
import { Attribution, DateTime } from "./members.ts";
import { Bps, DecimalText, Grade, Issuer, State } from "./schemas.ts";

const Usd = DecimalText.nullable();
const Age = z.int().min(0).nullable();

const LatestPremium = z.object({
  premium_bps: Bps.describe(
    "Of the newest sample, basis points, up to 4 decimals, half away from zero, as the points of /api/v1/premium-history; null: no premium yet, no reference price, or a part is disputed",
  ),
  state: State.nullable().describe(
    "How the sources of the premium stand to each other, as in its points; null: there is no figure",
  ),
  spread_bps: Bps.describe(
    "How far the outermost sources that agree are apart, basis points, as in the points of /api/v1/premium-history",
  ),
  witnesses: z.int().min(1).nullable().describe("As in the points of /api/v1/premium-history"),
  net_edge_bps: Bps.describe(
    "-premium - platform fee - impact of $1,000, basis points; null where one of them is unknown",
  ),
  source: z.string().nullable().describe("Sources that agree on the token's price"),
  reference: z.string().nullable().describe("Sources that agree on the stock's price"),
  reference_age: Age.describe("Seconds between the reference price and the sample"),
  session: z.string().nullable().describe("Session of the stock market at the sample"),
  halted: z.boolean().nullable().describe("The token was paused or its stock halted at the sample"),
  price_usd: Usd.describe(
    "US dollars per whole token as it trades on chain: 10 to the power of its decimals raw units; null: not known, or disputed",
  ),
  price_per_share_usd: Usd.describe("`price_usd` / `shares_per_token`, rounded to 12 decimals"),
  reference_price_usd: Usd.describe("US dollars per share of the stock; null: not known, or disputed"),
  shares_per_token: Usd.describe(
    "Shares of the stock that a whole token stands for; null: not known, or disputed",
  ),
  hour: DateTime.nullable().describe("Start of the sample's hour, under which the series have it"),
  sampled_at: DateTime.nullable().describe(
    "When all of the above was sampled; null: never, or so long ago that the sample is no longer kept",
  ),
});
const LatestImpacts = z.object({
  grade: Grade.nullable().describe("Liquidity grade as in /api/v1/assets"),
  impact_1k_bps: Bps.describe(
    "Median of seven days, basis points, as in /api/v1/liquidity-scores; null: no route, or no samples",
  ),
  impact_10k_bps: Bps.describe(
    "Median of seven days, basis points, as in /api/v1/liquidity-scores; null: no route, or no samples",
  ),
  impact_at: DateTime.nullable().describe("Time of the newest sample of the medians"),
});
const LatestVolume = z.object({
  volume_24h_usd: Usd.describe("24-hour DEX volume of the newest sample, US dollars"),
  liquidity_usd: Usd.describe("DEX liquidity of the same sample, US dollars"),
  volume_at: DateTime.nullable().describe(
    "When the two were sampled, today or yesterday (UTC); null: not since",
  ),
});

const LatestToken = z
  .object({
    symbol: z.string(),
    chain: z.enum(CHAIN_NAMES),
    issuer: Issuer,
    address: z.string().describe("Contract or mint; match by it, never by symbol"),
    asset_key: z.string(),
    underlying: z.string().describe("Ticker of the stock"),
    name_en: z.string(),
    name_cn: z.string(),
    unpriced_reason: z
      .string()
      .nullable()
      .describe("Why this token cannot have a premium here; null when it can"),
    ...LatestPremium.shape,
    age: Age.describe("Seconds between `sampled_at` and `generated_at`"),
    ...LatestImpacts.shape,
    impact_age: Age.describe("Seconds between `impact_at` and `generated_at`"),
    ...LatestVolume.shape,
    volume_age: Age.describe("Seconds between `volume_at` and `generated_at`"),
  })
  .meta({ id: "LatestToken" });

export const LatestAnswer = z
  .object({
    attribution: Attribution,
    generated_at: DateTime.describe("What ages count to"),
    count: z.int().describe("Tokens in this answer"),
    tokens: z.array(LatestToken).describe("In the order of /api/v1/assets"),
  })
  .meta({ id: "Latest" });
