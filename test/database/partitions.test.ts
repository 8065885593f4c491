/** Samples and hour buckets by months, on PostgreSQL. */
import { expect } from "chai";
import { sql } from "kysely";
import { openSnapshot } from "../../database/backup/read.ts";
import { type Database, openDatabase } from "../../database/open.ts";
import {
  dropMonths,
  ensureMonths,
  makeMonthsAhead,
  monthStart,
  PARTED_TABLES,
} from "../../database/partitions.ts";
import { clearOld, DEFAULT_RETENTION } from "../../market/collect/retention.ts";
import { premiumPoints } from "../../market/queries.ts";
import { recordPremiums } from "../../market/series/premium.ts";
import { recordImpactSamples } from "../../market/series/samples.ts";
import { rowOf } from "../support/database.ts";
import { failureOf } from "../support/failure.ts";
import { postgresServer } from "../support/postgres.ts";
import { impactSample, premiumSample } from "../support/samples.ts";

const DAY = 86_400;
const at = (text: string) => Date.parse(text) / 1_000;
const NOW = at("2026-11-20T15:00:00Z");

const premium = (sampledAt: number) => premiumSample("a", sampledAt);
const impact = (sampledAt: number) => impactSample("a", sampledAt, "1");

/** A premium and an impact of each moment. */
async function record(db: Database, moments: readonly number[], now = NOW): Promise<void> {
  await recordPremiums(db, moments.map(premium), now);
  await recordImpactSamples(db, moments.map(impact));
}

