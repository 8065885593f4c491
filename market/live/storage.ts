/** How much room the collected market takes: rows by the plan, bytes by what was measured on both engines. */
import { CHAIN_NAMES, type Chain, chainsOf } from "../../attestor/chains.ts";
import type { Retention } from "../collect/retention.ts";
import { type Keys, PROVIDERS } from "../providers/providers.ts";
import { type LiveAsset, onChain } from "./assets.ts";
import { PERP_TICKERS } from "./perps.ts";
import { planOf, ROUND_SECONDS } from "./plan.ts";
import { canBePriced } from "./shares.ts";

/** Bytes of a row with its part of the indexes, rounded up. A test measures them. */
export const BYTES = {
  sqlite: { raw: 600, hour: 70, impact: 130, volume: 230 },
  postgres: { raw: 600, hour: 340, impact: 350, volume: 350 },
} as const;

const DAY_SECONDS = 86_400;
/** PostgreSQL drops samples and hours by whole months: until then the oldest stays. */
const MONTH_DAYS = 31;

export type StoragePlan = ReturnType<typeof storageOf>;

/** After so many days of collecting without a break; samples that were excluded are not counted. */
export function storageOf(assets: readonly LiveAsset[], keys: Keys, retention: Retention, days: number) {
  const rounds = DAY_SECONDS / ROUND_SECONDS;
  const priced = assets.filter((asset) => canBePriced(asset, keys)).length;
  const stocks = new Set(assets.map(({ underlying }) => underlying));
  const venues = PROVIDERS.filter(({ serves }) => serves?.perps).length;
  const perps = venues * [...stocks].filter((ticker) => PERP_TICKERS.has(ticker)).length;
  const series = priced + perps;
  const { providers } = planOf(assets, keys);
  /** By the venue that a chain's tokens are quoted at first. */
  const impactsOn = (chain: Chain) => {
    const venue = PROVIDERS.find(({ name, serves }) => serves?.quotes && chainsOf(name).includes(chain));
    const seconds = providers.find(({ provider }) => provider === venue?.name)?.impactsSeconds ?? 0;
    return (onChain(assets, chain).length * rounds) / Math.max(1, Math.ceil(seconds / ROUND_SECONDS));
  };
  const impacts = CHAIN_NAMES.reduce((sum, chain) => sum + impactsOn(chain), 0);
  const table = (
    name: string,
    kind: keyof (typeof BYTES)["sqlite"],
    rowsADay: number,
    kept: number | null,
    wholeMonths = true,
  ) => {
    const keptDays = Math.min(days, kept ?? days);
    const rows = Math.round(rowsADay * keptDays);
    const partedRows = Math.round(rowsADay * Math.min(days, keptDays + (wholeMonths ? MONTH_DAYS : 0)));
    return {
      table: name,
      rowsADay: Math.round(rowsADay),
      /** For so many days of those asked for a row is kept. */
      keptDays,
      rows,
      /** Bytes, indexes included; on PostgreSQL at their most, before a month goes. */
      sqlite: rows * BYTES.sqlite[kind],
      postgres: partedRows * BYTES.postgres[kind],
    };
  };
  return {
    days,
    tables: [
      table("raw_samples", "raw", series * rounds, retention.rawDays),
      table("hour_buckets", "hour", series * 24, retention.hourDays),
      table("impact_samples", "impact", impacts, retention.impactDays),
      table("volume_days", "volume", assets.length, retention.volumeDays, false),
    ],
  };
}
