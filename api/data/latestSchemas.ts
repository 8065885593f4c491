/** The data API's schemas of the newest values. latestDescriptions.json describes each member. */
import { z } from "zod";
import { CHAIN_NAMES } from "../../attestor/chains.ts";
import { worded } from "../http/worded.ts";
import WORDS from "./latestDescriptions.json" with { type: "json" };
import { Attribution, DateTime } from "./members.ts";
import { Bps, DecimalText, Grade, Issuer, State } from "./schemas.ts";

const Usd = DecimalText.nullable();
const Age = z.int().min(0).nullable();

const LatestPremium = z.object(
  worded(WORDS.LatestPremium, {
    premium_bps: Bps,
    state: State.nullable(),
    spread_bps: Bps,
    witnesses: z.int().min(1).nullable(),
    net_edge_bps: Bps,
    source: z.string().nullable(),
    reference: z.string().nullable(),
    reference_age: Age,
    session: z.string().nullable(),
    halted: z.boolean().nullable(),
    price_usd: Usd,
    price_per_share_usd: Usd,
    reference_price_usd: Usd,
    shares_per_token: Usd,
    hour: DateTime.nullable(),
    sampled_at: DateTime.nullable(),
  }),
);
const LatestImpacts = z.object(
  worded(WORDS.LatestImpacts, {
    grade: Grade.nullable(),
    impact_1k_bps: Bps,
    impact_10k_bps: Bps,
    impact_at: DateTime.nullable(),
  }),
);
const LatestVolume = z.object(
  worded(WORDS.LatestVolume, { volume_24h_usd: Usd, liquidity_usd: Usd, volume_at: DateTime.nullable() }),
);

const LatestToken = z
  .object({
    ...worded(WORDS.LatestToken, {
      symbol: z.string(),
      chain: z.enum(CHAIN_NAMES),
      issuer: Issuer,
      address: z.string(),
      asset_key: z.string(),
      underlying: z.string(),
      name_en: z.string(),
      name_cn: z.string(),
      unpriced_reason: z.string().nullable(),
    }),
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
    ...worded(WORDS.Latest, {
      generated_at: DateTime,
      count: z.int(),
      tokens: z.array(LatestToken),
    }),
  })
  .meta({ id: "Latest" });
