/** What a round asks of the outside world, whoever answers: providers, the chain, or the simulation. */
import type { MarketAsset } from "../queries.ts";
import type { Rejection } from "../series/rejected.ts";

/** A part of an answer that did not come. */
export interface Failure {
  /** The asset key, the ticker, or the provider's name. */
  readonly subject: string;
  readonly error: unknown;
}

export interface Findings<T> {
  readonly rows: readonly T[];
  readonly failures?: readonly Failure[];
  /** What came and cannot be true. */
  readonly rejected?: readonly Rejection[];
}

export interface Impacts {
  readonly source: string;
  /** Basis points that a buy is worse than a tiny one, decimal text; null: no route. */
  readonly impact1kBps: string | null;
  readonly impact10kBps: string | null;
}

export interface TokenPrice {
  readonly assetKey: string;
  readonly source: string;
  /** US dollars per whole token. */
  readonly tokenPriceUsd: string;
  /** `1` where the price is per share already. */
  readonly sharesPerToken: string;
  /** Unix seconds by our clock. */
  readonly at: number;
}

export interface StockPrice {
  readonly underlying: string;
  readonly source: string;
  /** US dollars per share. */
  readonly priceUsd: string;
  /** Unix seconds by the provider's clock; null: its age is not known. */
  readonly publishedAt: number | null;
}

export interface PerpState {
  readonly underlying: string;
  readonly source: string;
  readonly markUsd: string;
  /** Per interval, as a fraction; null: not known. */
  readonly fundingRate: string | null;
  readonly fundingIntervalHours: number;
  /** Unix seconds by our clock. */
  readonly at: number;
}

export interface VolumeState {
  readonly assetKey: string;
  readonly source: string;
  /** US dollars; null: not known. */
  readonly volume24hUsd: string | null;
  readonly liquidityUsd: string | null;
  /** Unix seconds by our clock. */
  readonly at: number;
}

/** A source that is absent is not collected. Each may throw, which costs its own kind alone. */
export interface MarketSources {
  /** One asset at a time; null: nobody measures it. */
  impactsOf?(asset: MarketAsset): Promise<Impacts | null>;
  pricesOf?(assets: readonly MarketAsset[]): Promise<Findings<TokenPrice>>;
  /** Several of one stock in the order of trust: the first that will do counts. */
  referencesOf?(underlyings: readonly string[]): Promise<Findings<StockPrice>>;
  perpsOf?(underlyings: readonly string[]): Promise<Findings<PerpState>>;
  volumesOf?(assets: readonly MarketAsset[]): Promise<Findings<VolumeState>>;
}
