/** `assay backup`: the whole SQLite database into a file while the service runs, and back into an empty database of either engine. */
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { z } from "zod";
import { ConfigError } from "../api/settings/config.ts";
import { orElse } from "../attestor/values/orElse.ts";
import { type BackupRow, backupTables, filledTables, openSnapshot, writeRows } from "../database/backup.ts";
import { isDatabaseUnavailable, UnusableDatabase } from "../database/errors.ts";
import { migrate, requireBaseline } from "../database/migrate.ts";
import { EDITION } from "../database/migrations/all.ts";
import { isPostgres, openDatabase, sqlitePath } from "../database/open.ts";
import { argument, command } from "./command.ts";
import { giveToFolder, reasonOf, type World } from "./console.ts";
import { DATABASE_SETTINGS, databaseUrlOf } from "./database.ts";
import { EXIT, Unusable } from "./errors.ts";
import { progressOf } from "./progress.ts";

const MIGRATIONS = Object.keys(EDITION.migrations);
const [BASELINE = ""] = MIGRATIONS;

const FILE = { file: argument("the backup's file") };

export const createBackup = command({
  summary:
    "Write every row of a SQLite database as of one moment into a file, while the service keeps running",
  positionals: FILE,
  notes: ["It never overwrites a file. PostgreSQL makes its own by pg_dump.", DATABASE_SETTINGS],
  run: ({ file }, world) =>
    usingFile(file, async () => {
      const rows = await create(file, world);
      world.out(`${rows.toLocaleString("en-US")} rows written to ${file}`);
      return EXIT.ok;
    }),
});

export const restoreBackup = command({
  summary: "Fill an empty database of either engine, or one that does not exist yet: all or nothing",
  positionals: FILE,
  notes: ["Stop the service first.", DATABASE_SETTINGS],
  run: ({ file }, world) =>
    usingFile(file, async () => {
      const rows = await restore(file, world);
      world.out(`${rows.toLocaleString("en-US")} rows restored from ${file}`);
      return EXIT.ok;
    }),
});

/** @throws Unusable, UnusableDatabase */
async function usingFile(file: string, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const isPlain = error instanceof Unusable || error instanceof UnusableDatabase;
    if (isPlain || error instanceof ConfigError) throw error;
    if (isDatabaseUnavailable(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new Unusable(`${file}: ${DAMAGES[code ?? ""] ?? reasonOf(error)}`);
  }
}

const DAMAGES: Readonly<Record<string, string>> = {
  Z_DATA_ERROR: "it is not a gzip file, or it is damaged",
  Z_BUF_ERROR: "it ends early",
};

async function create(file: string, world: World): Promise<number> {
  const databaseUrl = databaseUrlOf(world);
  if (existsSync(file)) throw new Unusable(`${file}: it already exists`);
  if (isPostgres(databaseUrl)) throw new Unusable("PostgreSQL has its own: use pg_dump");
  const snapshot = openSnapshot(sqlitePath(databaseUrl));
  const draft = `${file}.${process.pid}.tmp`;
  const tell = progressOf(world, "Writing,", "rows");
  let count = 0;
  function* counted(): Generator<BackupRow> {
    for (const row of snapshot.rows()) {
      tell(++count, null);
      yield row;
    }
  }
  try {
    requireBaseline(snapshot.migrations);
    const heading: Heading = {
      schema: "assay.backup/1",
      createdAt: new Date(world.now()).toISOString(),
      migrations: [...snapshot.migrations],
    };
    // It contains names, e-mail addresses and digests: readable by this user only.
    const target = createWriteStream(draft, { flags: "wx", mode: 0o600, flush: true });
    await pipeline(Readable.from(linesOf(heading, counted())), createGzip(), target);
    await rename(draft, file);
    return count;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    snapshot.close();
  }
}

async function restore(file: string, world: World): Promise<number> {
  const databaseUrl = databaseUrlOf(world);
  const tell = progressOf(world, "Restoring,", "rows");
  const source = createReadStream(file);
  const unpacked = source.pipe(createGunzip());
  source.on("error", (error) => unpacked.destroy(error));
  // A stream that fails inside of the line reader would end the lines in silence.
  let failure: Error | null = null;
  unpacked.on("error", (error) => {
    failure = error;
  });
  const lines = createInterface({ input: unpacked, crlfDelay: Number.POSITIVE_INFINITY })[
    Symbol.asyncIterator
  ]();
  const orFailure = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw failure ?? error;
    }
  };
  const heading = await orFailure(() => headingOf(lines));
  if (!heading.migrations.includes(BASELINE))
    throw new Unusable(
      `${file} is a backup of an earlier, unpublished version of this program: this version cannot read it`,
    );
  if (heading.migrations.join() !== MIGRATIONS.join())
    throw new Unusable(
      `${file} was made by another version of this program: restore it with that version; the next start of this version then brings the tables up to date`,
    );
  const db = openDatabase(databaseUrl);
  try {
    await migrate(db);
    const filled = await filledTables(db);
    if (filled.length > 0)
      throw new Unusable(`the database is not empty (${filled.join(", ")}): restore into a new one`);
    const tables = await backupTables(db);
    return await orFailure(() =>
      writeRows(
        db,
        rowsOf(lines, tables, (done) => tell(done, null)),
      ),
    );
  } finally {
    await db.destroy();
    if (!isPostgres(databaseUrl)) await giveToFolder(sqlitePath(databaseUrl));
  }
}

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

/** The heading, and the rest as an iterator. @throws Unusable when it is no backup */
export async function headingOf(lines: AsyncIterator<string>): Promise<Heading> {
  const { done, value } = await lines.next();
  const parsed = Heading.safeParse(done ? null : jsonOf(value));
  if (!parsed.success) throw new Unusable("it is not a backup made by this program");
  return parsed.data;
}

/**
 * @param tables that a row may be of
 * @param onRow receives how many were read
 * @throws Unusable at a line that is none of ours, and when the last one is missing
 */
export async function* rowsOf(
  lines: AsyncIterator<string>,
  tables: readonly string[],
  onRow: (count: number) => void,
): AsyncGenerator<BackupRow> {
  let count = 0;
  for (;;) {
    const { done, value } = await lines.next();
    if (done) throw new Unusable(`it ends early, after ${count} rows`);
    const line = jsonOf(value);
    const ending = Ending.safeParse(line);
    if (ending.success) {
      if (ending.data.rows !== count)
        throw new Unusable(`it has ${count} rows and should have ${ending.data.rows}`);
      return;
    }
    const row = RowLine.safeParse(line);
    if (!row.success || !tables.includes(row.data[0]))
      throw new Unusable(`line ${count + 2} is not a row of a backup`);
    onRow(++count);
    yield { table: row.data[0], row: row.data[1] };
  }
}

function jsonOf(text: string): unknown {
  return orElse(() => JSON.parse(text), undefined);
}
