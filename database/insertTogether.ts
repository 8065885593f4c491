/** Rows of several tables, all of them or none. */
import { type Insertable, type RawBuilder, sql } from "kysely";
import { type Database, engineOf } from "./open.ts";
import type { Schema } from "./schema.ts";

type Table = keyof Schema & string;

/** A row for a table. */
export interface NewRow {
  readonly table: Table;
  readonly row: Readonly<Record<string, string | number | null>>;
}

export const newRow = <T extends Table>(table: T, row: Insertable<Schema[T]>): NewRow => ({
  table,
  row: row as NewRow["row"],
});

/**
 * Inserts rows; none of them where the first one is there already. A later one that is there already stays as it is.
 * PostgreSQL does it by one statement, because each way to the server and back costs as much as the work there.
 * @returns false where the first one was there
 */
export function insertTogether(db: Database, rows: readonly NewRow[]): Promise<boolean> {
  if (engineOf(db) === "postgres") return atOnce(db, rows);
  return db.isTransaction ? inTurn(db, rows) : db.transaction().execute((trx) => inTurn(trx, rows));
}

async function inTurn(trx: Database, rows: readonly NewRow[]): Promise<boolean> {
  for (const [index, { table, row }] of rows.entries()) {
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto(table)
      .values(row as never)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    if (index === 0 && numInsertedOrUpdatedRows === 0n) return false;
  }
  return true;
}

async function atOnce(db: Database, rows: readonly NewRow[]): Promise<boolean> {
  const parts = rows.map((each, index) => sql`${nameOf(index)} as (${insertOf(each, index)})`);
  const { rows: inserted } = await sql`with ${sql.join(parts)} select 1 from ${nameOf(0)}`.execute(db);
  return inserted.length > 0;
}

/** Each but the first one selects its values from the first one, which has no row where it was there already. */
function insertOf({ table, row }: NewRow, index: number): RawBuilder<unknown> {
  const columns = sql.join(Object.keys(row).map((column) => sql.ref(column)));
  const values = sql.join(Object.values(row));
  const insert = sql`insert into ${sql.table(table)} (${columns})`;
  return index === 0
    ? sql`${insert} values (${values}) on conflict do nothing returning 1`
    : sql`${insert} select ${values} from ${nameOf(0)} on conflict do nothing`;
}

const nameOf = (index: number) => sql.ref(`row${index}`);
