/**
 * Transactions that arrive together, committed together. A commit on SQLite waits for the disk, and everybody else waits
 * for it: so those who come in the meantime share the next one. Nobody is answered before what he wrote is on disk.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { CompiledQuery } from "kysely";
import { type Database, engineOf } from "./open.ts";

/** Keeps a transaction short, however long the queue is. */
const MOST_TOGETHER = 64;

interface Waiting {
  readonly work: (trx: Database) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Compiled as they are, since everybody in a group has his own. */
const SAVEPOINT = CompiledQuery.raw("savepoint one_of_many");
const ROLLBACK = CompiledQuery.raw("rollback to one_of_many");
const RELEASE = CompiledQuery.raw("release one_of_many");

type Outcome = { readonly value: unknown } | { readonly error: unknown };

const queues = new WeakMap<Database, Waiting[]>();

/**
 * As `db.transaction().execute(work)`: all of it or nothing, durable when it resolves. What fails fails alone.
 * @param work must be quick, and may see what others of the same commit have written
 */
export function commitTogether<T>(db: Database, work: (trx: Database) => Promise<T>): Promise<T> {
  // PostgreSQL commits side by side, and groups their writing to disk itself.
  if (engineOf(db) !== "sqlite") return db.transaction().execute(work);
  return new Promise<T>((resolve, reject) => {
    const waiting = queues.get(db);
    // One caller commits for all, but each one's work stays in its own trace.
    const own = AsyncLocalStorage.bind(work);
    const one: Waiting = { work: own, resolve: resolve as Waiting["resolve"], reject };
    if (waiting !== undefined) return void waiting.push(one);
    const queue = [one];
    queues.set(db, queue);
    setImmediate(() => void drain(db, queue));
  });
}

async function drain(db: Database, queue: Waiting[]): Promise<void> {
  while (queue.length > 0) await commit(db, queue.splice(0, MOST_TOGETHER));
  queues.delete(db);
}

/** Answers are given after the commit, refusals too: one may rest on what another of the same commit wrote. */
async function commit(db: Database, group: readonly Waiting[]): Promise<void> {
  try {
    const outcomes = await db.transaction().execute(async (trx) => {
      const done: Outcome[] = [];
      for (const { work } of group)
        done.push(group.length === 1 ? { value: await work(trx) } : await alone(trx, work));
      return done;
    });
    for (const [index, outcome] of outcomes.entries()) {
      const { resolve, reject } = group[index] as Waiting;
      if ("error" in outcome) reject(outcome.error);
      else resolve(outcome.value);
    }
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

/** @throws where the whole transaction is lost with it, as on a full disk */
async function alone(trx: Database, work: Waiting["work"]): Promise<Outcome> {
  await trx.executeQuery(SAVEPOINT);
  let outcome: Outcome;
  try {
    outcome = { value: await work(trx) };
  } catch (error) {
    outcome = { error };
    await trx.executeQuery(ROLLBACK);
  }
  await trx.executeQuery(RELEASE);
  return outcome;
}
