/**
 * The newest values of each token: its complete premium, its impacts, its volume. One small table, written with the
 * samples in the form in which it is served. Reads get all tokens at once, and are far more frequent than changes.
 */
import type { Transaction } from "kysely";
import { pricePerShare } from "../../attestor/points/shown.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { asGiven, rowsOf } from "../../database/rows.ts";
import type { Schema } from "../../database/schema.ts";
import { chunksOf, compareSamples, HOUR_SECONDS, type SeriesSample } from "./buckets.ts";
import { withoutRetracted } from "./retractions.ts";
import type { StoredSample } from "./stored.ts";
import { bpsText } from "./units.ts";

/** Samples that are read at once when the newest that counts is looked for. */
const LOOKED_AT = 200;

/** What a sample of a premium is of, beside its figures. */
export interface Priced {
  readonly assetKey: string;
  /** US dollars per whole raw token; null as in the sample. */
  readonly tokenPriceUsd: string | null;
  readonly sharesPerToken: string | null;
  /** US dollars per share of the stock. */
  readonly referencePriceUsd: string | null;
}
export type PricedSample = SeriesSample & { readonly priced: Priced };

/** A raw sample as one of a premium. @throws ZodError */
type Parse = (stored: StoredSample) => PricedSample;

/** Takes what is newer than what is there: with the samples, in their transaction. */
export async function noteNewest(
  transaction: Transaction<Schema>,
  samples: readonly PricedSample[],
  parse: Parse,
): Promise<void> {
  const newest = new Map<string, PricedSample>();
  for (const sample of samples) {
    const known = newest.get(sample.series);
    if (known === undefined || compareSamples(sample, known) > 0) newest.set(sample.series, sample);
  }
  for (const chunk of chunksOf([...newest.values()])) {
    const keys = chunk.map(({ priced }) => priced.assetKey);
    const stored = await transaction
      .selectFrom("latest")
      .select(["asset_key", "sampled_at", "sample"])
      .where("asset_key", "in", keys)
      .execute();
    const known = new Map(stored.map((row) => [row.asset_key, row]));
    const newer = chunk.filter((sample) => {
      const { series, sampledAt } = sample;
      const { sampled_at = null, sample: text = null } = known.get(sample.priced.assetKey) ?? {};
      if (sampled_at === null || text === null || sampledAt > sampled_at) return true;
      return sampledAt === sampled_at && compareSamples(sample, parse({ series, sampledAt, text })) > 0;
    });
    await put(transaction, newer);
  }
}

/** Finds the newest of a series again, after some of its samples were retracted. */
export async function findNewest(
  transaction: Transaction<Schema>,
  { series, id, assetKey }: { readonly series: string; readonly id: number; readonly assetKey: string },
  parse: Parse,
): Promise<void> {
  const unretracted = async (rows: readonly { readonly sample: string; readonly sampled_at: number }[]) =>
    withoutRetracted(
      transaction,
      rows.map(({ sample, sampled_at }) => parse({ series, sampledAt: sampled_at, text: sample })),
      () => series,
    );
  const stored = await transaction
    .selectFrom("latest")
    .select(["sampled_at", "sample"])
    .where("asset_key", "=", assetKey)
    .executeTakeFirst();
  const { sampled_at = null, sample = null } = stored ?? {};
  if (sampled_at !== null && sample !== null && (await unretracted([{ sampled_at, sample }])).length === 0)
    await transaction
      .updateTable("latest")
      .set({ sampled_at: null, premium: null, sample: null })
      .where("asset_key", "=", assetKey)
      .execute();
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const rows = await transaction
      .selectFrom("raw_samples")
      .select(["sample", "sampled_at"])
      .where("series_id", "=", id)
      .where("sampled_at", "<", before)
      .orderBy("sampled_at", "desc")
      .limit(LOOKED_AT)
      .execute();
    const samples = await unretracted(rows);
    await noteNewest(transaction, samples, parse);
    const last = rows.at(-1);
    if (samples.length > 0 || last === undefined) return;
    before = last.sampled_at;
  }
}

const NEWEST_COLUMNS = ["asset_key", "sampled_at", "premium", "sample"] as const;

async function put(transaction: Transaction<Schema>, samples: readonly PricedSample[]): Promise<void> {
  if (samples.length === 0) return;
  const rows = samples.map((sample) => ({
    asset_key: sample.priced.assetKey,
    sampled_at: sample.sampledAt,
    premium: members(figuresOf(sample)),
    sample: sample.text,
  }));
  await transaction
    .insertInto("latest")
    .columns(NEWEST_COLUMNS)
    .expression(rowsOf(transaction, "latest", NEWEST_COLUMNS, rows))
    .onConflict((conflict) =>
      conflict.column("asset_key").doUpdateSet(asGiven(["sampled_at", "premium", "sample"])),
    )
    .execute();
}

