/**
 * What the local market consists of. Symbols, names and issuer are those of the real tokens; prices begin at
 * realistic levels; depths are uneven on purpose, so that the best route depends on token and size.
 */

export interface PoolPlan {
  readonly kind: "uniswap-v2" | "uniswap-v3";
  /** Hundredths of a basis point: 500, 3000. V2 always takes 3000. */
  readonly fee: number;
  /**
   * US dollars on each side, if the pool reached over all prices as V2 does; V3 gets the same depth within its range
   * from less money. A trade of X dollars is on average about X / depth worse than the price before it, and leaves
   * a price that is twice as far away.
   */
  readonly depthUsd: number;
}

export interface StockPlan {
  readonly symbol: string;
  readonly name: string;
  readonly underlying: string;
  /** Shares a token stands for, 18 decimals. */
  readonly sharesPerToken: bigint;
  /** US dollars per share that the simulated price wanders around. */
  readonly basePrice: number;
  readonly pools: readonly PoolPlan[];
}

export const ISSUER = "xstocks";

const v2 = (depthUsd: number): PoolPlan => ({ kind: "uniswap-v2", fee: 3000, depthUsd });
const v3 = (fee: number, depthUsd: number): PoolPlan => ({ kind: "uniswap-v3", fee, depthUsd });

/** Named like its stock, with an x. */
const stock = (underlying: string, name: string, basePrice: number, ...pools: PoolPlan[]): StockPlan => ({
  symbol: `${underlying}x`,
  name: `${name} xStock`,
  underlying,
  sharesPerToken: 10n ** 18n,
  basePrice,
  pools,
});

export const STOCKS: readonly StockPlan[] = [
  // About 4 bps for a 1,000 dollar trade and 40 for 10,000 on the best pool.
  stock("AAPL", "Apple", 270, v3(500, 2_500_000), v2(150_000)),
  // About 7 and 70: here V2 is the deep one.
  stock("TSLA", "Tesla", 400, v2(1_400_000), v3(3000, 120_000)),
  // About 11 and 110, with two fee tiers: the cheap one for small trades, the deep one for large.
  stock("NVDA", "NVIDIA", 190, v3(500, 400_000), v3(3000, 900_000), v2(600_000)),
  // About 14 and 140. Reinvests dividends, so a token is a little more than a share.
  {
    ...stock("SPY", "SP500", 670, v3(500, 700_000), v2(250_000)),
    sharesPerToken: 1_005_700_000_000_000_000n,
  },
  // Thin: about 80 and 800, so that limits on impact and liquidity can be seen at work.
  stock("GME", "GameStop", 23, v3(3000, 120_000), v2(60_000)),
];

/** V3 positions reach from this part of the base price to its inverse. */
export const RANGE_FACTOR = 0.25;

/** Dollars per whole token at this reference price. */
export function tokenPrice(stock: Pick<StockPlan, "sharesPerToken">, pricePerShare: number): number {
  return (pricePerShare * Number(stock.sharesPerToken)) / 1e18;
}
