/** DuckDB: another program that reads what the data API hands out. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";

/** A question to a CSV file, called `file` in it, whose columns DuckDB types by itself. @returns its only row */
export async function duckOne(csv: string, question: string): Promise<Record<string, unknown>> {
  const [row] = await queried(csv, (file) => question.replace("file", `read_csv('${file}')`));
  return row as Record<string, unknown>;
}

async function queried(text: string, question: (file: string) => string): Promise<unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), "assay-duck-"));
  try {
    const file = join(folder, "list");
    writeFileSync(file, text);
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const reader = await connection.runAndReadAll(question(file));
    return reader.getRowObjects();
  } finally {
    rmSync(folder, { recursive: true });
  }
}
