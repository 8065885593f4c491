/** What a round asks of the outside world, whoever answers: providers, the chain, or the simulation. */
import type { UnixSeconds } from "../../attestor/values/time.ts";
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
  /** What a small buy would cost, fees included: a witness, and the figure where no pool is known. */
  readonly quoted?: boolean;
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
  /** Half-width of the source's own confidence interval, US dollars; null or absent: it states none. */
  readonly confidenceUsd?: string | null;
}

/** The price of a stock that counts in a round. */
export interface Reference extends StockPrice {
  /** How many sources agree on it, itself included. */
  readonly witnesses: number;
}

export interface PerpState {
  readonly underlying: string;
  readonly source: string;
  readonly markUsd: string;
  /** The venue's own price of the stock, which its mark is held against; null or absent: it states none. */
  readonly oracleUsd?: string | null;
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

export interface ProviderOutcome {
  readonly provider: string;
  /** `ok`, or what failed: `timeout`, `shape`, `status 503`. */
  readonly kind: string;
  readonly count: number;
  readonly lastAt: UnixSeconds;
}

/** A pool as an index states it; what of it counts is judged. */
export interface PoolState {
  /** The listed token: the pool's base token, or its quote token where the base is not listed. */
  readonly assetKey: string;
  readonly source: string;
  readonly poolAddress: string;
  /** US dollars per whole raw token; null: not stated, as below. */
  readonly priceUsd: string | null;
  readonly liquidityUsd: string | null;
  readonly volume24hUsd: string | null;
  /** Buys and sells; null: not counted by this index. */
  readonly trades24h: number | null;
  /** Shares that a whole raw token stands for; null: not known, so that its price is no price of a share. */
  readonly sharesPerToken: string | null;
  /** Unix seconds by our clock. */
  readonly at: number;
}

/** A source that is absent is not collected. Each may throw, which costs its own kind alone. */
export interface MarketSources {
  /** One asset at a time; null: nobody measures it. */
  impactsOf?(asset: MarketAsset): Promise<Impacts | null>;
  /** Several of one token in the order of preference: they are held against each other. */
  pricesOf?(assets: readonly MarketAsset[]): Promise<Findings<TokenPrice>>;
  /** Several of one stock in the order of trust: they are held against each other. */
  referencesOf?(underlyings: readonly string[]): Promise<Findings<StockPrice>>;
  /** Of every venue: each has a series of its own. */
  perpsOf?(underlyings: readonly string[]): Promise<Findings<PerpState>>;
  /** False: it has no premium, so that others are asked for first. */
  canBePriced?(asset: MarketAsset): boolean;
  /** US dollars by asset key, for the order of tokens where no liquidity is known yet; serves as no figure. */
  statedLiquidity?(): Promise<ReadonlyMap<string, string>>;
  /** What takes long and serves the next round. */
  afterwards?(): Promise<Findings<never>>;
  /** Further witnesses of prices, and what volumes are summed from. */
  poolsOf?(assets: readonly MarketAsset[]): Promise<Findings<PoolState>>;
  /** How requests ended since this was asked last, for who watches. */
  outcomes?(): readonly ProviderOutcome[];
  /** Where volume and liquidity are measured rather than stated. */
  volumesOf?(assets: readonly MarketAsset[]): Promise<Findings<VolumeState>>;
}

/** What providers know of the past. */
export interface LiveHistory {
  /** Hourly funding of a stock's perpetual, oldest first; empty where there is none. @throws ProviderFault */
  funding(
    underlying: string,
    from: number,
    to: number,
  ): Promise<{ source: string; at: number; rate: string; intervalHours: number }[]>;
  /** Price at the start of each hour of the deepest pool that agrees with the others, oldest first, up to 1,000. @throws ProviderFault */
  prices(asset: MarketAsset, before: number): Promise<TokenPrice[]>;
}
