/** What the adapters hand on: small plain records, one kind per fact for all sources. */
import { keccak256 } from "ethers";
import type { z } from "zod";
import type { Chain } from "../../attestor/chains.ts";
import { fieldOf, ProviderFault } from "./fault.ts";
import type { Answer } from "./request.ts";
import { NOT_POSITIVE } from "./values.ts";

/** One provider's statement of a stock's price in USD per share. */
export interface ReferencePrice {
  readonly provider: string;
  /** Which of the provider's figures it is, such as `hermes` or `stockData`. */
  readonly source: string;
  /** Whose price it is: the provider's own, unless its answer names another. */
  readonly origin: string;
  /** Ticker of the stock. */
  readonly symbol: string;
  /** USD, exact decimal text, above zero. */
  readonly price: string;
  /** Half-width of the confidence interval in USD; null where the provider states none. */
  readonly confidence: string | null;
  /** Unix seconds by the provider's clock; null where it states none, so that its age is unknown. */
  readonly publishedAt: number | null;
  /** Unix seconds by our clock. */
  readonly receivedAt: number;
  /** keccak256 of the raw answer. */
  readonly rawHash: string;
}

/** A liquidity pool as an index sees it. USD figures are decimal text; null where it states none. */
export interface Pool {
  readonly provider: string;
  readonly chain: Chain;
  readonly poolAddress: string;
  readonly dex: string;
  readonly baseToken: string;
  readonly quoteToken: string;
  /** USD per whole base token. */
  readonly basePriceUsd: string | null;
  /** USD per whole quote token. */
  readonly quotePriceUsd: string | null;
  readonly volume24hUsd: string | null;
  readonly liquidityUsd: string | null;
  /** Buys and sells; null where the index counts none. */
  readonly trades24h: number | null;
  readonly receivedAt: number;
}

/** A perpetual's market at one moment. Prices are decimal text in the quote coin, a US dollar. */
export interface Perp {
  readonly provider: string;
  /** As the venue names it: `xyz:TSLA`, `AAPLUSDT`. */
  readonly market: string;
  /** The name without the venue's additions. A name alone is no proof of the stock: join through a list. */
  readonly ticker: string;
  readonly markPrice: string;
  /** The venue's own price of the underlying. */
  readonly indexPrice: string;
  /** Funding per interval as a fraction, signed. */
  readonly fundingRate: string;
  /** As the venue states it or its fundings show it; null: neither, or they contradict each other. */
  readonly fundingIntervalHours: number | null;
  /** Unix seconds by the venue's clock; null where it states none. */
  readonly publishedAt: number | null;
  readonly receivedAt: number;
  readonly rawHash: string;
}

export interface FundingPoint {
  readonly market: string;
  /** Unix seconds, floored to the hour: venues stamp some milliseconds past it. */
  readonly at: number;
  /** Per interval, as a fraction, signed. */
  readonly rate: string;
}

/** A row that was left out, for the record: never silently. */
export interface Rejected {
  /** What was asked for or its place in the answer; never the provider's text. */
  readonly key: string;
  readonly reason:
    | "shape"
    | "missing"
    | "not_positive"
    | "duplicate"
    | "ratio_contradicts_prices"
    | "interval_contradicts_fundings";
  /** Of a wrong shape: which of the fields that we read it is, such as `price.expo`. */
  readonly field?: string;
}

export interface Batch<T> {
  readonly rows: readonly T[];
  readonly rejected: readonly Rejected[];
}

/** An answer of which nothing can be read is a fault and no empty list. @throws ProviderFault `shape` */
export function readable<T>(provider: string, batch: Batch<T>, details: { rawHash?: string } = {}): Batch<T> {
  if (batch.rows.length > 0) return batch;
  const field = batch.rejected.find((one) => one.field !== undefined)?.field ?? "answer";
  throw new ProviderFault(provider, "shape", { ...details, field });
}

/**
 * Of several rows of one thing the newest.
 * @param keyOf what a row is of; undefined: it does not say
 * @param timeOf undefined where it cannot be read: any other row is newer
 */
export function newestOf(
  rows: readonly unknown[],
  keyOf: (row: unknown) => string | undefined,
  timeOf: (row: unknown) => number | undefined,
): ReadonlyMap<string, unknown> {
  const newest = new Map<string, unknown>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key === undefined) continue;
    if (!newest.has(key) || (timeOf(row) ?? -1) > (timeOf(newest.get(key)) ?? -1)) newest.set(key, row);
  }
  return newest;
}

/** keccak256 of the raw answer, 0x and 64 lower-case digits. */
export function rawHashOf(answer: Answer<unknown>): string {
  return keccak256(answer.raw);
}

/** Why a value that a schema turned away was turned away, and because of which field. */
export function whyOf(error: z.ZodError, isMissing = false): Pick<Rejected, "reason" | "field"> {
  if (isMissing) return { reason: "missing" };
  if (error.issues.some((issue) => issue.message === NOT_POSITIVE)) return { reason: "not_positive" };
  return { reason: "shape", field: fieldOf(error) };
}

/** Parses row by row, so that one bad row costs itself alone. */
export function readRows<T>(
  list: readonly unknown[],
  schema: z.ZodType<T>,
  keyOf: (index: number) => string,
): Batch<T> {
  const rows: T[] = [];
  const rejected: Rejected[] = [];
  list.forEach((row, index) => {
    const parsed = schema.safeParse(row);
    if (parsed.success) rows.push(parsed.data);
    else rejected.push({ key: keyOf(index), ...whyOf(parsed.error) });
  });
  return { rows, rejected };
}
