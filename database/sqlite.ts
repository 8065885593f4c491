/**
 * Kysely's SQLite, with a driver of our own: one transaction at a time writes while others read, and those that arrive
 * together are committed together. A commit waits for the disk, and everybody else for it, so that those who come meanwhile
 * share the next one. Nobody is answered before what he wrote is on disk.
 */
import { setTimeout as sleep } from "node:timers/promises";
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
import { codeOf, DatabaseUnavailable, isDatabaseUnavailable } from "./errors.ts";
import { FilesChanged, SqliteFile } from "./sqliteFile.ts";

/** SQLite's own waiting for another process's lock would stop the whole process; looking again and again does not. */
const LOOK_EVERY_MS = 10;
const LOCKED = /^SQLITE_(BUSY|LOCKED)/;

/** By the beginning of SQLite's code: nothing that the statement could have done better. */
const REASONS: readonly (readonly [string, string])[] = [
  ["BUSY", "another process has locked it"],
  ["LOCKED", "another process has locked it"],
  ["FULL", "its disk is full"],
  ["READONLY", "its disk takes no writes"],
  ["IOERR", "its disk fails"],
  ["CANTOPEN", "its file cannot be opened"],
  ["NOTADB", "its file is corrupt"],
  ["CORRUPT", "its file is corrupt"],
  ["PROTOCOL", "another process has locked it"],
];

function translate(error: unknown): unknown {
  if (error instanceof FilesChanged) return new DatabaseUnavailable(error, error.message);
  const code = codeOf(error) ?? "";
  const known = REASONS.find(([beginning]) => code.startsWith(`SQLITE_${beginning}`));
  const isClosed = error instanceof TypeError && error.message === "The database connection is not open";
  return known || isClosed ? new DatabaseUnavailable(error, known?.[1]) : error;
}

/** Transactions with one commit. It resolves with that, and rejects where all of them are undone. */
type Group = PromiseWithResolvers<void>;

interface Transaction {
  readonly group: Group;
  /** The others of a group are savepoints of the first one's. */
  readonly isFirst: boolean;
  endTurn(): void;
}

/** The transactions of this process, one after the other, in the order in which they came. */
class Transactions {
  readonly #file: SqliteFile;
  readonly #patienceMs: number;
  #last: Promise<void> = Promise.resolve();
  #group: Group | null = null;
  /** How many are open or wait to begin. */
  wanted = 0;

  constructor(file: SqliteFile, patienceMs: number) {
    this.#file = file;
    this.#patienceMs = patienceMs;
  }

  begin(): Promise<Transaction> {
    return this.whileUnlocked(async () => {
      const endTurn = await this.#turn();
      try {
        if (this.#group !== null) {
          this.#run(this.#group, SAVEPOINT);
          return { group: this.#group, isFirst: false, endTurn };
        }
        this.#file.begin();
        return { group: this.#newGroup(), isFirst: true, endTurn };
      } catch (error) {
        endTurn();
        throw error;
      }
    });
  }

  write<R>({ group }: Transaction, query: CompiledQuery): QueryResult<R> {
    if (this.#group !== group) throw new Error("the transaction was undone before this statement");
    return this.#run(group, query);
  }

  /** Resolves when it is on disk. */
  async commit({ group, isFirst, endTurn }: Transaction): Promise<void> {
    try {
      if (!isFirst && this.#group === group) this.#run(group, RELEASE);
    } finally {
      endTurn();
    }
    await group.promise;
  }

  /** Resolves with the group: what refused this one may be what another has written. */
  async rollback({ group, isFirst, endTurn }: Transaction): Promise<void> {
    try {
      if (isFirst) {
        this.#file.rollback();
        if (this.#group === group) this.#group = null;
        return;
      }
      if (this.#group === group) {
        this.#run(group, ROLLBACK_TO);
        this.#run(group, RELEASE);
      }
    } finally {
      endTurn();
    }
    await group.promise;
  }

  /** Tries until no other process holds the lock, or as long as the patience lasts. @throws what the last attempt threw */
  async whileUnlocked<T>(attempt: () => Promise<T>): Promise<T> {
    let patience: AbortSignal | undefined;
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!LOCKED.test(codeOf(error) ?? "")) throw error;
        patience ??= AbortSignal.timeout(this.#patienceMs);
        if (patience.aborted) throw error;
      }
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** After what is under way. */
  async close(): Promise<void> {
    const endTurn = await this.#turn();
    if (this.#group !== null) this.#commit(this.#group);
    this.#file.close();
    endTurn();
  }

  #newGroup(): Group {
    const group = Promise.withResolvers<void>();
    group.promise.catch(() => {});
    this.#group = group;
    // Whoever has asked for a turn by then belongs to it.
    setImmediate(async () => {
      const endTurn = await this.#turn();
      if (this.#group === group) this.#commit(group);
      endTurn();
    });
    return group;
  }

  #commit(group: Group): void {
    this.#group = null;
    try {
      this.#file.commit();
      group.resolve();
    } catch (error) {
      this.#file.rollback();
      group.reject(error);
    }
  }

  #run<R>(group: Group, query: CompiledQuery): QueryResult<R> {
    try {
      return this.#file.write(query);
    } catch (error) {
      // On a failing disk, say, SQLite undoes the transaction by itself, and the whole group with it.
      if (!this.#file.inTransaction) {
        this.#group = null;
        // The others are not at fault, whatever it was.
        const known = translate(error);
        group.reject(isDatabaseUnavailable(known) ? known : new DatabaseUnavailable(error));
      }
      throw error;
    }
  }

  /** Waits for its turn. @returns what gives the turn to the next, called once */
  async #turn(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    this.wanted++;
    await before;
    return () => {
      this.wanted--;
      resolve();
    };
  }
}

const SAVEPOINT = CompiledQuery.raw("savepoint one_of_a_group");
const ROLLBACK_TO = CompiledQuery.raw("rollback to one_of_a_group");
const RELEASE = CompiledQuery.raw("release one_of_a_group");

const NO_ROWS: QueryResult<never> = { rows: [] };

/** One of any number over the same file. */
class SqliteConnection implements DatabaseConnection {
  readonly #file: SqliteFile;
  readonly #transactions: Transactions;
  #open: Transaction | null = null;

  constructor(file: SqliteFile, transactions: Transactions) {
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

  async #end(how: (transaction: Transaction) => Promise<void>): Promise<void> {
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
  const transactions = new Transactions(file, busyTimeoutMs);
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
