/** Prices of the tokens: Jupiter's on Solana, those of the deepest pool on BNB chain. */

import type { Findings, TokenPrice } from "../collect/sources.ts";
import { priceInPool } from "../providers/pools.ts";
import { onChain } from "./assets.ts";
import { gathered, rejectionsOf } from "./findings.ts";
import { deepest } from "./pools.ts";
import { knownShares, type Shares } from "./shares.ts";
import type { Upstreams } from "./upstreams.ts";

export async function pricesOf(upstreams: Upstreams): Promise<Findings<TokenPrice>> {
  const shares = await knownShares(upstreams);
  return gathered<TokenPrice>([
    ["jupiter", () => solanaPrices(upstreams, shares)],
    ["dexscreener", () => bnbPrices(upstreams, shares)],
    ["binanceRwa", async () => ({ rows: [], ...shares.troubles })],
  ]);
}

async function solanaPrices(upstreams: Upstreams, shares: Shares): Promise<Findings<TokenPrice>> {
  const { rows, rejected } = await upstreams.jupiterPrices();
  const byMint = new Map(rows.map((row) => [row.mint, row]));
  const prices = onChain(upstreams.assets, "solana").flatMap((asset): TokenPrice[] => {
    const row = byMint.get(asset.address);
    // Jupiter's price of a scaled mint is per share already.
    const scaled = asset.shares === "multiplier";
    const sharesPerToken = scaled ? "1" : shares.of(asset);
    if (row === undefined || sharesPerToken === null) return [];
    return [
      {
        assetKey: asset.assetKey,
        source: "jupiter",
        tokenPriceUsd: scaled ? row.usdPrice : row.usdPricePerToken,
        sharesPerToken,
        at: row.receivedAt,
      },
    ];
  });
  return { rows: prices, rejected: rejectionsOf("price", "jupiter", rejected) };
}

async function bnbPrices(upstreams: Upstreams, shares: Shares): Promise<Findings<TokenPrice>> {
  const { rows, rejected } = await upstreams.pools.bnb();
  const prices = onChain(upstreams.assets, "bnb").flatMap((asset): TokenPrice[] => {
    const pool = deepest(rows, asset);
    const price = pool && priceInPool(pool, asset.address);
    const sharesPerToken = shares.of(asset);
    if (!pool || price === null || price === undefined || sharesPerToken === null) return [];
    return [
      {
        assetKey: asset.assetKey,
        source: pool.provider,
        tokenPriceUsd: price,
        sharesPerToken,
        at: pool.receivedAt,
      },
    ];
  });
  return { rows: prices, rejected: rejectionsOf("price", "dexscreener", rejected) };
}
