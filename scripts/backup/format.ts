/**
 * The file of a backup: gzipped lines of JSON. A heading, a line for each row, and a last line with their number, so
 * that a file that was cut off is known as such.
 */
import { z } from "zod";
import { orElse } from "../../attestor/values/orElse.ts";
import type { BackupRow } from "../../database/backup.ts";
import { PlainError } from "../errors.ts";

export const Heading = z.strictObject({
  schema: z.literal("assay.backup/1"),
  /** ISO 8601, UTC. */
  createdAt: z.string(),
  /** The form of the tables: the names of the migrations. */
  migrations: z.array(z.string()),
});
export type Heading = z.infer<typeof Heading>;

const RowLine = z.tuple([z.string(), z.record(z.string(), z.union([z.string(), z.number(), z.null()]))]);
const Ending = z.strictObject({ rows: z.int().min(0) });

/** @throws as `rows` does */
export function* linesOf(heading: Heading, rows: Iterable<BackupRow>): Generator<string> {
  yield `${JSON.stringify(heading)}\n`;
  let count = 0;
  for (const { table, row } of rows) {
    count++;
    yield `${JSON.stringify([table, row])}\n`;
  }
  yield `${JSON.stringify({ rows: count } satisfies z.infer<typeof Ending>)}\n`;
}

/** The heading, and the rest as an iterator. @throws PlainError when it is no backup */
export async function headingOf(lines: AsyncIterator<string>): Promise<Heading> {
  const { done, value } = await lines.next();
  const parsed = Heading.safeParse(done ? null : jsonOf(value));
  if (!parsed.success) throw new PlainError("it is not a backup made by this program");
  return parsed.data;
}

/**
 * @param tables that a row may be of
 * @param onRow receives how many were read
 * @throws PlainError at a line that is none of ours, and when the last one is missing
 */
export async function* rowsOf(
  lines: AsyncIterator<string>,
  tables: readonly string[],
  onRow: (count: number) => void,
): AsyncGenerator<BackupRow> {
  let count = 0;
  for (;;) {
    const { done, value } = await lines.next();
    if (done) throw new PlainError(`it ends early, after ${count} rows`);
    const line = jsonOf(value);
    const ending = Ending.safeParse(line);
    if (ending.success) {
      if (ending.data.rows !== count)
        throw new PlainError(`it has ${count} rows and should have ${ending.data.rows}`);
      return;
    }
    const row = RowLine.safeParse(line);
    if (!row.success || !tables.includes(row.data[0]))
      throw new PlainError(`line ${count + 2} is not a row of a backup`);
    onRow(++count);
    yield { table: row.data[0], row: row.data[1] };
  }
}

function jsonOf(text: string): unknown {
  return orElse(() => JSON.parse(text), undefined);
}
