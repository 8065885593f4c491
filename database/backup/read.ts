/** Reads every row as of one moment, while the service goes on writing. */
import BetterSqlite3 from "better-sqlite3";
import type pg from "pg";
import { DatabaseUnavailable } from "../databaseErrors.ts";
import { isPostgres, sqlitePath } from "../open.ts";
import { PARTED_TABLES } from "../partitions.ts";
import { postgresPool } from "../postgres.ts";
import { BACKUP_TABLES, type BackupRow, type Row } from "./tables.ts";

const CHUNK = 1_000;
/** Milliseconds for so many rows. */
const PATIENCE_MS = 30_000;
const CONNECT_MS = 3_000;

/** Of one moment; `close` ends the reading. */
export interface Snapshot {
  /** Names of the migrations that the database has seen, in order. */
  readonly migrations: readonly string[];
  /** Table by table, in the order of `BACKUP_TABLES`. */
  rows(): AsyncIterable<BackupRow>;
  close(): Promise<void>;
}

/** @throws DatabaseUnavailable, or the database's own error where it is none of ours */
export async function openSnapshot(url: string): Promise<Snapshot> {
  return isPostgres(url) ? await openPostgres(url) : openSqlite(sqlitePath(url));
}

const MIGRATIONS = "select name from kysely_migration order by name";

function openSqlite(path: string): Snapshot {
  let file: BetterSqlite3.Database;
  try {
    file = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
  } catch (error) {
    throw new DatabaseUnavailable(error);
  }
  // The first read fixes the moment; writers go on beside it.
  file.exec("begin");
  const migrations = file
    .prepare<[], { name: string }>(MIGRATIONS)
    .all()
    .map(({ name }) => name);
  return {
    migrations,
    async *rows() {
      for (const table of BACKUP_TABLES)
        for (const row of file.prepare<[], Row>(`select * from ${table}`).iterate()) yield { table, row };
    },
    close: async () => {
      file.close();
    },
  };
}

async function openPostgres(url: string): Promise<Snapshot> {
  const pool = postgresPool(url, PATIENCE_MS, CONNECT_MS);
  let client: pg.PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    await pool.end();
    throw new DatabaseUnavailable(error);
  }
  const close = async () => {
    client.release(true);
    await pool.end();
  };
  try {
    await client.query("begin isolation level repeatable read read only");
    // Before the moment that is read is fixed: a month that is dropped is gone from every moment.
    await client.query(`lock table ${PARTED_TABLES.join(", ")} in access share mode`);
    // Writing the backup's file may keep it waiting, so the server's limit must not apply.
    await client.query("select set_config('idle_in_transaction_session_timeout', '0', true)");
    const { rows } = await client.query<{ name: string }>(MIGRATIONS);
    return { migrations: rows.map(({ name }) => name), rows: () => rowsOf(client), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function* rowsOf(client: pg.PoolClient): AsyncIterable<BackupRow> {
  for (const table of BACKUP_TABLES) {
    await client.query(`declare reading no scroll cursor for select * from ${table}`);
    for await (const row of fetched(client)) yield { table, row };
    await client.query("close reading");
  }
}

async function* fetched(client: pg.PoolClient): AsyncIterable<Row> {
  for (;;) {
    const { rows } = await client.query<Row>(`fetch ${CHUNK} from reading`);
    if (rows.length === 0) return;
    yield* rows;
  }
}
