/** Reports statements to an observer: how long they run, how they end. */
import type { DatabaseConnection, Dialect, Driver } from "kysely";

export type Operation =
  | "select"
  | "insert"
  | "update"
  | "delete"
  | "begin"
  | "commit"
  | "rollback"
  /** Waiting for a connection of PostgreSQL's pool. */
  | "acquire"
  /** Changes of the schema, savepoints, settings. */
  | "other";

/** Runs the statement, and looks on: what it returns and throws is the statement's own. */
export type WatchStatement = <T>(operation: Operation, run: () => Promise<T>) => Promise<T>;

const OPERATION = /^\s*(?:with\b.*?\)\s*)?(select|insert|update|delete)\b/is;

/** @param sql with placeholders for its values */
function operationOf(sql: string): Operation {
  return (OPERATION.exec(sql)?.[1]?.toLowerCase() ?? "other") as Operation;
}

interface WatchedConnection extends DatabaseConnection {
  readonly inner: DatabaseConnection;
}

const watchedConnection = (inner: DatabaseConnection, watch: WatchStatement): WatchedConnection => ({
  inner,
  executeQuery: (query, ...rest) => watch(operationOf(query.sql), () => inner.executeQuery(query, ...rest)),
  streamQuery: (...given) => inner.streamQuery(...given),
});

const watchedDriver = (inner: Driver, watch: WatchStatement, pooled: boolean): Driver => ({
  init: (...given) => inner.init(...given),
  async acquireConnection(...given) {
    const acquire = () => inner.acquireConnection(...given);
    return watchedConnection(await (pooled ? watch("acquire", acquire) : acquire()), watch);
  },
  beginTransaction: (connection: WatchedConnection, settings) =>
    watch("begin", () => inner.beginTransaction(connection.inner, settings)),
  commitTransaction: (connection: WatchedConnection) =>
    watch("commit", () => inner.commitTransaction(connection.inner)),
  rollbackTransaction: (connection: WatchedConnection) =>
    watch("rollback", () => inner.rollbackTransaction(connection.inner)),
  releaseConnection: (connection: WatchedConnection, ...rest) =>
    inner.releaseConnection(connection.inner, ...rest),
  destroy: (...given) => inner.destroy(...given),
});

/**
 * @param pooled whether connections are waited for, so that the wait is reported too
 * @returns the same dialect, observed
 */
export function watchedDialect(dialect: Dialect, watch: WatchStatement, pooled: boolean): Dialect {
  return {
    createDriver: () => watchedDriver(dialect.createDriver(), watch, pooled),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
}
