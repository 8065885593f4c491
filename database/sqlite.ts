/** Kysely's SQLite, with a driver of our own: one transaction at a time writes, and others read beside it. */
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { translate } from "./sqliteErrors.ts";
import { SqliteFile } from "./sqliteFile.ts";
import { type SqliteTransaction, SqliteTransactions } from "./sqliteTransactions.ts";

const NO_ROWS: QueryResult<never> = { rows: [] };

/** One of any number over the same file. */
class SqliteConnection implements DatabaseConnection {
  readonly #file: SqliteFile;
  readonly #transactions: SqliteTransactions;
  #open: SqliteTransaction | null = null;

  constructor(file: SqliteFile, transactions: SqliteTransactions) {
    this.#file = file;
    this.#transactions = transactions;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await this.#execute(query);
    } catch (error) {
      throw translate(error);
    }
  }

  async #execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // See the driver below.
    switch (query.sql) {
      case "begin":
        this.#open = await this.#transactions.begin();
        return NO_ROWS;
      case "commit":
        await this.#end((transaction) => this.#transactions.commit(transaction));
        return NO_ROWS;
      case "rollback":
        await this.#end((transaction) => this.#transactions.rollback(transaction));
        return NO_ROWS;
    }
    if (this.#open !== null) return this.#transactions.write(this.#open, query);
    const read = await this.#transactions.whileUnlocked(async () => this.#file.read<R>(query));
    return read ?? (await this.#alone(query));
  }

  async #end(how: (transaction: SqliteTransaction) => Promise<void>): Promise<void> {
    const transaction = this.#open;
    this.#open = null;
    if (transaction !== null) await how(transaction);
  }

  /** A statement by itself is a transaction of its own. */
  async #alone<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const transaction = await this.#transactions.begin();
    let result: QueryResult<R>;
    try {
      result = this.#transactions.write(transaction, query);
    } catch (error) {
      await this.#transactions.rollback(transaction);
      throw error;
    }
    await this.#transactions.commit(transaction);
    return result;
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }
}

/**
 * SQLite's schema changes are transactional. Saying so runs all pending migrations in one transaction,
 * which holds the write lock: of two processes that start at once the second waits, then finds the work done.
 */
class AssaySqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  // Kysely would let one statement at a time through, also those that can run beside a transaction.
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

export interface SqliteOptions {
  /** How long a statement waits for another process's write, milliseconds. */
  readonly busyTimeoutMs: number;
  /** Whether the whole file is read first. */
  readonly isChecked: boolean;
}

/** @throws UnusableDatabase, or DatabaseUnavailable where the file cannot be opened */
export function sqliteDialect(path: string, { busyTimeoutMs, isChecked }: SqliteOptions) {
  const file = new SqliteFile(path, busyTimeoutMs, isChecked);
  const transactions = new SqliteTransactions(file, busyTimeoutMs);
  // As statements, so that whoever looks on sees them.
  const running = (sql: string) => async (connection: DatabaseConnection) => {
    await connection.executeQuery(CompiledQuery.raw(sql));
  };
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => new SqliteConnection(file, transactions),
    beginTransaction: running("begin"),
    commitTransaction: running("commit"),
    rollbackTransaction: running("rollback"),
    releaseConnection: async () => {},
    destroy: () => transactions.close(),
  };
  const dialect: Dialect = {
    createDriver: () => driver,
    createAdapter: () => new AssaySqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
  return { dialect, transactionsWanted: () => transactions.wanted };
}
