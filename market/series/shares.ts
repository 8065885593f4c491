/** The share ratios that counted last, from the samples that are kept: a restart forgets none. */
import { sql } from "kysely";
import { type Database, engineOf } from "../../database/open.ts";
import { chunksOf } from "./hours.ts";
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

/** By asset key. @param now unix seconds @throws DatabaseUnavailable */
export async function lastShares(
  db: Database,
  assets: readonly { readonly assetKey: string }[],
  now: number,
): Promise<Map<string, LastShares>> {
  const found = new Map<string, LastShares>();
  for (const some of chunksOf(assets)) {
    const rows = await db
      .selectFrom("series")
      .select(["id", "name", "latest_at", "latest_sample"])
      .where(
        "name",
        "in",
        some.map(({ assetKey }) => premiumSeries(assetKey)),
      )
      .where("latest_at", ">=", now - COUNTS_SECONDS)
      .execute();
    for (const { id, name, latest_at, latest_sample } of rows) {
      const latest = sharesIn(name, latest_at, latest_sample);
      // Few are disputed: of those, older samples are looked through.
      const shares = latest ?? (await sharesBefore(db, { id, name }, now - COUNTS_SECONDS));
      if (shares !== null) found.set(name.slice(premiumSeries("").length), shares);
    }
  }
  return found;
}

function sharesIn(series: string, sampledAt: number | null, text: string | null): LastShares | null {
  if (sampledAt === null || text === null) return null;
  const sample = premiumOf({ series, sampledAt, text });
  const { tokenPriceUsd, sharesPerToken, referencePriceUsd } = sample;
  if (tokenPriceUsd === null || sharesPerToken === null) return null;
  return { sharesPerToken, tokenPriceUsd, referenceUsd: referencePriceUsd };
}

/** Whether a raw sample has a token's price and its shares, by their places in the list: neither is disputed. */
const isWhole = (db: Database) =>
  engineOf(db) === "postgres"
    ? sql<boolean>`sample::json ->> 2 is not null and sample::json ->> 3 is not null`
    : sql<boolean>`json_extract(sample, '$[2]') is not null and json_extract(sample, '$[3]') is not null`;

async function sharesBefore(
  db: Database,
  { id, name }: { readonly id: number; readonly name: string },
  since: number,
): Promise<LastShares | null> {
  const row = await db
    .selectFrom("raw_samples")
    .select(["sampled_at", "sample"])
    .where("series_id", "=", id)
    .where("sampled_at", ">=", since)
    .where(isWhole(db))
    .orderBy("sampled_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : sharesIn(name, row.sampled_at, row.sample);
}
