/** A database by its driver alone, as the baseline. */
import BetterSqlite3 from "better-sqlite3";
import pg from "pg";
import { isPostgres, sqlitePath } from "../../../database/open.ts";
import { HOUR_SECONDS } from "../../../market/series/buckets.ts";

export interface Bare extends AsyncDisposable {
  /** Rows of a prepared statement. @param query with ? for its parameters */
  all(query: string, parameters: readonly number[]): Promise<unknown[]>;
  /** A raw sample and an hour of each series from 1 on, in one transaction. */
  insertRound(at: number, texts: readonly string[]): Promise<void>;
}

export const openBare = (url: string): Promise<Bare> =>
  isPostgres(url) ? bareOfPostgres(url) : bareOfSqlite(sqlitePath(url));

async function bareOfSqlite(file: string): Promise<Bare> {
  const db = new BetterSqlite3(file);
  db.pragma("synchronous = FULL");
  const statements = new Map<string, BetterSqlite3.Statement>();
  const prepared = (query: string) => {
    const statement = statements.get(query) ?? db.prepare(query);
    statements.set(query, statement);
    return statement;
  };
  return {
    all: async (query, parameters) => prepared(query).all(parameters),
    async insertRound(at, texts) {
      const raw = prepared("insert into raw_samples values (?, ?, ?)");
      const bucket = prepared(
        `insert or replace into hour_buckets (series_id, hour, close, lo, hi, net_edge, close_second, origin_id, samples)
          values (?, ?, 1, 1, 1, 1, 3300, 1, 12)`,
      );
      db.transaction(() => {
        for (const [index, text] of texts.entries()) {
          raw.run(index + 1, at, text);
          bucket.run(index + 1, Math.floor(at / HOUR_SECONDS));
        }
      })();
    },
    [Symbol.asyncDispose]: async () => void db.close(),
  };
}

async function bareOfPostgres(url: string): Promise<Bare> {
  const client = new pg.Client(url);
  await client.connect();
  const names = new Map<string, string>();
  return {
    async all(query, parameters) {
      const name = names.get(query) ?? `bare${names.size}`;
      names.set(query, name);
      let n = 0;
      const text = query.replace(/\?/g, () => `$${++n}`);
      return (await client.query({ name, text, values: [...parameters] })).rows;
    },
    async insertRound(at, texts) {
      const ids = texts.map((_, index) => index + 1);
      await client.query("begin");
      await client.query({
        name: "raw",
        text: "insert into raw_samples select id, $2, text from unnest($1::int[], $3::text[]) as given (id, text)",
        values: [ids, at, texts],
      });
      await client.query({
        name: "hour",
        text: `insert into hour_buckets (series_id, hour, close, lo, hi, net_edge, close_second, origin_id, samples)
          select id, $2, 1, 1, 1, 1, 3300, 1, 12 from unnest($1::int[]) as given (id)
          on conflict (series_id, hour) do update set close = excluded.close, lo = excluded.lo, hi = excluded.hi,
            net_edge = excluded.net_edge, close_second = excluded.close_second, origin_id = excluded.origin_id,
            samples = excluded.samples`,
        values: [ids, Math.floor(at / HOUR_SECONDS)],
      });
      await client.query("commit");
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
