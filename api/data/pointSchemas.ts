/** Schemas of what points were computed from. */
import { z } from "zod";
import { DateTime } from "./members.ts";

const Decimal = z.string().regex(/^-?[0-9]+(\.[0-9]+)?$/);
const Figure = Decimal.nullable();

const Witness = z.object({
  of: z
    .enum(["price", "ratio", "reference", "mark", "funding"])
    .describe(
      "`price` of the token, `ratio` of shares per token, `reference` price of the stock, `mark` of the perpetual, `funding` rate",
    ),
  source: z.string(),
  value: Decimal.describe("What the source stated: US dollars, shares per token or a rate, exact"),
  at: DateTime.nullable().describe("When the source said so; null: it states no time"),
  counts: z.boolean().describe("Whether it counts: it lies within the tolerances of the majority"),
});

export const PremiumInputs = z
  .object({
    sampled_at: DateTime.describe("Time of the hour's last sample, from which everything here is"),
    price_usd: Figure.describe(
      "US dollars per whole token as it trades (10 to the power of its decimals raw units); null: its sources disagree",
    ),
    shares_per_token: Figure.describe("Shares that a whole token stands for; null: unknown"),
    reference_price_usd: Figure.describe("US dollars per share of the stock; null: no reference price"),
    impact_1k_bps: Figure.describe("Impact of buying $1,000, basis points; null: no route"),
    platform_fee_bps: Decimal.describe("What the platform charges, basis points"),
    net_edge_bps: Figure.describe(
      "-premium - platform fee - impact of $1,000, basis points, rounded to 4 decimals; null where one of them is unknown",
    ),
    witnesses: z.array(Witness).describe("Every source that was asked, those that do not count too"),
    price_per_share_usd: Figure.describe("`price_usd` / `shares_per_token`, rounded to 12 decimals"),
  })
  .meta({ id: "PremiumInputs" });

export const BasisInputs = z
  .object({
    sampled_at: DateTime.describe("Time of the hour's last sample, from which everything here is"),
    mark_usd: Figure.describe("US dollars, of the perpetual; null: not stated"),
    spot_usd: Figure.describe("US dollars per share of the stock; null: no price"),
    funding_rate: Figure.describe("Per interval, as a fraction; null: not stated"),
    funding_interval_hours: z.int().nullable().describe("Hours of an interval; null: not stated"),
    witnesses: z.array(Witness).describe("Every source that was asked, those that do not count too"),
  })
  .meta({ id: "BasisInputs" });
