/** Rows by the statement: copies of one row, each with names of its own. */

export interface Statement {
  readonly table: string;
  readonly from: number;
  readonly to: number;
  rows(from: number, to: number): string;
}

/** A copy of a template's row for each `n`. @param columns as SQL lists them @param changed SQL by column, over the template's */
export function copies(
  table: string,
  columns: string,
  changed: Readonly<Record<string, string>>,
  given: { template: string; from: number; to: number; only?: string },
): Statement {
  const values = columns.split(", ").map((column) => changed[column] ?? `t.${column}`);
  return {
    table,
    from: given.from,
    to: given.to,
    rows: (from, to) =>
      `insert into ${table} (${columns}) select ${values.join(", ")}
        from generate_series(${from}::bigint, ${to}::bigint) as n, (${given.template}) as t
        where ${given.only ?? "true"} order by n`,
  };
}
