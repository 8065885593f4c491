/** Engines beside one process: limits in Redis, PostgreSQL and memory; months that are dropped; a cache that is shared. */
import { performance } from "node:perf_hooks";
import { Redis } from "ioredis";
import { sql } from "kysely";
import { premiumPointsText } from "../../api/data/seriesTexts.ts";
import { type CommonCounts, createLimits } from "../../api/http/limits.ts";
import { openRedisCounts } from "../../api/http/redisCounts.ts";
import { Secret } from "../../api/settings/secret.ts";
import { migrate } from "../../database/migrate.ts";
import { type Database, openDatabase, postgresPoolOf } from "../../database/open.ts";
import { dropMonths, ensureMonths } from "../../database/partitions.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { startRedis } from "../../test/support/redis.ts";
import { median } from "./measure.ts";

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

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
};
const figure = (name: string, value: string) => console.log(`${name.padEnd(64)} ${value}`);

/** Milliseconds of a refused request's count: alone, and with fifty at once. */
async function limitsBy(name: string, common: CommonCounts | undefined): Promise<void> {
  const limits = createLimits(common);
  const refused = async () => {
    const started = performance.now();
    await limits.take("key:bench", 1).catch(() => {});
    return performance.now() - started;
  };
  for (let n = 0; n < 200; n++) await refused();
  const alone: number[] = [];
  for (let n = 0; n < 2_000; n++) alone.push(await refused());
  const together: number[] = [];
  for (let n = 0; n < 40; n++) together.push(...(await Promise.all(Array.from({ length: 50 }, refused))));
  const p99 = [...together].sort((one, other) => one - other)[Math.floor(together.length * 0.99)] ?? 0;
  figure(
    `a refused request's count, ${name}`,
    `${median(alone).toFixed(3)} ms alone; p99 of 50 at once ${p99.toFixed(2)} ms`,
  );
}

async function fill(db: Database): Promise<void> {
  await migrate(db);
  const months = [-4, -3, -2, -1, 0].map((months) => Date.UTC(2026, 9 + months) / 1_000);
  await ensureMonths(db, { raw_samples: [MONTH], impact_samples: [MONTH], hour_buckets: months });
  await sql`insert into series (name) select 'premium/' || n from generate_series(1, ${sql.lit(SERIES)}) n`.execute(
    db,
  );
  await sql`insert into origins (source, session, reference_source) values ('s', 'regular', 'r')`.execute(db);
  const at = `${MONTH} + (n::bigint * ${SECONDS} / ${ROWS + 1})`;
  for (const rows of [
    `raw_samples select 1 + n % ${SERIES}, ${at}, repeat('w', 100) || n`,
    `impact_samples select 'eip155:56:0x' || lpad((n % ${SERIES})::text, 40, 'a'), ${at}, 'pancakeswap', 'regular', '1.25', '12.5'`,
    `hour_buckets (series_id, hour, close, lo, hi, close_second, origin_id, samples)
       select 1 + n % ${SERIES}, ${Math.floor(MONTH / 3_600)} - n / ${SERIES}, n, n, n, 1, 1, 12`,
  ])
    await sql.raw(`insert into ${rows} from generate_series(1, ${ROWS}) n`).execute(db);
  await sql`vacuum analyze`.execute(db);
}

async function months(url: string, otherUrl: string): Promise<void> {
  const db = openDatabase(url, { patienceMs: null });
  const other = openDatabase(otherUrl, { patienceMs: null });
  await fill(db);
  await fill(other);
  const deleting = await seconds(async () => {
    for (let id = 1; id <= SERIES; id++)
      await other
        .deleteFrom("raw_samples")
        .where("series_id", "=", id)
        .where("sampled_at", "<", MONTH + SECONDS)
        .execute();
  });
  const cleaning = await seconds(() => sql`vacuum raw_samples`.execute(other));
  figure(
    `a month of ${ROWS.toLocaleString("en")} samples deleted series by series`,
    `${deleting.toFixed(2)} s, and its vacuum ${cleaning.toFixed(2)} s`,
  );
  await other.destroy();
  const dropping = await seconds(async () => {
    if ((await dropMonths(db, "raw_samples", MONTH + SECONDS)).length !== 1)
      throw new Error("nothing was dropped");
  });
  figure("the same month dropped", `${(dropping * 1_000).toFixed(0)} ms`);
  await db.destroy();
}

/** What a shared cache would spare: an answer of 90 days is made, or fetched as bytes. */
async function sharedCache(db: Database, redisUrl: string): Promise<void> {
  await sql`insert into origins (id, source, session, reference_source) values (1, 's', 'regular', 'r')`.execute(
    db,
  );
  await sql`insert into series (id, name) values (1, 'premium/a')`.execute(db);
  const now = Math.floor(MONTH / 3_600) * 3_600;
  await ensureMonths(db, { hour_buckets: [now - 700 * 3_600, now - 3_600] });
  await db
    .insertInto("hour_buckets")
    .columns(["series_id", "hour", "close", "lo", "hi", "net_edge", "close_second", "origin_id", "samples"])
    .expression(
      sql`select 1, ${sql.lit(now / 3_600)} - n, 12345 + n, 12300, 12400, 1, 1, 1, 12 from generate_series(1, 700) n`,
    )
    .execute();
  const deps = { db, now: () => now * 1_000 };
  const text = await premiumPointsText(deps, "a", 28);
  const client = new Redis(redisUrl);
  await client.set("answer", text);
  const [made, fetched]: [number[], number[]] = [[], []];
  for (let n = 0; n < 300; n++) {
    made.push(await seconds(() => premiumPointsText(deps, "a", 28)));
    fetched.push(await seconds(() => client.get("answer")));
  }
  client.disconnect();
  figure(
    `an answer of ${Math.round(text.length / 1_024)} KB made from PostgreSQL, and fetched from Redis`,
    `${(median(made) * 1_000).toFixed(2)} ms, ${(median(fetched) * 1_000).toFixed(2)} ms`,
  );
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
    await sharedCache(db, redis.url);
    await db.destroy();
    await months(await server.createDatabase(), await server.createDatabase());
  } finally {
    await redis.remove();
    await remove();
  }
}
