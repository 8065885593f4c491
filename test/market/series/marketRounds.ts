/** Rounds of a small market, the same at every call, and all that a database has stored of them. */
import type { Selectable } from "kysely";
import type { Database } from "../../../database/open.ts";
import type { Schema } from "../../../database/schema.ts";
import { type BasisSample, recordBases } from "../../../market/series/basis.ts";
import { type ImpactSample, recordImpacts } from "../../../market/series/impacts.ts";
import { writeScores } from "../../../market/series/liquidity.ts";
import { type PremiumSample, recordPremiums } from "../../../market/series/premium.ts";
import { closeDays, recordVolumes, type VolumeSample } from "../../../market/series/totals.ts";
import { rowsOf } from "../../support/database.ts";
import { basisSample, impactSample, premiumSample, volumeSample } from "../../support/samples.ts";

const ROUND_SECONDS = 300;
export const ROUNDS_A_DAY = 288;
/** Midnight, UTC: the first round's. */
export const FIRST_ROUND = Date.parse("2026-11-20T00:00:00Z") / 1_000;

/** After a day and a round of the next. */
export const COLLECTED_UNTIL = FIRST_ROUND + (ROUNDS_A_DAY + 1) * ROUND_SECONDS;

export const TOKENS = [
  { assetKey: "eip155:56:0xa", issuer: "xstocks", chain: "bnb" },
  { assetKey: "eip155:56:0xb", issuer: "ondo", chain: "bnb" },
  { assetKey: "solana:mainnet:c", issuer: "xstocks", chain: "solana" },
] as const;
const KEYS = TOKENS.map(({ assetKey }) => assetKey);
const TICKER = "AAPL";

export interface MarketRound {
  readonly at: number;
  readonly premiums: readonly PremiumSample[];
  readonly bases: readonly BasisSample[];
  readonly volumes: readonly VolumeSample[];
  readonly impacts: readonly ImpactSample[];
}

/** Prices that move, references and routes that are missing at times, and sources that change. */
export function marketRound(number: number): MarketRound {
  const at = FIRST_ROUND + number * ROUND_SECONDS;
  const isDisputed = number % 29 === 7;
  return {
    at,
    premiums: KEYS.map((assetKey, token) =>
      premiumSample(assetKey, at + token, {
        source: number % 5 === 0 ? "dexscreener" : "dexscreener,pancakeswap",
        tokenPriceUsd: (100 + ((number * 7 + token) % 23) / 8).toFixed(3),
        referencePriceUsd: isDisputed ? null : "100",
        referenceSource: isDisputed ? null : "pyth",
        state: isDisputed ? "disputed" : "agreed",
      }),
    ),
    bases: ["binance", "hyperliquid"].map((source, venue) =>
      basisSample(TICKER, at + venue, {
        source,
        perpMarkUsd: (100 + ((number + venue) % 11) / 10).toFixed(1),
      }),
    ),
    volumes: KEYS.map((assetKey, token) =>
      volumeSample(assetKey, at + token, { volume24hUsd: String(1_000 + number + token) }),
    ),
    impacts: KEYS.map((assetKey, token) =>
      impactSample(assetKey, at + token, number % 31 === 3 ? null : String((number * 13 + token) % 97)),
    ),
  };
}

/** As the collectors do. */
export async function recordRound(db: Database, { at, ...round }: MarketRound): Promise<void> {
  const now = at + 60;
  await closeDays(db, TOKENS, now);
  await recordPremiums(db, round.premiums, now);
  await recordBases(db, round.bases, now);
  await recordVolumes(db, round.volumes, now);
  await recordImpacts(db, round.impacts, now);
  await writeScores(db, KEYS, now);
}

/** What is stored of the market, by names instead of numbers, in an order of its own. */
export async function storedMarket(db: Database): Promise<Record<string, readonly string[]>> {
  const [series, origins] = [await rowsOf(db, "series"), await rowsOf(db, "origins")];
  const nameOf = new Map(series.map(({ id, name }) => [id, name]));
  const originOf = new Map(origins.map(({ id, ...origin }) => [id, Object.values(origin).join(" ")]));
  const named = ({ series_id, origin_id, ...row }: Selectable<Schema["hour_buckets" | "raw_samples"]>) => ({
    series: nameOf.get(series_id),
    origin: originOf.get(origin_id),
    ...row,
  });
  const texts = (rows: readonly object[]) =>
    rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
  return {
    hours: texts((await rowsOf(db, "hour_buckets")).map(named)),
    samples: texts((await rowsOf(db, "raw_samples")).map(named)),
    latest: texts(series.map(({ id: _, ...row }) => row)),
    impacts: texts(await rowsOf(db, "impact_samples")),
    scores: texts(await rowsOf(db, "liquidity_scores")),
    volumes: texts(await rowsOf(db, "volume_days")),
    totals: texts(await rowsOf(db, "daily_totals")),
    rejected: texts(await rowsOf(db, "rejected_samples")),
    retracted: texts(await rowsOf(db, "retractions")),
  };
}
