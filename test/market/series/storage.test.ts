/** How much room what is collected takes, on both engines, as a day of rounds leaves it. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { sql } from "kysely";
import type { Database } from "../../../database/open.ts";
import { BYTES } from "../../../market/live/storage.ts";
import type { PremiumSample } from "../../../market/series/premium.ts";
import { recordImpactSamples } from "../../../market/series/samples.ts";
import { forEachEngine } from "../../support/database.ts";
import { premiumsAt, volumesAt } from "../../support/samples.ts";

const NOW = 1_795_186_800;
const TOKENS = 100;
const LOT = 50;
const HOURS = 4;
const ROUNDS_AN_HOUR = 12;
const ROUND_SECONDS = 300;
const DAYS = 20;

const keyOf = (token: number) => `eip155:56:0x${(token * 7_919).toString(16).padStart(40, "a")}`;

/** As long as the live ones are: prices of 18 places, ratios with all of theirs, two witnesses of each. */
const sample = (token: number, round: number): PremiumSample => ({
  assetKey: keyOf(token),
  sampledAt: NOW + round * ROUND_SECONDS + Math.floor(token / 5),
  source: "dexscreener,pancakeswap",
  session: "pre-market",
  tokenPriceUsd: `${100 + token}.${String(round * 1_000_003 + token).padStart(18, "4")}`,
  sharesPerToken: "1.005714285714285714",
  referencePriceUsd: `${100 + token}.${String(round).padStart(5, "3")}`,
  referenceSource: "hyperliquid,pyth",
  referenceAgeSeconds: token,
  witnesses: 2,
  state: "agreed",
  spreadBps: `${token % 40}.1234`,
  halted: false,
  inputs: [
    ["price", "dexscreener", `${100 + token}.${String(round * 1_003 + token).padStart(12, "4")}`, 300, 1],
    ["price", "pancakeswap", `${100 + token}.${String(round * 1_000_003 + token).padStart(18, "4")}`, 2, 1],
    ["ratio", "binanceRwa", "1.005714285714285714", 40, 1],
    ["ratio", "chain", "1.005714285714285714", 30, 1],
    ["reference", "hyperliquid", `${100 + token}.${String(round).padStart(4, "3")}`, 3, 1],
    ["reference", "pyth", `${100 + token}.${String(round).padStart(5, "3")}`, 5, 1],
  ],
  impact1kBps: `${token}.1234567`,
  platformFeeBps: "10",
});

async function collectHours(db: Database): Promise<void> {
  for (let round = 0; round < HOURS * ROUNDS_AN_HOUR; round++) {
    for (let from = 0; from < TOKENS; from += LOT)
      await premiumsAt(
        db,
        NOW + 86_400,
        Array.from({ length: LOT }, (_, index) => sample(from + index, round)),
      );
    await recordImpactSamples(
      db,
      Array.from({ length: TOKENS }, (_, token) => ({
        assetKey: keyOf(token),
        sampledAt: NOW + round * ROUND_SECONDS + Math.floor(token / 5),
        source: "pancakeswap",
        session: "pre-market",
        impact1kBps: `${token}.1234`,
        impact10kBps: `${10 * token}.1234`,
      })),
    );
  }
}

async function collectDays(db: Database): Promise<void> {
  for (let day = 0; day < DAYS; day++)
    await volumesAt(
      db,
      NOW,
      Array.from({ length: TOKENS }, (_, token) => ({
        assetKey: keyOf(token),
        sampledAt: NOW - day * 86_400,
        source: "dexscreener",
        session: "pre-market",
        volume24hUsd: `${token * 1_234}.56`,
        liquidityUsd: `${token * 12_345}.67`,
      })),
    );
}

/** Bytes of a table with its indexes, by row. */
async function bytesPerRow(
  db: Database,
  engine: string,
  table: "raw_samples" | "hour_buckets" | "impact_samples" | "volume_days",
) {
  const size =
    engine === "postgres"
      ? // All but the maps of free room, whose first pages weigh more than a few hundred rows, and months ahead.
        sql<{ bytes: number }>`select sum(pg_relation_size(oid) + pg_indexes_size(oid)) as bytes from pg_class
          where oid = ${table}::regclass or oid in (
            select relid from pg_partition_tree(${table}) where isleaf and pg_relation_size(relid) > 0)`
      : sql<{ bytes: number }>`select sum(pgsize) as bytes from dbstat where name in
          (select name from sqlite_schema where tbl_name = ${table})`;
  const { rows } = await size.execute(db);
  const { count } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(rows[0]?.bytes) / Number(count);
}

/** PostgreSQL counts updates a moment after they were made. */
async function updatesOf(db: Database, least: number): Promise<{ all: number; hot: number }> {
  for (let look = 0; ; look++) {
    const { rows } = await sql<{ all: number; hot: number }>`
      select sum(n_tup_upd)::int as all, sum(n_tup_hot_upd)::int as hot from pg_stat_user_tables
      where relid in (select relid from pg_partition_tree('hour_buckets'))`.execute(db);
    const { all = 0, hot = 0 } = rows[0] ?? {};
    if (Number(all) >= least || look > 50) return { all: Number(all), hot: Number(hot) };
    await sleep(100);
  }
}

describe("the room that the market takes", () => {
  forEachEngine((engine) => {
    let db: Database;
    before(async function () {
      this.timeout(60_000);
      db = await engine.create();
      await collectHours(db);
      await collectDays(db);
    });

    it("the room that the market takes is at most 600 bytes for a raw sample with its witnesses, and for each row no more than the plan counts", async () => {
      const tables = {
        raw: "raw_samples",
        hour: "hour_buckets",
        impact: "impact_samples",
        volume: "volume_days",
      } as const;
      for (const [name, table] of Object.entries(tables)) {
        const measured = await bytesPerRow(db, engine.name, table);
        const stated = BYTES[engine.name][name as keyof typeof tables];
        expect(measured, table).to.be.within(stated * 0.6, stated);
      }
      if (engine.name === "postgres") {
        const { rows } = await sql<{ bytes: number }>`
          select (select sum(pg_total_relation_size(relid)) from pg_partition_tree('raw_samples'))::float8 / count(*)
            as bytes from raw_samples`.execute(db);
        expect(rows[0]?.bytes).to.be.at.most(600);
      } else expect(await bytesPerRow(db, engine.name, "raw_samples")).to.be.at.most(600);
    });

    if (engine.name === "postgres")
      it("the room that the market takes is used again where an hour's figures change: most updates write no index (HOT)", async () => {
        // The first sample inserts.
        const expected = TOKENS * HOURS * (ROUNDS_AN_HOUR - 1);
        const { all, hot } = await updatesOf(db, expected);
        expect(all).to.equal(expected);
        expect(hot / all).to.be.above(0.9);
      });
  });
});
