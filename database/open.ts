/** Read this first: a URL in, a typed database out. The rest of the program does not ask which engine it is. */
import { type CompiledQuery, Kysely, type KyselyConfig, type Logger, SqliteAdapter } from "kysely";
import type pg from "pg";
import { postgresDialect, postgresPool } from "./postgres.ts";
import type { Schema } from "./schema.ts";
import { sqliteDialect } from "./sqlite.ts";
import { openFolderWarning } from "./sqliteFile.ts";

export type Database = Kysely<Schema>;
export type Engine = "sqlite" | "postgres";

export interface OpenOptions {
  /** How long a statement waits for another process's write on SQLite, milliseconds (5000). */
  readonly busyTimeoutMs?: number;
  /** How long PostgreSQL may leave a statement without a response, milliseconds (30000); null: forever. */
  readonly patienceMs?: number | null;
  /** Whether all of a SQLite file is read first, a second or so a gigabyte. PostgreSQL looks after its own. */
  readonly isChecked?: boolean;
  /** Told of every statement that ran, for tests of what is asked. */
  readonly onQuery?: (query: CompiledQuery) => void;
  /** Told how every statement ended, and those that begin and end a transaction. */
  readonly onStatement?: (statement: EndedStatement) => void;
}

export interface EndedStatement {
  readonly query: CompiledQuery;
  readonly seconds: number;
  /** undefined: it succeeded. */
  readonly error: unknown;
}

/** Connections at this moment; on SQLite those who write, one at a time. */
export interface Connections {
  readonly used: number;
  readonly idle: number;
  /** Callers waiting for one. */
  readonly waiting: number;
}

const BUSY_TIMEOUT_MS = 5_000;
const PATIENCE_MS = 30_000;

const pools = new WeakMap<Database, { readonly pool: pg.Pool; readonly url: string }>();
const connections = new WeakMap<Database, () => Connections>();

/**
 * Opens a database; `db.destroy()` closes it. The tables are there after `migrate(db)`.
 * @param url `sqlite:<path>`, a plain file path, or `postgres://…`
 * @throws DatabaseUnavailable when a SQLite file cannot be opened, UnusableDatabase when it is damaged. PostgreSQL is
 *   reached with the first query, and again after it was away.
 */
export function openDatabase(url: string, options: OpenOptions = {}): Database {
  if (!isPostgres(url)) {
    const { busyTimeoutMs = BUSY_TIMEOUT_MS, isChecked = false } = options;
    const { dialect, transactionsWanted } = sqliteDialect(sqlitePath(url), { busyTimeoutMs, isChecked });
    const db = new Kysely<Schema>({ dialect, ...logOf(options) });
    connections.set(db, () => writersOf(transactionsWanted()));
    return db;
  }
  const { patienceMs = PATIENCE_MS } = options;
  const pool = postgresPool(url, patienceMs);
  const db = new Kysely<Schema>({ dialect: postgresDialect(pool), ...logOf(options) });
  pools.set(db, { pool, url });
  connections.set(db, () => ({
    used: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  }));
  return db;
}

/** Kysely times statements where somebody wants to know. */
function logOf({ onQuery, onStatement }: OpenOptions): Pick<KyselyConfig, "log"> {
  if (onQuery === undefined && onStatement === undefined) return {};
  const log: Logger = (event) => {
    const error = event.level === "error" ? event.error : undefined;
    onQuery?.(event.query);
    onStatement?.({ query: event.query, seconds: event.queryDurationMillis / 1_000, error });
  };
  return { log };
}

function writersOf(wanted: number): Connections {
  return {
    used: Math.min(1, wanted),
    idle: wanted === 0 ? 1 : 0,
    waiting: Math.max(0, wanted - 1),
  };
}

/** @returns null for a database that was not opened here */
export function connectionsOf(db: Database): Connections | null {
  return connections.get(db)?.() ?? null;
}

export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url);
}

/** The file that a URL which is not PostgreSQL's names. */
export function sqlitePath(url: string): string {
  return url.replace(/^sqlite:(\/\/(?=\/))?/, "");
}

/** What an operator should know of where the database is, once it is open; null where there is nothing. */
export function placeWarning(url: string): string | null {
  return isPostgres(url) ? null : openFolderWarning(sqlitePath(url));
}

// biome-ignore lint/suspicious/noExplicitAny: migrations ask before there is a schema
export function engineOf(db: Kysely<any>): Engine {
  return db.getExecutor().adapter instanceof SqliteAdapter ? "sqlite" : "postgres";
}

/** The pool under a PostgreSQL database, for a library that brings its own queries; undefined on SQLite. */
export function postgresPoolOf(db: Database): pg.Pool | undefined {
  return pools.get(db)?.pool;
}

/**
 * Runs long work, such as a migration, on a connection of its own without a timeout. A long migration, of this or
 * another process, is no runaway statement.
 */
export async function unhurried<T>(db: Database, run: (patient: Database) => Promise<T>): Promise<T> {
  const url = pools.get(db)?.url;
  if (url === undefined) return run(db);
  await using patient = openDatabase(url, { patienceMs: null });
  return await run(patient);
}