/** A token's medians, as they were made. */
export async function putImpacts(
  transaction: Database,
  assetKey: string,
  { grade, impact1kBps, impact10kBps, updatedAt }: Medians,
): Promise<void> {
  const figures = {
    grade,
    impact_1k_bps: numeric(impact1kBps),
    impact_10k_bps: numeric(impact10kBps),
    impact_at: isoOf(updatedAt),
  };
  const row = { impact_at: updatedAt, grade, impacts: updatedAt === null ? null : members(figures) };
  await transaction
    .insertInto("latest")
    .values({ asset_key: assetKey, ...row })
    .onConflict((conflict) => conflict.column("asset_key").doUpdateSet(row))
    .execute();
}

interface Medians {
  readonly grade: string | null;
  readonly impact1kBps: string | null;
  readonly impact10kBps: string | null;
  readonly updatedAt: UnixSeconds | null;
}

type VolumeDay = Pick<Schema["volume_days"], "asset_key" | "sampled_at" | "volume_24h_usd" | "liquidity_usd">;

/** Takes volumes that are newer than those that are there. Where only the volume is known it is none. */
export async function putVolumes(transaction: Database, days: readonly VolumeDay[]): Promise<void> {
  const newest = new Map<string, VolumeDay>();
  for (const day of days)
    if (day.liquidity_usd !== null && day.sampled_at >= (newest.get(day.asset_key)?.sampled_at ?? 0))
      newest.set(day.asset_key, day);
  for (const chunk of chunksOf([...newest.values()]))
    await transaction
      .insertInto("latest")
      .values(
        chunk.map(({ asset_key, sampled_at, volume_24h_usd, liquidity_usd }) => ({
          asset_key,
          volume_at: sampled_at,
          volume: members({ volume_24h_usd, liquidity_usd, volume_at: isoOf(sampled_at) }),
        })),
      )
      .onConflict((conflict) =>
        conflict
          .column("asset_key")
          .doUpdateSet(asGiven(["volume_at", "volume"]))
          .where((eb) =>
            eb.or([
              eb("latest.volume_at", "is", null),
              eb("excluded.volume_at", ">=", eb.ref("latest.volume_at")),
            ]),
          ),
      )
      .execute();
}

/** Finds a token's newest volume again, after some of its days were retracted. */
export async function findNewestVolume(transaction: Database, assetKey: string): Promise<void> {
  await transaction
    .updateTable("latest")
    .set({ volume_at: null, volume: null })
    .where("asset_key", "=", assetKey)
    .execute();
  const days = await transaction
    .selectFrom("volume_days")
    .select(["asset_key", "sampled_at", "volume_24h_usd", "liquidity_usd"])
    .where("asset_key", "=", assetKey)
    .execute();
  await putVolumes(transaction, days);
}

/** As they stand among others of an object. */
const members = (figures: Readonly<Record<string, unknown>>) => JSON.stringify(figures).slice(1, -1);

const isoOf = (seconds: UnixSeconds | null) =>
  seconds === null ? null : new Date(seconds * 1_000).toISOString();

/** Of at most 15 digits: the shortest text of that number is the text again. */
const numeric = (decimal: string | null) => (decimal === null ? null : Number(decimal));

/** Basis points are numbers: those of ten-thousandths are what their shortest text says. Prices stay decimal text. */
const bps = (units: number | null) => numeric(bpsText(units));

/** A sample as /api/v1/latest serves it. */
function figuresOf({ sampledAt, origin, priced, figures }: PricedSample) {
  const { tokenPriceUsd, sharesPerToken, referencePriceUsd } = priced;
  return {
    premium_bps: bps(figures.close),
    state: origin.state === "" ? null : origin.state,
    spread_bps: bps(figures.spread),
    witnesses: figures.witnesses,
    net_edge_bps: bps(figures.net_edge),
    source: origin.source,
    reference: origin.reference_source === "" ? null : origin.reference_source,
    reference_age: figures.reference_age,
    session: origin.session,
    halted: origin.halted === 1,
    price_usd: tokenPriceUsd,
    price_per_share_usd: pricePerShare(tokenPriceUsd, sharesPerToken),
    reference_price_usd: referencePriceUsd,
    shares_per_token: sharesPerToken,
    hour: isoOf(sampledAt - (sampledAt % HOUR_SECONDS)),
    sampled_at: isoOf(sampledAt),
  };
}

/** What there is of a token, as members of JSON. */
export interface Newest {
  readonly sampledAt: UnixSeconds | null;
  readonly premium: string | null;
  readonly impactAt: UnixSeconds | null;
  readonly grade: string | null;
  readonly impacts: string | null;
  readonly volumeAt: UnixSeconds | null;
  readonly volume: string | null;
}

/** By asset key, of all tokens. @throws DatabaseUnavailable */
export async function newestOfAll(db: Database): Promise<Map<string, Newest>> {
  const rows = await db
    .selectFrom("latest")
    .select(["asset_key", "sampled_at as sampledAt", "premium", "grade", "impacts", "volume"])
    .select(["impact_at as impactAt", "volume_at as volumeAt"])
    .execute();
  return new Map(rows.map((row) => [row.asset_key, row]));
}
