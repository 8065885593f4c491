/** How much room what is collected takes, on both engines, as rounds leave it. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { sql } from "kysely";
import type { Database } from "../../../database/open.ts";
import { forEachEngine } from "../../support/database.ts";
import { liveSample, premiumsAt } from "../../support/samples.ts";

const NOW = 1_795_186_800;
const TOKENS = 100;
const LOT = 50;
const HOURS = 4;
const ROUNDS_AN_HOUR = 12;
const ROUND_SECONDS = 300;

async function collectHours(db: Database): Promise<void> {
  for (let round = 0; round < HOURS * ROUNDS_AN_HOUR; round++) {
    for (let from = 0; from < TOKENS; from += LOT)
      await premiumsAt(
        db,
        NOW + 86_400,
        Array.from({ length: LOT }, (_, index) => {
          const token = from + index;
          return liveSample(token, NOW + round * ROUND_SECONDS + Math.floor(token / 5));
        }),
      );
  }
}

/** PostgreSQL counts updates a moment after they were made. */
async function updatesOf(db: Database, least: number): Promise<{ all: number; hot: number }> {
  for (let look = 0; ; look++) {
    const { rows } = await sql<{ all: number; hot: number }>`
      select sum(n_tup_upd)::int as all, sum(n_tup_hot_upd)::int as hot from pg_stat_user_tables
      where relname = 'hour_buckets'`.execute(db);
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
    });

    it("the room that the market takes is at most 640 bytes for a raw sample with its witnesses", async () => {
      if (engine.name === "postgres") {
        const { rows } = await sql<{ bytes: number }>`
          select pg_total_relation_size('raw_samples')::float8 / count(*) as bytes from raw_samples`.execute(
          db,
        );
        expect(rows[0]?.bytes).to.be.at.most(640);
      } else {
        const { rows } = await sql<{ bytes: number }>`
          select cast(sum(pgsize) as real) / (select count(*) from raw_samples) as bytes from dbstat
            where name in (select name from sqlite_schema where tbl_name = 'raw_samples')`.execute(db);
        expect(rows[0]?.bytes).to.be.at.most(640);
      }
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
