/** A database by its driver alone, as the baseline. */
import BetterSqlite3 from "better-sqlite3";
import pg from "pg";
import { isPostgres, sqlitePath } from "../../../database/open.ts";
import { HOUR_SECONDS } from "../../../market/series/hours.ts";

export interface Bare extends AsyncDisposable {
  /** Rows of a prepared statement. @param query with ? for its parameters */
  all(query: string, parameters: readonly number[]): Promise<unknown[]>;
  /** A sample of each series from 1 on, its hour and the latest values, in one transaction. */
  insertRound(at: number, texts: readonly string[]): Promise<void>;
}

const OF_SAMPLE = "origin_id, close, net_edge, reference_age, witnesses, spread";
/** Of whatever size: they are not read. */
const FIGURES = "1, 123456, -273456, 7, 3, 15000";
const OF_HOUR = `close_second, ${OF_SAMPLE}, lo, hi, samples`;
const HOUR_FIGURES = `3300, ${FIGURES}, 83456, 158456, 12`;
const excluded = OF_HOUR.replaceAll(/\w+/g, "excluded.$&");

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
      const sample = prepared(
        `insert into raw_samples (series_id, sampled_at, sample, ${OF_SAMPLE}) values (?, ?, ?, ${FIGURES})`,
      );
      const hour = prepared(
        `insert or replace into hour_buckets (series_id, hour, ${OF_HOUR}) values (?, ?, ${HOUR_FIGURES})`,
      );
      const latest = prepared("update series set latest_at = ?, latest_sample = ? where id = ?");
      db.transaction(() => {
        for (const [index, text] of texts.entries()) {
          sample.run(index + 1, at, text);
          hour.run(index + 1, Math.floor(at / HOUR_SECONDS));
          latest.run(at, text, index + 1);
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
        name: "sample",
        text: `insert into raw_samples (series_id, sampled_at, sample, ${OF_SAMPLE})
          select id, $2, text, ${FIGURES} from unnest($1::int[], $3::text[]) as given (id, text)`,
        values: [ids, at, texts],
      });
      await client.query({
        name: "hour",
        text: `insert into hour_buckets (series_id, hour, ${OF_HOUR})
          select id, $2, ${HOUR_FIGURES} from unnest($1::int[]) as given (id)
          on conflict (series_id, hour) do update set (${OF_HOUR}) = (${excluded})`,
        values: [ids, Math.floor(at / HOUR_SECONDS)],
      });
      await client.query({
        name: "latest",
        text: `update series set latest_at = $2, latest_sample = given.text
          from unnest($1::int[], $3::text[]) as given (id, text) where series.id = given.id`,
        values: [ids, at, texts],
      });
      await client.query("commit");
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
