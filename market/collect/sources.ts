/** What a round asks of the outside world: of providers, the chain, or the simulation. */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { MarketAsset } from "../queries.ts";
import type { Announcement } from "../series/corporateActions.ts";
import type { Rejection } from "../series/rejected.ts";
import type { Level, State, Witness } from "../level.ts";

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
  /** What the tiny buy paid, US dollars per whole raw token; null: no route, or nobody says what the dollar token is worth. */
  readonly tinyPriceUsd: string | null;
}

/** One source's word on a figure, with its own time. */
interface Stated {
  readonly source: string;
  /** Where it comes from in the end: sources of one origin count as one witness. */
  readonly origin: string;
  /** Unix seconds by the source's clock; null: it states no time. */
  readonly publishedAt: number | null;
}

export interface TokenPrice extends Stated {
  readonly assetKey: string;
  /** A list's price, or what a small buy costs, fees included. */
  readonly kind: "aggregator" | "quote";
  /** US dollars per whole raw token. */
  readonly tokenPriceUsd: string;
  /** How the price of the dollar token stands that it was paid in; absent: nothing was converted. */
  readonly converted?: State | null;
}

/** How many shares a whole raw token stands for. */
export interface ShareRatio extends Stated {
  readonly assetKey: string;
  readonly sharesPerToken: string;
  /** Nothing is converted: amounts of such a token are in shares already. */
  readonly fixed?: true;
  /** Another field of the source's row that changes all the time: it reveals a stale list. */
  readonly fingerprint?: string;
}

export interface StockPrice extends Stated {
  readonly underlying: string;
  /** US dollars per share. */
  readonly priceUsd: string;
  /** Half-width of the source's own confidence interval, US dollars; null or absent: it states none. */
  readonly confidenceUsd?: string | null;
}

/** The price of a stock in a round, as its sources agree on it. */
export type Reference = Level<Witness>;

export interface PerpState extends Stated {
  readonly underlying: string;
  readonly markUsd: string;
  /** The venue's own price of the stock, which its mark is compared with; null or absent: it states none. */
  readonly oracleUsd?: string | null;
  /** Per interval, as a fraction; null: not known. */
  readonly fundingRate: string | null;
  /** null: nobody says it, and so the funding of a year is not known. */
  readonly fundingIntervalHours: number | null;
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
  /** Unix seconds by our clock. */
  readonly at: number;
  /** Unix seconds; set by the collector. */
  readonly unchangedSince?: number;
}

/** What an issuer's list says of a token. */
export interface ListingState {
  readonly assetKey: string;
  readonly source: string;
  /** Whether trading stands still; null: the list does not say. */
  readonly isHalted: boolean | null;
  /** `missing`: the list has no such token any more; `migrated`: it names another address. */
  readonly state: "listed" | "missing" | "migrated";
  /** Where the list has the token now; absent where it has not moved, or the list does not say. */
  readonly successor?: string;
  /** keccak256 of the page of the list that names the successor. */
  readonly rawHash?: string;
}

/** A source that is absent is not collected. Each may throw, which costs its own kind alone. */
export interface MarketSources {
  /** One asset at a time; null: nobody measures it. */
  impactsOf?(asset: MarketAsset): Promise<Impacts | null>;
  /** Several of one token: they are compared with each other. */
  pricesOf?(assets: readonly MarketAsset[]): Promise<Findings<TokenPrice>>;
  /** Several of one token, by which its price becomes that of a share. */
  ratiosOf?(assets: readonly MarketAsset[]): Promise<Findings<ShareRatio>>;
  /** What sources announce of these tokens' shares. */
  actionsOf?(assets: readonly MarketAsset[]): Promise<Findings<Announcement>>;
  /** What issuers' lists say of these tokens. */
  listingsOf?(assets: readonly MarketAsset[]): Promise<Findings<ListingState>>;
  /** Several of one stock: they are compared with each other. */
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
}
