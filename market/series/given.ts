/** Many rows as a table within a statement: its length does not depend on how many they are. */
import { type RawBuilder, sql } from "kysely";
import { type Database, engineOf } from "../../database/open.ts";

/** As PostgreSQL names it; SQLite's values bring their own. */
type ColumnType = "integer" | "bigint" | "text";

type Row<Columns extends string> = Readonly<Record<Columns, string | number | null>>;

/**
 * A table for `from`. On PostgreSQL each column is one parameter, an array; on SQLite all rows are one JSON text.
 * @param name of the table in the statement
 */
export function givenRows<Columns extends string>(
  db: Database,
  name: string,
  columns: Readonly<Record<Columns, ColumnType>>,
  rows: readonly Row<Columns>[],
): RawBuilder<unknown> {
  const names = Object.keys(columns) as Columns[];
  if (engineOf(db) === "postgres") {
    const arrays = names.map((column) => {
      const values = rows.map((row) => row[column]);
      return sql`cast(${sql.val(values)} as ${sql.raw(columns[column])}[])`;
    });
    return sql`unnest(${sql.join(arrays)}) as ${sql.table(name)} (${columnList(names)})`;
  }
  const json = JSON.stringify(rows.map((row) => names.map((column) => row[column])));
  const values = names.map((column, place) => sql`value ->> ${sql.lit(place)} as ${sql.ref(column)}`);
  return sql`(select ${sql.join(values)} from jsonb_each(${json})) as ${sql.table(name)}`;
}

/** `"a", "b"` */
export const columnList = (columns: readonly string[]): RawBuilder<unknown> =>
  sql.join(columns.map((column) => sql.ref(column)));

/** For `on conflict … do update set`: these columns as the row has them that met another one. */
export const asGiven = (columns: readonly string[]): RawBuilder<unknown> =>
  sql.join(columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`));
