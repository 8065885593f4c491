/** Databases full of hours, by bare inserts: what is measured is reading them, and storing more. */
import { sql } from "kysely";
import { migrate } from "../../../database/migrate.ts";
import { engineOf, openDatabase } from "../../../database/open.ts";
import { premiumSeries } from "../../../market/series/premium.ts";
import { liveKey } from "../../../test/support/samples.ts";
import type { Databases } from "../fixtures.ts";
import { counted, progress } from "../measure.ts";

/** The first hour after those that are stored, in hours since 1970. */
export const LAST_HOUR = 498_000;

/** Of one transaction. */
const SYMBOLS_AT_ONCE = 50;

export type Filled = Awaited<ReturnType<typeof fillDatabase>>;

/** The series have the numbers from 1 to `symbols`. @param hours of each, up to the last */
export async function fillDatabase(databases: Databases, symbols: number, hours: number) {
  const from = performance.now();
  const url = await databases.create();
  await using db = openDatabase(url, { patienceMs: null });
  await migrate(db);
  // It gets the number 1.
  await sql`insert into origins (source, session, reference_source, state, funding_state, halted)
    values ('bench', 'regular', 'feed', 'agreed', '', 0)`.execute(db);
  for (let first = 1; first <= symbols; first += SYMBOLS_AT_ONCE) {
    const last = Math.min(symbols, first + SYMBOLS_AT_ONCE - 1);
    const ids = Array.from({ length: last - first + 1 }, (_, n) => first + n);
    await db
      .insertInto("series")
      .values(ids.map((id) => ({ id, name: premiumSeries(liveKey(id)) })))
      .execute();
    await sql`with recursive hours (hour) as (
        select cast(${LAST_HOUR - hours} as integer) union all select hour + 1 from hours where hour < ${LAST_HOUR - 1}
      ), closes as (
        select series.id, hour, (series.id * 7919 + cast(hour as bigint) * 104729) % 1000003 - 500000 as close
        from series cross join hours where series.id between ${first} and ${last}
      )
      insert into hour_buckets (series_id, hour, close, lo, hi, net_edge, close_second, origin_id, samples)
      select id, hour, close, close - 40000, close + 35000, -close - 150000, 3300, 1, 12 from closes
      order by id, hour`.execute(db);
  }
  if (engineOf(db) === "postgres")
    await sql`select setval(pg_get_serial_sequence('series', 'id'), ${symbols})`.execute(db);
  await sql`analyze`.execute(db);
  const rows = symbols * hours;
  const seconds = (performance.now() - from) / 1_000;
  progress(`${counted(rows)} hours of ${symbols} symbols, built in ${seconds.toFixed(0)} s`);
  return { url, symbols, rows };
}
