/**
 * Databases as released versions left them: the tables as their migrations made them, in the words of each engine, and
 * the rows of a backup that the version itself made of its local world, after two trades that were paid for.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import BetterSqlite3 from "better-sqlite3";
import { sql } from "kysely";
import pg from "pg";
import { z } from "zod";
import { openDatabase, sqlitePath } from "../../database/open.ts";
import type { TestEngine } from "./database.ts";

const Heading = z.object({ migrations: z.array(z.string()) });
const Row = z.tuple([z.string(), z.record(z.string(), z.union([z.string(), z.number(), z.null()]))]);

/** @returns the URL of a database of its own, which nobody has open */
export async function databaseOfRelease(engine: TestEngine, version: string): Promise<string> {
  const folder = join(import.meta.dirname, "releases", version);
  const url = await engine.createUrl();
  const tables = readFileSync(join(folder, `${engine.name}.sql`), "utf8");
  if (engine.name === "sqlite") {
    const file = new BetterSqlite3(sqlitePath(url));
    file.exec(tables);
    file.close();
  } else {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(tables);
    await client.end();
  }
  await fill(
    url,
    gunzipSync(readFileSync(join(folder, "rows.jsonl.gz")))
      .toString("utf8")
      .trim()
      .split("\n"),
  );
  return url;
}

async function fill(url: string, [heading = "", ...lines]: readonly string[]): Promise<void> {
  const db = openDatabase(url);
  for (const name of Heading.parse(JSON.parse(heading)).migrations)
    await sql`insert into kysely_migration (name, timestamp) values (${name}, '2026-11-22T16:08:38.293Z')`.execute(
      db,
    );
  await sql`insert into kysely_migration_lock (id, is_locked) values ('migration_lock', 0)`.execute(db);
  // The last line counts the others.
  for (const line of lines.slice(0, -1)) {
    const [table, row] = Row.parse(JSON.parse(line));
    const names = sql.join(Object.keys(row).map((name) => sql.ref(name)));
    await sql`insert into ${sql.table(table)} (${names}) values (${sql.join(Object.values(row))})`.execute(
      db,
    );
  }
  await db.destroy();
}
