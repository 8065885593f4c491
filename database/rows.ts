/** Many rows as one parameter of a statement, for `insertInto(…).columns(…).expression(…)`. */
import { type RawBuilder, sql } from "kysely";
import { type Database, engineOf } from "./open.ts";
import type { Schema } from "./schema.ts";

/**
 * A query that returns these rows, which travel as one JSON text: with a parameter for each value PostgreSQL takes twice as
 * long to read the statement.
 * @param table whose columns have their types
 */
export function rowsOf<Table extends keyof Schema & string, Column extends keyof Schema[Table] & string>(
  db: Database,
  table: Table,
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, string | number | null>>[],
): RawBuilder<unknown> {
  const json = JSON.stringify(rows);
  // SQLite needs the condition, to tell a conflict's ON from a join's.
  return engineOf(db) === "postgres"
    ? sql`select ${sql.join(columns.map((column) => sql.ref(column)))}
        from json_populate_recordset(cast(null as ${sql.table(table)}), ${json}) where true`
    : sql`select ${sql.join(columns.map((column) => sql`value ->> ${sql.lit(column)}`))}
        from json_each(${json}) where true`;
}

/** For `doUpdateSet`: these columns as the row has them that met another one. */
export const asGiven = <Column extends string>(columns: readonly Column[]) =>
  Object.fromEntries(columns.map((column) => [column, sql.ref(`excluded.${column}`)])) as Readonly<
    Record<Column, RawBuilder<never>>
  >;
