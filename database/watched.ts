/** Reports statements to an observer: how long they run, how they end, in which trace. */
import type {
  CompiledQuery,
  DatabaseConnection,
  DatabaseIntrospector,
  Dialect,
  DialectAdapter,
  Driver,
  Kysely,
  QueryCompiler,
  QueryResult,
  TransactionSettings,
} from "kysely";

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

/** What a statement is, without any of its values. */
export interface StatementKind {
  readonly operation: Operation;
  /** The first table that it names; null: none. */
  readonly table: string | null;
}

/** Runs the statement, and looks on: what it returns and throws is the statement's own. */
export type WatchStatement = <T>(kind: StatementKind, run: () => Promise<T>) => Promise<T>;

const OPERATION = /^\s*(?:with\b.*?\)\s*)?(select|insert|update|delete)\b/is;
const TABLE = /\b(?:from|into|update)\s+"?([a-z_][a-z0-9_]*)"?/i;

/** @param sql with placeholders for its values */
function kindOf(sql: string): StatementKind {
  const operation = (OPERATION.exec(sql)?.[1]?.toLowerCase() ?? "other") as Operation;
  const table = operation === "other" ? null : (TABLE.exec(sql)?.[1]?.toLowerCase() ?? null);
  return { operation, table };
}

const whole = (operation: Operation): StatementKind => ({ operation, table: null });
const [ACQUIRE, BEGIN, COMMIT, ROLLBACK] = (["acquire", "begin", "commit", "rollback"] as const).map(
  whole,
) as [StatementKind, StatementKind, StatementKind, StatementKind];

class WatchedConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly #watch: WatchStatement;

  constructor(inner: DatabaseConnection, watch: WatchStatement) {
    this.inner = inner;
    this.#watch = watch;
  }

  executeQuery<R>(
    query: CompiledQuery,
    ...rest: DropFirst<Parameters<DatabaseConnection["executeQuery"]>>
  ): Promise<QueryResult<R>> {
    return this.#watch(kindOf(query.sql), () => this.inner.executeQuery<R>(query, ...rest));
  }

  streamQuery<R>(...given: Parameters<DatabaseConnection["streamQuery"]>) {
    return this.inner.streamQuery<R>(...given);
  }
}

type DropFirst<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest] ? Rest : [];

const innerOf = (connection: DatabaseConnection): DatabaseConnection =>
  (connection as WatchedConnection).inner;

class WatchedDriver implements Driver {
  readonly #inner: Driver;
  readonly #watch: WatchStatement;
  readonly #pooled: boolean;

  constructor(inner: Driver, watch: WatchStatement, pooled: boolean) {
    this.#inner = inner;
    this.#watch = watch;
    this.#pooled = pooled;
  }

  init(...given: Parameters<Driver["init"]>): Promise<void> {
    return this.#inner.init(...given);
  }

  async acquireConnection(...given: Parameters<Driver["acquireConnection"]>): Promise<DatabaseConnection> {
    const acquire = () => this.#inner.acquireConnection(...given);
    const inner = await (this.#pooled ? this.#watch(ACQUIRE, acquire) : acquire());
    return new WatchedConnection(inner, this.#watch);
  }

  beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    return this.#watch(BEGIN, () => this.#inner.beginTransaction(innerOf(connection), settings));
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#watch(COMMIT, () => this.#inner.commitTransaction(innerOf(connection)));
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#watch(ROLLBACK, () => this.#inner.rollbackTransaction(innerOf(connection)));
  }

  releaseConnection(
    connection: DatabaseConnection,
    ...rest: DropFirst<Parameters<Driver["releaseConnection"]>>
  ): Promise<void> {
    return this.#inner.releaseConnection(innerOf(connection), ...rest);
  }

  destroy(...given: Parameters<Driver["destroy"]>): Promise<void> {
    return this.#inner.destroy(...given);
  }
}

/**
 * @param pooled whether connections are waited for, so that the wait is reported too
 * @returns the same dialect, observed
 */
export function watchedDialect(dialect: Dialect, watch: WatchStatement, pooled: boolean): Dialect {
  return {
    createDriver: () => new WatchedDriver(dialect.createDriver(), watch, pooled),
    createQueryCompiler: (): QueryCompiler => dialect.createQueryCompiler(),
    createAdapter: (): DialectAdapter => dialect.createAdapter(),
    // biome-ignore lint/suspicious/noExplicitAny: as Kysely declares it
    createIntrospector: (db: Kysely<any>): DatabaseIntrospector => dialect.createIntrospector(db),
  };
}