describe("partitions by month", () => {
  let url: string;
  let db: Database;
  const statements: string[] = [];
  const opened: Database[] = [];
  const open = (options = {}) => {
    const each = openDatabase(url, options);
    opened.push(each);
    return each;
  };
  beforeEach(async () => {
    url = await (await postgresServer()).createDatabase();
    db = open({ onQuery: ({ sql: text }: { sql: string }) => statements.push(text) });
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.destroy();
  });

  const partitions = async () => {
    const { rows } = await sql<{ name: string }>`select relname as name from pg_class
      where relispartition and relkind = 'r' order by relname`.execute(db);
    return rows.map(({ name }) => name);
  };
  const contentOf = async (table: string) => {
    const { rows } = await sql<object>`select * from ${sql.table(table)}`.execute(db);
    return rows.map((row) => JSON.stringify(row)).sort();
  };

  it("partitions by month keep their tables' keys, and are made once", async () => {
    await recordPremiums(db, [premium(0), premium(NOW)], NOW);
    await recordImpactSamples(db, [impact(NOW)]);
    for (const [table, columns] of [
      ["raw_samples", "series_id, sampled_at, sample"],
      ["impact_samples", "asset_key, sampled_at, source, session"],
      ["hour_buckets", "series_id, hour, close_second, origin_id, samples"],
    ]) {
      const again = sql.raw(`insert into ${table} (${columns}) select ${columns} from ${table} limit 1`);
      expect((await failureOf(again.execute(db))).code, table).to.equal("23505");
    }
    const names = await partitions();
    expect(names).to.include.members(["raw_samples_y1970m01", "hour_buckets_y2026m11"]);
    await ensureMonths(open(), { raw_samples: [0, NOW], impact_samples: [NOW], hour_buckets: [NOW] });
    expect(await partitions()).to.deep.equal(names);
  });

  it("partitions by month are made for any recorded time, past or future, also by several processes at once", async () => {
    const processes = [db, open(), open(), open()];
    const early = ["2019-02-28T23:59:59Z", "2019-03-01T00:00:00Z"];
    const moments = [...early, "2026-11-20T12:00:00Z", "2031-12-31T23:59:59Z"].map(at);
    await Promise.all(processes.map((each) => record(each, moments, at("2032-01-02T00:00:00Z"))));
    for (const table of PARTED_TABLES) expect(await contentOf(table), table).to.have.length(4);
    const { rows } = await sql<object>`select tableoid::regclass::text as of, sampled_at as at
      from raw_samples order by sampled_at`.execute(db);
    const months = ["2019m02", "2019m03", "2026m11", "2031m12"];
    expect(rows).to.deep.equal(months.map((month, n) => ({ of: `raw_samples_y${month}`, at: moments[n] })));
  });

  it("partitions by month that another process has dropped are made again where something late comes", async () => {
    const late = at("2019-02-28T12:00:00Z");
    await record(db, [late]);
    const other = open();
    for (const table of PARTED_TABLES)
      expect(await dropMonths(other, table, NOW - 30 * DAY)).to.have.length(1);
    await record(db, [late + 60]);
    for (const table of PARTED_TABLES) expect(await contentOf(table), table).to.have.length(1);
  });

  it("partitions by month are made ahead, so that a new month finds its own", async () => {
    await clearOld(db, DEFAULT_RETENTION, at("2029-12-31T23:59:00Z"));
    const names = await partitions();
    for (const table of PARTED_TABLES)
      for (const month of ["2029m12", "2030m01", "2030m02"]) expect(names).to.include(`${table}_y${month}`);
    statements.length = 0;
    await makeMonthsAhead(db, at("2029-12-31T23:59:00Z"));
    await recordImpactSamples(db, [impact(at("2030-01-01T00:00:00Z"))]);
    expect(statements.filter((text) => /create|attach|pg_inherits/.test(text))).to.deep.equal([]);
  });

  it("partitions by month go as soon as their last day is old enough, and nothing is deleted", async () => {
    const months = ["2026-08-31", "2026-09-01", "2026-09-30", "2026-10-01", "2026-11-20"];
    const moments = months.map((day) => at(`${day}T12:00:00Z`));
    await record(db, moments);
    const kept = async () => {
      const rows = await db.selectFrom("raw_samples").select("sampled_at").orderBy("sampled_at").execute();
      return rows.map(({ sampled_at }) => new Date(sampled_at * 1_000).toISOString().slice(0, 10));
    };
    statements.length = 0;
    // Thirty days before the 30th of October is the last day of September: of that month one day is young enough.
    await clearOld(db, { ...DEFAULT_RETENTION, rawDays: 30 }, at("2026-10-30T23:59:59Z"));
    expect(await kept()).to.deep.equal(months.slice(1));
    await clearOld(db, { ...DEFAULT_RETENTION, rawDays: 30 }, at("2026-10-31T00:00:00Z"));
    expect(await kept()).to.deep.equal(months.slice(3));
    expect(statements.filter((text) => /delete from "(raw|impact|hour)_/.test(text))).to.deep.equal([]);
    const { value } = await rowOf(db, "market_state", { name: "raw_cleared_before" });
    expect(value).to.equal(at("2026-10-01T00:00:00Z"));
    // A repeated sample of a month that is kept is known, and one of a month that went does not count again.
    const before = await premiumPoints(db, "a", { from: 0, to: NOW + DAY });
    await recordPremiums(db, [premium(moments[0]!), premium(moments[4]!)], NOW);
    expect(await premiumPoints(db, "a", { from: 0, to: NOW + DAY })).to.deep.equal(before);
    expect(await kept()).to.deep.equal(months.slice(3));
    // Two years later the hours go, too, and the impacts have gone.
    await clearOld(db, DEFAULT_RETENTION, at("2028-11-01T00:00:00Z"));
    expect((await contentOf("hour_buckets")).length).to.equal(1);
    expect(await contentOf("impact_samples")).to.deep.equal([]);
  });

  it("partitions by month that somebody reads for long stay until the next time, and hold up nobody for long", async () => {
    await recordPremiums(db, [premium(at("2019-02-01T00:00:00Z"))], NOW);
    const release = Promise.withResolvers<void>();
    const reading = Promise.withResolvers<void>();
    const transaction = open().transaction();
    const reader = transaction.execute(async (trx) => {
      await sql`select * from raw_samples`.execute(trx);
      reading.resolve();
      await release.promise;
    });
    await reading.promise;
    try {
      const started = performance.now();
      const dropping = clearOld(db, DEFAULT_RETENTION, NOW);
      await open().selectFrom("raw_samples").selectAll().execute();
      expect(performance.now() - started).to.be.below(5_000);
      await dropping;
      expect(await partitions()).to.include("raw_samples_y2019m02");
    } finally {
      release.resolve();
      await reader;
    }
    await clearOld(db, DEFAULT_RETENTION, NOW);
    expect(await partitions()).to.not.include("raw_samples_y2019m02");
  });

  it("partitions by month stay while a backup is made, though it comes to them late", async () => {
    await recordPremiums(db, [premium(at("2019-02-01T00:00:00Z"))], NOW);
    const snapshot = await openSnapshot(url);
    try {
      await clearOld(db, DEFAULT_RETENTION, NOW);
      const tables: string[] = [];
      for await (const { table } of snapshot.rows()) tables.push(table);
      expect(tables).to.include("raw_samples");
    } finally {
      await snapshot.close();
    }
    await clearOld(db, DEFAULT_RETENTION, NOW);
    expect(await partitions()).to.not.include("raw_samples_y2019m02");
  });

  it("partitions by month that a question does not reach are not looked at", async () => {
    const start = at("2026-01-15T00:00:00Z");
    const days = Array.from({ length: 300 }, (_, n) => start + n * DAY);
    await record(db, days);
    await sql`analyze`.execute(db);
    const asked = open({ onQuery: (query: any) => explained.push(query) });
    const explained: any[] = [];
    const touched = async (ask: () => Promise<unknown>) => {
      explained.length = 0;
      await ask();
      const names = new Set<string>();
      for (const query of [...explained]) {
        const explain = { ...query, sql: `explain (analyze, costs off, timing off) ${query.sql}` };
        const { rows } = await db.executeQuery<Record<string, string>>(explain);
        // A partition that the running query found out of reach is planned, and never executed.
        for (const row of rows) {
          const line = String(row["QUERY PLAN"]);
          const name = / on (\w+_y\d{4}m\d{2})\b/.exec(line)?.[1];
          if (name && !line.includes("never executed")) names.add(name);
        }
      }
      return [...names].sort();
    };
    const week = { from: at("2026-03-28T00:00:00Z"), to: at("2026-04-03T00:00:00Z") };
    const both = (table: string) => [`${table}_y2026m03`, `${table}_y2026m04`];
    expect(await touched(() => premiumPoints(asked, "a", week))).to.deep.equal(both("hour_buckets"));
    expect(monthStart(week.to)).to.equal(at("2026-04-01T00:00:00Z"));
  });
});
