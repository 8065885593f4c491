/** Reads every row of a SQLite file as of one moment, while the service goes on writing, and fills an empty database of either engine with them. */
import BetterSqlite3 from "better-sqlite3";
import { sql, type Transaction } from "kysely";
import { DatabaseUnavailable } from "./errors.ts";
import { type Database, engineOf } from "./open.ts";
import type { Schema } from "./schema.ts";

/**
 * Of no use after a restore: who is at work right now, how often somebody asked in this minute, and how providers
 * answered and were asked lately.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "leases",
  "rate_limits",
  "provider_outcomes",
  "write_probe",
  "migration_compatibility",
  "kysely_migration",
  "kysely_migration_lock",
]);

/** What a migration itself puts a row into; a restore puts the backup's in its place. */
const SEEDED: ReadonlySet<string> = new Set(["market_state"]);

/** Rows of one insert; SQLite takes 32,766 values at the most. */
const CHUNK = 500;

export type Row = Readonly<Record<string, string | number | null>>;

export interface BackupRow {
  readonly table: string;
  readonly row: Row;
}

/** Of one moment; `close` ends the reading. */
export interface Snapshot {
  /** Names of the migrations that the database has seen, in order. */
  readonly migrations: readonly string[];
  /** Table by table, in the order in which they were made: each after those that it refers to. */
  rows(): Iterable<BackupRow>;
  close(): void;
}

/** @param path of a SQLite file @throws DatabaseUnavailable, or the database's own error where it is none of ours */
export function openSnapshot(path: string): Snapshot {
  let file: BetterSqlite3.Database;
  try {
    file = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
  } catch (error) {
    throw new DatabaseUnavailable(error);
  }
  // The first read fixes the moment; writers go on beside it.
  file.exec("begin");
  const namesOf = (query: string) => file.prepare<[], string>(query).pluck().all();
  const tables = namesOf(
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by rowid",
  );
  return {
    migrations: namesOf("select name from kysely_migration order by name"),
    *rows() {
      for (const table of tables) {
        if (LEFT_OUT.has(table)) continue;
        for (const row of file.prepare<[], Row>(`select * from ${table}`).iterate()) yield { table, row };
      }
    },
    close: () => void file.close(),
  };
}

/** The tables of a database that a backup holds. */
export async function backupTables(db: Database): Promise<string[]> {
  const tables = await db.introspection.getTables();
  return tables.map(({ name }) => name).filter((name) => !LEFT_OUT.has(name));
}

/** Those that hold rows already. */
export async function filledTables(db: Database): Promise<string[]> {
  const filled: string[] = [];
  for (const table of await backupTables(db)) {
    if (SEEDED.has(table)) continue;
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db);
    if (rows.length > 0) filled.push(table);
  }
  return filled;
}

/**
 * Writes the rows of a backup, all of them or none.
 * @param db migrated, and empty: see `filledTables`
 * @param rows may throw at any point; then nothing is written
 * @returns how many rows there were
 */
export async function writeRows(db: Database, rows: AsyncIterable<BackupRow>): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    for (const table of SEEDED) await sql`delete from ${sql.table(table)}`.execute(trx);
    let count = 0;
    let table = "";
    let chunk: Row[] = [];
    for await (const next of rows) {
      if (next.table !== table || chunk.length === CHUNK) {
        await insert(trx, table, chunk);
        chunk = [];
      }
      table = next.table;
      chunk.push(next.row);
      count++;
    }
    await insert(trx, table, chunk);
    if (engineOf(db) === "postgres") await continueNumbering(trx);
    return count;
  });
}

async function insert(trx: Transaction<Schema>, table: string, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  // Columns are checked by the database itself: the rows are what it gave out.
  await trx
    .insertInto(table as keyof Schema)
    .values(rows as never)
    .execute();
}

/** PostgreSQL assigns numbers from sequences, which know nothing of rows that came with theirs. */
async function continueNumbering(trx: Transaction<Schema>): Promise<void> {
  for (const { name, columns } of await trx.introspection.getTables())
    for (const column of columns) {
      if (!column.isAutoIncrementing) continue;
      const numbers = sql.ref(column.name);
      await sql`select setval(pg_get_serial_sequence(${name}, ${column.name}), max(${numbers}))
        from ${sql.table(name)} having max(${numbers}) is not null`.execute(trx);
    }
}
