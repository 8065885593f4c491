/** The share ratios that counted last, from the samples that are kept: a restart forgets none. */
import { sql } from "kysely";
import { type Database, engineOf } from "../../database/open.ts";
import { chunksOf } from "./buckets.ts";
import { premiumOf, premiumSeries } from "./premium.ts";

/** What a token's share ratio and prices were when they last counted; US dollars. */
export interface LastShares {
  readonly sharesPerToken: string;
  /** Per whole raw token. */
  readonly tokenPriceUsd: string;
  /** Per share of the stock; null: there was none. */
  readonly referenceUsd: string | null;
}

/** An older ratio is no measure any more. */
const COUNTS_SECONDS = 4 * 86_400;

/** Whether a raw sample has a token's price and its shares, by their places in the list: neither is disputed. */
const isWhole = (db: Database) =>
  engineOf(db) === "postgres"
    ? sql<boolean>`sample::json ->> 2 is not null and sample::json ->> 3 is not null`
    : sql<boolean>`json_extract(sample, '$[2]') is not null and json_extract(sample, '$[3]') is not null`;

/** By asset key. @param now unix seconds @throws DatabaseUnavailable */
export async function lastShares(
  db: Database,
  assets: readonly { readonly assetKey: string }[],
  now: number,
): Promise<Map<string, LastShares>> {
  const found = new Map<string, LastShares>();
  const find = async (chunk: typeof assets, isDisputed: boolean) => {
    const names = chunk.map(({ assetKey }) => premiumSeries(assetKey));
    const newest = db
      .selectFrom("raw_samples")
      .innerJoin("series", "series.id", "raw_samples.series_id")
      .where("series.name", "in", names)
      .where("raw_samples.sampled_at", ">=", now - COUNTS_SECONDS)
      .$if(isDisputed, (query) => query.where(isWhole(db)))
      .groupBy("raw_samples.series_id")
      .select((eb) => ["raw_samples.series_id", eb.fn.max("raw_samples.sampled_at").as("at")])
      .as("newest");
    const rows = await db
      .selectFrom(newest)
      .innerJoin("raw_samples", (join) =>
        join
          .onRef("raw_samples.series_id", "=", "newest.series_id")
          .onRef("raw_samples.sampled_at", "=", "newest.at"),
      )
      .innerJoin("series", "series.id", "raw_samples.series_id")
      .select(["series.name", "raw_samples.sampled_at", "raw_samples.sample"])
      .execute();
    for (const { name, sampled_at, sample } of rows) {
      const stored = { series: name, sampledAt: sampled_at, text: sample };
      const { assetKey, tokenPriceUsd, sharesPerToken, referencePriceUsd: referenceUsd } = premiumOf(stored);
      if (tokenPriceUsd !== null && sharesPerToken !== null)
        found.set(assetKey, { sharesPerToken, tokenPriceUsd, referenceUsd });
    }
  };
  for (const chunk of chunksOf(assets)) await find(chunk, false);
  // Few: those whose newest sample lacks one are looked through.
  for (const chunk of chunksOf(assets.filter(({ assetKey }) => !found.has(assetKey))))
    await find(chunk, true);
  return found;
}
