/** Engines beside one process: limits in Redis, PostgreSQL and memory; months that are dropped. */
import { sql } from "kysely";
import { type CommonCounts, createLimits } from "../../api/http/limits.ts";
import { openRedisCounts } from "../../api/http/redisCounts.ts";
import { Secret } from "../../api/settings/secret.ts";
import { migrate } from "../../database/migrate.ts";
import { type Database, openDatabase, postgresPoolOf } from "../../database/open.ts";
import { dropMonths, ensureMonths } from "../../database/partitions.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { startRedis } from "../../test/support/redis.ts";
import { median, milliseconds, quantile } from "./measure.ts";
import { printTable } from "./print.ts";

const ROWS = 1_000_000;
const SERIES = 400;
/** The last month of a million samples. */
const MONTH = Date.UTC(2026, 9) / 1_000;
const SECONDS = 31 * 86_400;
const silent = { warn: () => {}, info: () => {} };
const noTest = {
  skip: () => {
    throw new Error("redis-server is missing (apt-get install redis-server)");
  },
} as unknown as Mocha.Context;

const figures: string[][] = [];
const figure = (name: string, value: string) => void figures.push([name, value]);

/** Milliseconds of a refused request's count: alone, and with fifty at once. */
async function limitsBy(name: string, common: CommonCounts | undefined): Promise<void> {
  const limits = createLimits(common);
  const refused = () => milliseconds(() => limits.take("key:bench", 1).catch(() => {}));
  for (let n = 0; n < 200; n++) await refused();
  const alone: number[] = [];
  for (let n = 0; n < 2_000; n++) alone.push(await refused());
  const together: number[] = [];
  for (let n = 0; n < 40; n++) together.push(...(await Promise.all(Array.from({ length: 50 }, refused))));
  figure(
    `a refused request's count, ${name}`,
    `${median(alone).toFixed(3)} ms alone; p99 of 50 at once ${quantile(together, 0.99).toFixed(2)} ms`,
  );
}

/** A month of samples in the service's table, and in one that is not parted. */
async function fill(db: Database): Promise<void> {
  await ensureMonths(db, { raw_samples: [MONTH] });
  await sql`create table whole (like raw_samples including all)`.execute(db);
  await sql`insert into series (name) select 'premium/' || n from generate_series(1, ${sql.lit(SERIES)}) n`.execute(
    db,
  );
  const at = `${MONTH} + (n::bigint * ${SECONDS} / ${ROWS + 1})`;
  for (const table of ["raw_samples", "whole"])
    await sql
      .raw(
        `insert into ${table} select 1 + n % ${SERIES}, ${at}, repeat('w', 100) || n from generate_series(1, ${ROWS}) n`,
      )
      .execute(db);
  await sql`vacuum analyze`.execute(db);
}

async function months(url: string): Promise<void> {
  const db = openDatabase(url, { patienceMs: null });
  await migrate(db);
  await fill(db);
  const deleting = await milliseconds(async () => {
    for (let id = 1; id <= SERIES; id++)
      await sql`delete from whole where series_id = ${id} and sampled_at < ${MONTH + SECONDS}`.execute(db);
  });
  const cleaning = await milliseconds(() => sql`vacuum whole`.execute(db));
  figure(
    `a month of ${ROWS.toLocaleString("en")} samples deleted series by series`,
    `${(deleting / 1_000).toFixed(2)} s, and its vacuum ${(cleaning / 1_000).toFixed(2)} s`,
  );
  const dropping = await milliseconds(async () => {
    const dropped = await dropMonths(db, "raw_samples", MONTH + SECONDS);
    if (dropped.length !== 1) throw new Error(`${dropped.length} months were dropped`);
  });
  figure("the same month dropped", `${dropping.toFixed(0)} ms`);
  await db.destroy();
}

export async function bench(): Promise<void> {
  const { server, remove } = await startPostgres({ isDurable: true });
  const redis = await startRedis(noTest);
  try {
    const db = openDatabase(await server.createDatabase());
    await migrate(db);
    const counts = await openRedisCounts(new Secret(redis.url), silent);
    await limitsBy("in memory", undefined);
    await limitsBy("in Redis", counts);
    await limitsBy("in PostgreSQL", postgresPoolOf(db));
    await counts.close();
    await db.destroy();
    await months(await server.createDatabase());
    printTable(["engines beside one process", "value"], figures);
  } finally {
    await redis.remove();
    await remove();
  }
}
