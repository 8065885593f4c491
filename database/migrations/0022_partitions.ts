/** Samples and hour buckets in a partition for each month, on PostgreSQL: old months are dropped, not deleted row by row. */
import { type Kysely, sql } from "kysely";
import type { Compatibility } from "../compatibility.ts";
import { engineOf } from "../open.ts";

export const compatibility: Compatibility = {
  olderPrograms: "refused",
  because:
    "On PostgreSQL samples and hour buckets lie in partitions by month, which older programs do not make: what they record of a new month would be lost.",
};

interface Parted {
  readonly table: string;
  /** What parts it, in units of so many seconds. */
  readonly column: string;
  readonly unit: number;
  readonly storage: string;
  /** Drops its key, and makes it. */
  readonly unkeyed: string;
  readonly keyed: string;
}

const RAW_KEY = `create unique index raw_samples_key on raw_samples
  (series_id, sampled_at, hashtextextended(sample, 0))`;

const PARTED: readonly Parted[] = [
  {
    table: "raw_samples",
    column: "sampled_at",
    unit: 1,
    storage: "",
    unkeyed: "drop index raw_samples_key",
    keyed: RAW_KEY,
  },
  {
    table: "impact_samples",
    column: "sampled_at",
    unit: 1,
    storage: "",
    unkeyed: "alter table impact_samples drop constraint impact_samples_key",
    keyed:
      "alter table impact_samples add constraint impact_samples_key primary key (asset_key, sampled_at, source)",
  },
  {
    table: "hour_buckets",
    column: "hour",
    unit: 3_600,
    storage: "with (fillfactor = 80)",
    unkeyed: "alter table hour_buckets drop constraint hour_buckets_key",
    keyed: "alter table hour_buckets add constraint hour_buckets_key primary key (series_id, hour)",
  },
];

export async function up(db: Kysely<unknown>): Promise<void> {
  if (engineOf(db) === "sqlite") return;
  for (const parted of PARTED) {
    const { table, column } = parted;
    await run(db, parted.unkeyed);
    await run(db, `alter table ${table} rename to ${table}_whole`);
    await run(
      db,
      `create table ${table} (like ${table}_whole including defaults) partition by range (${column})`,
    );
    for (const month of await monthsOf(db, parted)) await makeMonth(db, parted, month);
    await run(db, `insert into ${table} select * from ${table}_whole`);
    // After the rows: so an index is made much faster.
    await run(db, parted.keyed);
    await run(db, `drop table ${table}_whole`);
    await run(db, `analyze ${table}`);
  }
}

/** Those of its rows, the running one and the next two, as texts like `2026-11-01`. */
async function monthsOf(db: Kysely<unknown>, { table, column, unit }: Parted): Promise<string[]> {
  const { rows } = await sql
    .raw<{ month: string }>(
      `select distinct to_char(to_timestamp(${column}::bigint * ${unit}) at time zone 'UTC', 'YYYY-MM-01') as month
         from ${table}_whole
       union select to_char((now() at time zone 'UTC') + make_interval(months => n), 'YYYY-MM-01')
         from generate_series(0, 2) n`,
    )
    .execute(db);
  return rows.map(({ month }) => month).sort();
}

async function makeMonth(
  db: Kysely<unknown>,
  { table, unit, storage }: Parted,
  month: string,
): Promise<void> {
  const [year = "", index = ""] = month.split("-");
  const at = (months: number) => Date.UTC(Number(year), Number(index) - 1 + months) / 1_000 / unit;
  await run(
    db,
    `create table ${table}_y${year}m${index} partition of ${table} for values from (${at(0)}) to (${at(1)}) ${storage}`,
  );
}

export async function down(db: Kysely<unknown>): Promise<void> {
  if (engineOf(db) === "sqlite") return;
  for (const { table, storage, unkeyed, keyed } of PARTED) {
    await run(db, unkeyed);
    await run(db, `alter table ${table} rename to ${table}_parted`);
    await run(db, `create table ${table} (like ${table}_parted including defaults) ${storage}`);
    await run(db, `insert into ${table} select * from ${table}_parted`);
    await run(db, keyed);
    await run(db, `drop table ${table}_parted`);
  }
}

async function run(db: Kysely<unknown>, statement: string): Promise<void> {
  await sql.raw(statement).execute(db);
}
