import { expect } from "chai";
import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import { migrate } from "../../database/migrate.ts";
import { MIGRATIONS } from "../../database/migrations/all.ts";
import { openDatabase } from "../../database/open.ts";
import { forEachEngine } from "../support/database.ts";

/** Of the hour 498,600, in a series that held whichever venue answered. */
const HOUR = 498_600;
const sample = (source: string, second: number) =>
  ({ at: HOUR * 3_600 + second, text: JSON.stringify({ underlying: "TSLA", source }) }) as const;

describe("basis series from before venues were kept apart", () => {
  forEachEngine((engine) => {
    it("basis series from before venues were kept apart are split by venue; extremes of an hour that both were in are nobody's", async () => {
      const db = openDatabase(await engine.createUrl());
      try {
        const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
        expect((await migrator.migrateTo("0004_payments")).error).to.equal(undefined);
        await sql`insert into series (id, name) values (7001, 'basis/TSLA'), (7002, 'premium/x')`.execute(db);
        await sql`insert into origins (id, source, session, reference_source)
          values (7001, 'hyperliquid', 'regular', 'pyth'), (7002, 'binance', 'regular', 'pyth')`.execute(db);
        const hours = [
          [7001, HOUR, 1, -5, 5, 7001],
          [7001, HOUR + 1, 2, 2, 2, 7002],
          [7002, HOUR, 3, 3, 3, 7001],
        ];
        for (const [series, hour, close, lo, hi, origin] of hours)
          await sql`insert into hour_buckets values
            (${series}, ${hour}, ${close}, ${lo}, ${hi}, null, 9, ${origin}, 1)`.execute(db);
        for (const { at, text } of [
          sample("hyperliquid", 9),
          sample("binance", 5),
          sample("binance", 3_700),
          sample("zeta", 99_999),
        ])
          await sql`insert into raw_samples values (7001, ${at}, ${text})`.execute(db);
        await migrate(db);
        const buckets = await db
          .selectFrom("hour_buckets")
          .innerJoin("series", "series.id", "hour_buckets.series_id")
          .select(["name", "hour", "close", "lo", "hi", "witnesses"])
          .orderBy("name")
          .execute();
        expect(buckets).to.deep.equal([
          { name: "basis/binance/TSLA", hour: HOUR + 1, close: 2, lo: 2, hi: 2, witnesses: null },
          { name: "basis/hyperliquid/TSLA", hour: HOUR, close: 1, lo: null, hi: null, witnesses: null },
          { name: "premium/x", hour: HOUR, close: 3, lo: 3, hi: 3, witnesses: null },
        ]);
        const raw = await db
          .selectFrom("raw_samples")
          .innerJoin("series", "series.id", "raw_samples.series_id")
          .select(["name", "sampled_at"])
          .orderBy("sampled_at")
          .execute();
        expect(raw.map(({ name }) => name)).to.deep.equal([
          "basis/binance/TSLA",
          "basis/hyperliquid/TSLA",
          "basis/binance/TSLA",
          "basis/zeta/TSLA",
        ]);
        const names = await db.selectFrom("series").select("name").where("name", "=", "basis/TSLA").execute();
        expect(names).to.deep.equal([]);
      } finally {
        await db.destroy();
      }
    });
  });
});
