/** Schemas of what points were computed from. pointDescriptions.json describes each member. */
import { z } from "zod";
import { worded } from "../http/worded.ts";
import { DateTime } from "./members.ts";
import WORDS from "./pointDescriptions.json" with { type: "json" };

const Decimal = z.string().regex(/^-?[0-9]+(\.[0-9]+)?$/);
const Figure = Decimal.nullable();

const Witness = z.object(
  worded(WORDS.Witness, {
    of: z.enum(["price", "ratio", "reference", "mark", "funding"]),
    source: z.string(),
    value: Decimal,
    at: DateTime.nullable(),
    counts: z.boolean(),
  }),
);

export const PremiumInputs = z
  .object(
    worded(WORDS.PremiumInputs, {
      sampled_at: DateTime,
      price_usd: Figure,
      shares_per_token: Figure,
      reference_price_usd: Figure,
      impact_1k_bps: Figure,
      platform_fee_bps: Decimal,
      net_edge_bps: Figure,
      witnesses: z.array(Witness),
      price_per_share_usd: Figure,
    }),
  )
  .meta({ id: "PremiumInputs" });

export const BasisInputs = z
  .object(
    worded(WORDS.BasisInputs, {
      sampled_at: DateTime,
      mark_usd: Figure,
      spot_usd: Figure,
      funding_rate: Figure,
      funding_interval_hours: z.int().nullable(),
      witnesses: z.array(Witness),
    }),
  )
  .meta({ id: "BasisInputs" });
