/**
 * The database for the holder of a lease: every transaction first checks the lease, and every statement that writes
 * is such a transaction. Callers need not know.
 */
import {
  type CompiledQuery,
  Kysely,
  type KyselyProps,
  type QueryExecutor,
  type QueryResult,
  type Transaction,
  type TransactionBuilder,
} from "kysely";
import { assertLease, type Fence, LeaseLost } from "./lease.ts";
import type { Database } from "./open.ts";
import type { Schema } from "./schema.ts";

/**
 * @param onLost told when a write came too late; it throws LeaseLost, and nothing was written
 * @returns a database that ends with the lease; the opener of `db` closes it
 */
export function fenced(db: Database, fence: Fence, onLost: () => void = () => {}): Database {
  const write = <T>(work: (trx: Transaction<Schema>) => Promise<T>): Promise<T> =>
    db
      .transaction()
      .execute(async (trx) => {
        await assertLease(trx, fence);
        return await work(trx);
      })
      .catch((error: unknown) => {
        if (error instanceof LeaseLost) onLost();
        throw error;
      });
  return new Fenced(db, write);
}

type Write = <T>(work: (trx: Transaction<Schema>) => Promise<T>) => Promise<T>;

class Fenced extends Kysely<Schema> {
  readonly #write: Write;

  constructor(db: Database, write: Write) {
    super({ executor: fencedExecutor(db.getExecutor(), write), ...NOT_ITS_OWN });
    this.#write = write;
  }

  override transaction(): TransactionBuilder<Schema> {
    const execute: TransactionBuilder<Schema>["execute"] = (work) => this.#write(work);
    return { execute } as TransactionBuilder<Schema>;
  }

  override connection(): never {
    return refuse();
  }

  override startTransaction(): never {
    return refuse();
  }

  override destroy(): never {
    return refuse();
  }
}

function refuse(): never {
  throw new Error("a database under a lease has statements and transactions alone");
}

/** What Kysely asks for, and uses in what is refused above alone. */
const NOT_ITS_OWN = { config: {}, driver: {}, dialect: {} } as unknown as Omit<KyselyProps, "executor">;

function fencedExecutor(inner: QueryExecutor, write: Write): QueryExecutor {
  const executeQuery = <R>(query: CompiledQuery<R>): Promise<QueryResult<R>> =>
    query.query.kind === "SelectQueryNode"
      ? inner.executeQuery(query)
      : write((trx) => trx.getExecutor().executeQuery(query));
  return new Proxy(inner, {
    get(target, name) {
      if (name === "executeQuery") return executeQuery;
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
