/**
 * The transactions of this process on a SQLite file, one after the other, in the order in which they came. Those that arrive
 * together are committed together: a commit waits for the disk, and everybody else for it, so that those who come meanwhile
 * share the next one. Nobody is answered before what he wrote is on disk.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { CompiledQuery, type QueryResult } from "kysely";
import { isLocked, unavailable } from "./sqliteErrors.ts";
import type { SqliteFile } from "./sqliteFile.ts";

/** SQLite's own waiting for another process's lock would stop the whole process; looking again and again does not. */
const LOOK_EVERY_MS = 10;

/** Transactions with one commit. It resolves with that, and rejects where all of them are undone. */
type Group = PromiseWithResolvers<void>;

export interface SqliteTransaction {
  readonly group: Group;
  /** The others of a group are savepoints of the first one's. */
  readonly isFirst: boolean;
  endTurn(): void;
}

export class SqliteTransactions {
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

  begin(): Promise<SqliteTransaction> {
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

  write<R>({ group }: SqliteTransaction, query: CompiledQuery): QueryResult<R> {
    if (this.#group !== group) throw new Error("the transaction was undone before this statement");
    return this.#run(group, query);
  }

  /** Resolves when it is on disk. */
  async commit({ group, isFirst, endTurn }: SqliteTransaction): Promise<void> {
    try {
      if (!isFirst && this.#group === group) this.#run(group, RELEASE);
    } finally {
      endTurn();
    }
    await group.promise;
  }

  /** Resolves with the group: what refused this one may be what another has written. */
  async rollback({ group, isFirst, endTurn }: SqliteTransaction): Promise<void> {
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
        if (!isLocked(error)) throw error;
        patience ??= AbortSignal.timeout(this.#patienceMs);
        if (patience.aborted) throw error;
      }
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** After what is under way. */
  async close(): Promise<void> {
    const endTurn = await this.#turn();
    try {
      if (this.#group !== null) this.#commit(this.#group);
      this.#file.close();
    } finally {
      endTurn();
    }
  }

  #newGroup(): Group {
    const group = Promise.withResolvers<void>();
    group.promise.catch(() => {});
    this.#group = group;
    // Whoever has asked for a turn by then belongs to it.
    setImmediate(async () => {
      const endTurn = await this.#turn();
      try {
        if (this.#group === group) this.#commit(group);
      } finally {
        endTurn();
      }
    });
    return group;
  }

  #commit(group: Group): void {
    this.#group = null;
    try {
      this.#file.commit();
      group.resolve();
    } catch (error) {
      group.reject(error);
      this.#file.rollback();
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
        group.reject(unavailable(error));
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
