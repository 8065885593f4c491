/** Read this first: a URL in, a typed database out. The rest of the program does not ask which engine it is. */
import { Kysely, SqliteAdapter } from "kysely";
import type pg from "pg";
import { postgresDialect, postgresPool } from "./postgres.ts";
import type { Schema } from "./schema.ts";
import { sqliteDialect } from "./sqlite.ts";

export type Database = Kysely<Schema>;
export type Engine = "sqlite" | "postgres";

export interface OpenOptions {
  /** How long SQLite waits for another process's write, milliseconds (5000). */
  readonly busyTimeoutMs?: number;
}

const pools = new WeakMap<Database, pg.Pool>();

/**
 * Opens a database; `db.destroy()` closes it. The tables are there after `migrate(db)`.
 * @param url `sqlite:<path>`, a plain file path, or `postgres://…`
 * @throws DatabaseUnavailable when a SQLite file cannot be opened. PostgreSQL is reached with the first
 *   query, and again after it was away.
 */
export function openDatabase(url: string, options: OpenOptions = {}): Database {
  if (!isPostgres(url))
    return new Kysely<Schema>({ dialect: sqliteDialect(sqlitePath(url), options.busyTimeoutMs ?? 5_000) });
  const pool = postgresPool(url);
  const db = new Kysely<Schema>({ dialect: postgresDialect(pool) });
  pools.set(db, pool);
  return db;
}

export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url);
}

/** The file that a URL which is not PostgreSQL's names. */
export function sqlitePath(url: string): string {
  return url.replace(/^sqlite:(\/\/(?=\/))?/, "");
}

// biome-ignore lint/suspicious/noExplicitAny: migrations ask before there is a schema
export function engineOf(db: Kysely<any>): Engine {
  return db.getExecutor().adapter instanceof SqliteAdapter ? "sqlite" : "postgres";
}

/** The pool under a PostgreSQL database, for a library that brings its own queries; undefined on SQLite. */
export function postgresPoolOf(db: Database): pg.Pool | undefined {
  return pools.get(db);
}
