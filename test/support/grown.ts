/** A PostgreSQL database that has been in use for years, filled in bulk. */
import { sql } from "kysely";
import type { Database } from "../../database/open.ts";

/** As many the planner takes each table to have. */
const GROWN_ROWS = 500_000;
/**
 * What each has. A scan then looks cheaper than it would be: the planner counts the rows of 500,000 and the pages of
 * 50,000. A plan that avoids it avoids one of 500,000 all the more.
 */
const ROWS_EACH = 50_000;
/** Series, assets and days are few beside their samples. */
const SERIES = 50;

// Keys in ascending order: an index takes them many times faster than in a random one, and plans the same.
const id = "lpad(n::text, 7, '0')";

/** For each table its columns as expressions of the row's number `n`, from 1. */
const ROWS: Readonly<Record<string, string>> = {
  jobs: `'grown_' || ${id}, null, ${id}, 'request-' || n, ${id}, '{}',
    1700000000 + n, 1900000000 + n, 1, 0, 3`,
  reports: `'grown_' || ${id}, 1, 'initial', 'ALLOW', ${id}, 1700000000 + n, repeat('w', 60), null, null,
    ${id}`,
  job_tokens: `${id}, 'grown_' || ${id}, 1700000000000 + n`,
  prepare_slots: `'grown_' || ${id}, 0, 1700000000000 + n`,
  executions: `'exe_' || ${id}, 'grown_' || ${id}, ${id}, 1, 'confirmed', null, null, 1700000000 + n, null`,
  public_evidence: `${id}, 'grown_' || ${id}, 1`,
  raw_answers: `${id}, repeat('w', 200), 1700000000 + n`,
  payment_terms: `'grown_' || ${id}, '[]', 1700000000 + n`,
  payments: `'eip155:31337', 'asset', 'payer_' || n / 500, ${id}, 'grown_' || ${id}, 'settled', '10000', 'payee',
    1700000300 + n, repeat('w', 120), '{}', 1, 1700000000 + n, 1, 0, 0, null, ${id}, 2, ${id},
    1700000000 + n, 1700000000 + n`,
  body_purchases: `'payer_' || n, ${id}, '', 'grown_' || ${id}, 1700000000 + n, 1700000600 + n, 1700000600 + n`,
  guard_trades: `${id}, 1700000000 + n`,
  api_keys: `'key_grown_' || n, ${id}, 'n', 'e', 'p', 'active', null, 1700000000000 + n, 1700000000000 + n`,
  api_key_events: `'event_' || n, 'key_grown_' || n, 'a', 'created', null, 1700000000000 + n`,
  owner_nonces: `${id}, n`,
  hour_buckets: `1000 + n / (${ROWS_EACH} / ${SERIES}), 527000 + n % (${ROWS_EACH} / ${SERIES}), 1, 1, 1, 1, 0, 1, 1`,
  raw_samples: `1000 + n % ${SERIES}, 1900000000 + n, repeat('w', 100), 1`,
  impact_samples: `'asset_' || n % ${SERIES}, 1900000000 + n, 'grown', 'regular', '1', '1'`,
  // Within what is kept, and older than a day.
  rejected_samples: `extract(epoch from now())::bigint - 2500000 + n * 45, 'kind', 'subject', 'reason', 'sample'`,
  // Kept for a month, and forever.
  volume_days: `to_char(current_date - (n / 2000)::int, 'YYYY-MM-DD'), 'asset_' || n % 2000,
    1700000000 + n, 'grown', 'regular', '1', '1', 'single', 0`,
  log_entries: `1000000 + n, repeat('w', 100), n`,
  log_nodes: `0, 1000000 + n, repeat('w', 44)`,
  daily_totals: `to_char(current_date - (n / ${SERIES})::int, 'YYYY-MM-DD'), 'scope_' || n % ${SERIES}, '1', '1', 1, 1`,
};

export const GROWING = Object.keys(ROWS);

/** Fills every table that grows, and lets the planner know. */
export async function grow(db: Database): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection);
    // Foreign keys would be looked up row by row.
    await sql`set session_replication_role = replica`.execute(connection);
    for (const [table, columns] of Object.entries(ROWS))
      await sql
        .raw(
          `insert into ${table} select ${columns}
             from generate_series(1, ${ROWS_EACH}) n`,
        )
        .execute(connection);
    await sql`vacuum analyze`.execute(connection);
    const tables = GROWING.map((table) => `'${table}'::regclass`);
    await sql
      .raw(
        `with grown as (select unnest(array[${tables}])::oid as oid)
         update pg_class set reltuples = reltuples * ${GROWN_ROWS / ROWS_EACH}
           where oid in (select oid from grown)
             or oid in (select indexrelid from pg_index where indrelid in (select oid from grown))`,
      )
      .execute(connection);
  });
}

/** How many rows the planner takes a table to have. */
export async function rowsPlanned(db: Database, table: string): Promise<number> {
  const { rows } = await sql<Record<string, unknown>>`explain select * from ${sql.table(table)}`.execute(db);
  return Number(/rows=(\d+)/.exec(String(rows[0]?.["QUERY PLAN"]))?.[1]);
}
