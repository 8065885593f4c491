/** Samples and hours of tokens that nobody asks for. */
import { premiumSeries } from "../../../market/series/premium.ts";
import type { Filling } from "./amounts.ts";
import { copies, type Statement } from "./copies.ts";
import { assetOf, SQL } from "./names.ts";

const ASSETS = 1_000;
/** The witnesses of a premium, as many as a token has on a good day. */
const INPUTS = JSON.stringify([
  ["price", "dexscreener", "270.412345678901", 300, 1],
  ["price", "jupiter", "270.398765432101", 12, 1],
  ["ratio", "chain", "1.005714285714285714", 30, 1],
  ["ratio", "jupiter", "1.0057142857142857", 40, 1],
  ["reference", "hyperliquid", "270.12", 3, 1],
  ["reference", "pyth", "270.1", 5, 1],
]);
const SAMPLE_EVERY_SECONDS = 300;
const HOURS = 90 * 24;

/** Unix seconds. */
export const oldestSample = ({ amounts: { samples }, now }: Filling): number =>
  now - Math.max(HOURS * 3_600, (samples / ASSETS) * SAMPLE_EVERY_SECONDS);

/** A thousand tokens and stocks that nobody asks for, as often sampled as those that somebody does. */
export function* market({ amounts: { samples }, now }: Filling): Generator<Statement> {
  const each = Math.ceil(samples / ASSETS);
  const at = `${Math.floor(now / SAMPLE_EVERY_SECONDS) * SAMPLE_EVERY_SECONDS} - (${each} - 1 - n % ${each}) * ${SAMPLE_EVERY_SECONDS}`;
  // Its number: which of the thousand.
  const which = `(n / ${each})`;
  const nothing = "select 1";
  yield copies(
    "series",
    "name",
    { name: `'${premiumSeries("")}' || ${SQL.asset("n")}` },
    { template: nothing, from: 0, to: ASSETS - 1 },
  );
  // They were numbered in this order.
  const numbered = `select id as first from series where name = '${premiumSeries(assetOf(0))}'`;
  yield copies(
    "raw_samples",
    "series_id, sampled_at, sample",
    {
      series_id: `(t.first + ${which})`,
      sampled_at: at,
      sample: `'["simulated","regular","' || (27000 + n % 997) / 100.0 || '","1","270.1","hyperliquid,pyth",5,2,"agreed","12.5",false,"4.' || n % 97 || '","5",${INPUTS}]'`,
    },
    { template: numbered, from: 0, to: samples - 1 },
  );
  yield copies(
    "impact_samples",
    "asset_key, sampled_at, source, session, impact_1k_bps, impact_10k_bps",
    {
      asset_key: SQL.asset(which),
      sampled_at: at,
      source: "'simulated'",
      session: "'regular'",
      impact_1k_bps: "(n % 97)::text",
      impact_10k_bps: "(n % 997)::text",
    },
    { template: nothing, from: 0, to: samples - 1 },
  );
  yield* hourly({ samples, now, numbered });
  yield copies(
    "liquidity_scores",
    "asset_key, revision, exact_from, exact_until, sample_n, impact_1k_bps, impact_10k_bps, updated_at, source",
    { asset_key: SQL.asset("n") },
    { template: "select * from liquidity_scores limit 1", from: 0, to: ASSETS - 1 },
  );
  yield copies(
    "volume_days",
    "day, asset_key, sampled_at, source, session, volume_24h_usd, liquidity_usd, halted",
    {
      day: `to_char(to_timestamp(${now}) - (n / ${ASSETS}) * interval '1 day', 'YYYY-MM-DD')`,
      asset_key: SQL.asset(`n % ${ASSETS}`),
    },
    { template: "select * from volume_days limit 1", from: 0, to: 30 * ASSETS - 1 },
  );
}

/** @param numbered SQL for `first`, the number of the first series */
function* hourly({
  samples,
  now,
  numbered,
}: {
  samples: number;
  now: number;
  numbered: string;
}): Generator<Statement> {
  const hours = samples < HOURS * ASSETS ? Math.ceil(samples / ASSETS) : HOURS;
  yield copies(
    "hour_buckets",
    "series_id, hour, close, lo, hi, net_edge, funding_annual, reference_age, witnesses, spread, close_second, origin_id, samples",
    {
      series_id: `(t.first + n / ${hours})`,
      hour: `${Math.floor(now / 3_600)} - (${hours} - 1 - n % ${hours})`,
      ...{ close: "n % 997", lo: "n % 997 - 40", hi: "n % 997 + 40", net_edge: "n % 997 - 9" },
      ...{
        funding_annual: "null",
        reference_age: "5",
        witnesses: "2",
        spread: "125000",
        close_second: "3300",
      },
      ...{ origin_id: "(select min(id) from origins)", samples: "12" },
    },
    { template: numbered, from: 0, to: hours * ASSETS - 1 },
  );
}
