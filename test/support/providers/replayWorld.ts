/** The small world that replayed providers speak of: what is traded, at which prices, and in which pools. */
import type { MarketAsset } from "../../../market/queries.ts";

export const REPLAY_NOW = 1_795_186_800;

export interface ReplayPool {
  readonly address: string;
  /** As a part of the token's fair price. */
  readonly priceFactor: number;
  readonly liquidityUsd: number;
  readonly volumeUsd: number;
  /** Buys and sells of the last day. */
  readonly trades: number;
}

export interface ReplayToken extends MarketAsset {
  readonly shares: NonNullable<MarketAsset["shares"]>;
  readonly sharesPerToken: number;
  pools: ReplayPool[];
  /** What buys find in all its pools; 0: nobody quotes it. */
  depthUsd: number;
}

export interface ReplayWorld {
  /** Unix seconds. */
  now: number;
  /** US dollars per share at `REPLAY_NOW`, by ticker; from then on prices move as those of a quiet day do. */
  readonly fair: Map<string, number>;
  tokens: ReplayToken[];
  /** What USDT is worth, US dollars: quotes on BNB chain are in it. */
  usdtUsd: number;
  /** Providers that answer 503. */
  readonly down: Set<string>;
  /**
   * Rewrites an answer on its way out, as a provider does that renames a field; a text is no JSON.
   * @param asked provider, path, query and body
   */
  rewrite: (provider: string, body: unknown, asked: string) => unknown;
}

/** @param tickers what is traded, at 100 dollars a share and more; each as an xStock on both chains and one of Ondo */
export function replayWorld(tickers: readonly string[]): ReplayWorld {
  const fair = new Map(tickers.map((ticker, index) => [ticker, 100 + 10 * index]));
  return {
    now: REPLAY_NOW,
    fair,
    tokens: tickers.flatMap((ticker, index) => [
      token(ticker, index, "solana", "xstocks", "multiplier", 1.0057),
      token(ticker, index, "bnb", "xstocks", "rebasing", 1),
      token(ticker, index, "bnb", "ondo", "ratio", 2),
    ]),
    usdtUsd: 1,
    down: new Set(),
    rewrite: (_provider, body) => body,
  };
}

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

function addressOf(chain: "solana" | "bnb", issuer: string, index: number): string {
  const number = (issuer === "ondo" ? 500 : 1) + index;
  return chain === "bnb"
    ? `0x${number.toString(16).padStart(40, "a")}`
    : `Xs${BASE58[number % 58]}${BASE58[Math.floor(number / 58) % 58]}${"b".repeat(39)}`;
}

function pool(
  letter: string,
  { chain, address }: Pick<MarketAsset, "chain" | "address">,
  liquidityUsd: number,
  volumeUsd = liquidityUsd / 2,
): ReplayPool {
  const own = chain === "bnb" ? `0x${letter}${address.slice(3)}` : `${letter}${address.slice(1)}`;
  return { address: own, priceFactor: 1, liquidityUsd, volumeUsd, trades: 40 };
}

function token(
  ticker: string,
  index: number,
  chain: "solana" | "bnb",
  issuer: "xstocks" | "ondo",
  shares: ReplayToken["shares"],
  sharesPerToken: number,
): ReplayToken {
  const address = addressOf(chain, issuer, index);
  return {
    assetKey: `${chain}-${issuer}-${ticker}`,
    symbol: `${ticker}${issuer === "ondo" ? "on" : "x"}`,
    underlying: ticker,
    nameEn: ticker,
    nameCn: ticker,
    issuer,
    chain,
    address,
    decimals: chain === "bnb" ? 18 : 8,
    tags: [],
    shares,
    sharesPerToken,
    // The deepest does not come first.
    pools: [pool("c", { chain, address }, 40_000, 9_000), pool("d", { chain, address }, 900_000, 700_000)],
    depthUsd: 1_000_000,
  };
}

/**
 * A world of listed tokens, each with the share ratio of its kind.
 * @param liquidityOf US dollars that the pool which an index names first states
 */
export function worldOf(
  listed: readonly (MarketAsset & Pick<ReplayToken, "shares">)[],
  liquidityOf: (index: number) => number,
): ReplayWorld {
  const tickers = [...new Set(listed.map(({ underlying }) => underlying))];
  const tokens = listed.map((asset, index): ReplayToken => {
    const shares = { multiplier: 1.0057, rebasing: 1, ratio: 2 }[asset.shares];
    const liquidityUsd = liquidityOf(index);
    const pools = [pool("c", asset, liquidityUsd), pool("d", asset, 2 * liquidityUsd)];
    return { ...asset, sharesPerToken: shares, pools, depthUsd: 3 * liquidityUsd };
  });
  return { ...replayWorld(tickers), tokens };
}
