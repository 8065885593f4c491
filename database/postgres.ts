/** PostgreSQL through pg's pool. */
import {
  type Dialect,
  type Kysely,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  sql,
  type Transaction,
} from "kysely";
import pg from "pg";
import { codeOf, DatabaseOverloaded, DatabaseUnavailable } from "./errors.ts";

const INT8 = 20;
/** How long making a connection, or waiting for a free one, may take. */
const CONNECT_MS = 3_000;
/** The server gives a statement up before its connection is taken for a broken one. */
const STATEMENT_SHARE = 0.9;
/** And a transaction whose process froze: others may wait for what it has locked. */
const IDLE_SHARE = 2.5;

// Classes of SQLSTATE: connection exceptions, resources, operator intervention (57014: a timeout), system errors.
// 25006: a standby, or a server that was set to take no writes. 40P01: a deadlock, which the server ended by undoing
// this transaction; the same call finds its way a moment later.
const UNAVAILABLE_STATE = /^((08|53|57|58)[0-9A-Z]{3}|25006|40P01)$/;
const UNAVAILABLE_SOCKET = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "ENOENT",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "ETIMEDOUT",
]);
// pg reports a broken connection, and one that is silent, by words alone.
const SILENT = "Query read timeout";
const UNAVAILABLE_WORDS =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client (has encountered a connection error|was closed)|Cannot use a pool after calling end)/;

const TOO_MANY_CONNECTIONS = "53300";
/** pg's words for a caller who waited in vain until another gives a connection back. */
const NONE_FREE = "timeout exceeded when trying to connect";

function translate(error: unknown): unknown {
  const code = codeOf(error) ?? "";
  if (code === TOO_MANY_CONNECTIONS) return new DatabaseOverloaded(error);
  const message = error instanceof Error ? error.message : "";
  return UNAVAILABLE_STATE.test(code) || UNAVAILABLE_SOCKET.has(code) || UNAVAILABLE_WORDS.test(message)
    ? new DatabaseUnavailable(error)
    : error;
}

/** int8 as a number: every integer of ours is a time, a count or a version. */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError("an int8 column is beyond the safe integers");
  return value;
}

/**
 * @param url `postgres://…`; its options (such as `sslmode`) count
 * @param patienceMs how long the server may leave a statement without a response; null: forever
 */
export function postgresPool(url: string, patienceMs: number | null): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: CONNECT_MS,
    ...(patienceMs === null
      ? {}
      : {
          query_timeout: patienceMs,
          statement_timeout: Math.round(patienceMs * STATEMENT_SHARE),
          idle_in_transaction_session_timeout: Math.round(patienceMs * IDLE_SHARE),
        }),
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    types: {
      getTypeParser: ((oid: number, format?: "text" | "binary") =>
        oid === INT8 && format !== "binary"
          ? parseInt8
          : pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser,
    },
  });
  // A connection that dies is reported here besides failing its query. Without a listener it would end
  // the process; the query's own error says all that there is to say.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** The pool as Kysely uses it, with errors that say when the database is unavailable. */
function translated(pool: pg.Pool): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  let givenBack = 0;
  pool.on("release", (error: Error | boolean | undefined) => {
    if (!error) givenBack++;
  });
  return {
    options: pool.options,
    async connect() {
      const before = givenBack;
      const client = await pool.connect().catch((error: unknown) => {
        // Others had their turns meanwhile: it is not away.
        const isOverloaded = error instanceof Error && error.message === NONE_FREE && givenBack > before;
        throw isOverloaded ? new DatabaseOverloaded(error) : translate(error);
      });
      // Kysely knows a connection by its client.
      const connection = clients.get(client) ?? destroyedWhenSilent(client);
      clients.set(client, connection);
      return connection;
    },
    end: () => pool.end(),
  };
}

/**
 * A network that drops packets tells nobody, so that a statement may get no response. Its connection is destroyed at once:
 * whatever follows on it, such as the rollback of its transaction, would wait behind it.
 */
function destroyedWhenSilent(client: pg.PoolClient): PostgresPoolClient {
  let isDestroyed = false;
  const query = async (text: string, parameters: readonly unknown[]) => {
    try {
      return await client.query(text, [...parameters]);
    } catch (error) {
      if (!isDestroyed && error instanceof Error && error.message === SILENT) {
        isDestroyed = true;
        client.release(true);
      }
      throw translate(error);
    }
  };
  return {
    // There are no cursors here.
    query: query as unknown as PostgresPoolClient["query"],
    release: (destroy) => {
      if (!isDestroyed) client.release(destroy);
    },
  };
}

/** Kysely's own, and that of every version before. */
const MIGRATION_LOCK = "3853314791062309107";

/**
 * Kysely would lock for the session. `inMigrationTransaction` locks for the transaction, with which the lock ends.
 */
class AssayPostgresAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}

  override async releaseMigrationLock(): Promise<void> {}
}

/** One transaction of one process at a time, which may take and wait for as long as it needs. */
export function inMigrationTransaction<S, T>(
  db: Kysely<S>,
  work: (trx: Transaction<S>) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (trx) => {
    // Overrides the limits of the server.
    await sql`select set_config('statement_timeout', '0', true),
      set_config('idle_in_transaction_session_timeout', '0', true)`.execute(trx);
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)}::bigint)`.execute(trx);
    return await work(trx);
  });
}

export function postgresDialect(pool: pg.Pool): Dialect {
  const dialect = new PostgresDialect({ pool: translated(pool) });
  return {
    createDriver: () => dialect.createDriver(),
    createAdapter: () => new AssayPostgresAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
}
