/** Databases for tests: with `--all`, every suite that stores anything runs on both engines. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Insertable, Selectable, Updateable } from "kysely";
import { migrate } from "../../database/migrate.ts";
import { type Database, type Engine, openDatabase, sqlitePath } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import { ALL } from "./all.ts";
import { postgresServer } from "./postgres.ts";
import { endingsOf, standIn } from "./suite.ts";

export interface TestEngine {
  readonly name: Engine;
  /** A URL of a database of its own, with its tables. */
  createUrl(): Promise<string>;
  /** The same without tables. */
  createEmptyUrl(): Promise<string>;
  /** A database of its own, with its tables. The suite's end closes it. */
  create(): Promise<Database>;
  /** The same for the tests of a suite, there before the first. For statements alone: no pool is known by it. */
  database(): Database;
}

/**
 * Declares the same suites for SQLite, and with `--all` for a real PostgreSQL too.
 *
 *     forEachEngine((engine) => {
 *       const db = engine.database();
 *       it("…", …);
 *     });
 */
export function forEachEngine(suite: (engine: TestEngine) => void): void {
  const names: readonly Engine[] = ALL ? ["sqlite", "postgres"] : ["sqlite"];
  for (const name of names)
    describe(`on ${name}`, () => {
      const endings: (() => Promise<unknown>)[] = [];
      // The first of the suite, so that what works on a database ends before it.
      before(function () {
        endingsOf(this.test!.parent!).push(async () => {
          for (const end of endings.splice(0).reverse()) await end();
        });
      });
      const sqliteUrl = () => {
        const folder = mkdtempSync(join(tmpdir(), "assay-sqlite-"));
        endings.push(() => rm(folder, { recursive: true, force: true }));
        return `sqlite:${join(folder, "assay.db")}`;
      };
      const createEmptyUrl = async () =>
        name === "sqlite" ? sqliteUrl() : (await postgresServer()).createEmptyDatabase();
      const createUrl = async () => {
        if (name === "postgres") return (await postgresServer()).createDatabase();
        const url = sqliteUrl();
        template ??= templateFile();
        copyFileSync(await template, sqlitePath(url));
        return url;
      };
      const create = async () => {
        const db = openDatabase(await createUrl());
        endings.push(() => db.destroy());
        return db;
      };
      const database = () => {
        let db: Database | undefined;
        before(async () => {
          db = await create();
        });
        return standIn(() => db);
      };
      suite({ name, createUrl, createEmptyUrl, create, database });
    });
}

/** Migrated once in a run, and copied. */
let template: Promise<string> | undefined;

async function templateFile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "assay-sqlite-template-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "assay.db");
  const db = openDatabase(`sqlite:${path}`);
  await migrate(db);
  await db.destroy();
  return path;
}

/** Works on a database, and closes it. */
export async function onDatabase<T>(url: string, use: (db: Database) => Promise<T>): Promise<T> {
  await using db = openDatabase(url);
  return await use(db);
}

/** Rows of a table. */
export async function countOf(db: Database, table: keyof Schema): Promise<number> {
  const rows = db.selectFrom(table).select((eb) => eb.fn.countAll().as("count"));
  return Number((await rows.executeTakeFirstOrThrow()).count);
}

/** A migrated SQLite database in memory, where the engine does not matter. Close it with `destroy()`. */
export async function memoryDatabase(): Promise<Database> {
  const db = openDatabase("sqlite::memory:");
  await migrate(db);
  return db;
}

type Values<T extends keyof Schema> = Partial<Selectable<Schema[T]>>;

/** The rows of a table that hold these values. */
export const rowsOf = <T extends keyof Schema>(db: Database, table: T, values: Values<T> = {}) =>
  holding(db.selectFrom(table as any).selectAll(), values).execute() as Promise<Selectable<Schema[T]>[]>;

export async function addRows<T extends keyof Schema>(
  db: Database,
  table: T,
  ...rows: Insertable<Schema[T]>[]
): Promise<void> {
  await (db as any).insertInto(table).values(rows).execute();
}

/** The first of them. */
export async function rowOf<T extends keyof Schema>(db: Database, table: T, values: Values<T> = {}) {
  const [row] = await rowsOf(db, table, values);
  if (row === undefined) throw new Error(`${table} has no such row`);
  return row;
}

/** Changes the rows that hold these values. @returns how many */
export async function changeRows<T extends keyof Schema>(
  db: Database,
  table: T,
  changes: Updateable<Schema[T]>,
  values: Values<T> = {},
): Promise<bigint> {
  const update = holding((db as any).updateTable(table).set(changes), values);
  return (await update.executeTakeFirst()).numUpdatedRows;
}

const holding = (query: any, values: object): any =>
  Object.entries(values).reduce((asked, [name, value]) => asked.where(name, "=", value), query);

/** A SQLite file of its own, for tests in which the engine does not matter but a restart does. */
export function databaseFile(): { url: string; remove(): Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), "assay-file-"));
  return {
    url: `sqlite:${join(folder, "assay.db")}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** From now on another has the lease, until a time in unix milliseconds: a process that is not there. */
export async function leaseToAnother(db: Database, name: string, untilMs: number): Promise<void> {
  const term = { holder: "another", expires_at_ms: untilMs, renewed_at_ms: untilMs };
  await db
    .insertInto("leases")
    .values({ name, epoch: 1, ...term })
    .onConflict((conflict) =>
      conflict.column("name").doUpdateSet((eb) => ({ ...term, epoch: eb("leases.epoch", "+", 1) })),
    )
    .execute();
}
