/** Fills an empty database with the rows of a backup, all of them or none. */
import { sql, type Transaction } from "kysely";
import { type Database, engineOf } from "../open.ts";
import type { Schema } from "../schema.ts";
import { BACKUP_TABLES, type BackupRow, type BackupTable, NUMBERED, type Row, SEEDED } from "./tables.ts";

/** Rows of one insert; SQLite takes 32,766 values at the most. */
const CHUNK = 500;

/** The tables that hold rows already. */
export async function filledTables(db: Database): Promise<BackupTable[]> {
  const filled: BackupTable[] = [];
  for (const table of BACKUP_TABLES) {
    if (isSeeded(table)) continue;
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db);
    if (rows.length > 0) filled.push(table);
  }
  return filled;
}

/**
 * @param db migrated, and empty: see `filledTables`
 * @param rows may throw at any point; then nothing is written
 * @returns how many rows there were
 */
export async function writeRows(db: Database, rows: AsyncIterable<BackupRow>): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    for (const table of SEEDED) await trx.deleteFrom(table).execute();
    let count = 0;
    let chunk: Row[] = [];
    let table: BackupTable | null = null;
    const flush = async () => {
      // Columns are checked by the database itself: the rows are what it gave out.
      if (table !== null && chunk.length > 0)
        await trx
          .insertInto(table)
          .values(chunk as never)
          .execute();
      chunk = [];
    };
    for await (const next of rows) {
      if (next.table !== table || chunk.length === CHUNK) await flush();
      table = next.table;
      chunk.push(next.row);
      count++;
    }
    await flush();
    if (engineOf(db) === "postgres") await goOnCounting(trx);
    return count;
  });
}

function isSeeded(table: BackupTable): boolean {
  return SEEDED.some((seeded) => seeded === table);
}

async function goOnCounting(trx: Transaction<Schema>): Promise<void> {
  for (const table of NUMBERED)
    await sql`select setval(pg_get_serial_sequence(${table}, 'id'), max(id)) from ${sql.table(table)} having max(id) is not null`.execute(
      trx,
    );
}
