/** Prices of the tokens: Jupiter's on Solana, small quotes on BNB chain; pools are witnesses of their own. */

import { eachAtOnce } from "../collect/eachAtOnce.ts";
import type { Failure, Findings, TokenPrice } from "../collect/sources.ts";
import { onChain } from "./assets.ts";
import { gathered, rejectionsOf } from "./findings.ts";
import { priceByQuote } from "./impacts.ts";
import { knownShares, type Shares } from "./shares.ts";
import type { Upstreams } from "./upstreams.ts";

const QUOTES_AT_ONCE = 8;

export async function pricesOf(upstreams: Upstreams): Promise<Findings<TokenPrice>> {
  const shares = await knownShares(upstreams);
  return gathered<TokenPrice>([
    ["jupiter", () => solanaPrices(upstreams, shares)],
    ["quotes", () => bnbPrices(upstreams, shares)],
    ["binanceRwa", async () => ({ rows: [], ...shares.troubles })],
  ]);
}

async function solanaPrices(upstreams: Upstreams, shares: Shares): Promise<Findings<TokenPrice>> {
  const { rows, rejected } = await upstreams.jupiterPrices();
  const byMint = new Map(rows.map((row) => [row.mint, row]));
  const prices = onChain(upstreams.assets, "solana").flatMap((asset): TokenPrice[] => {
    const row = byMint.get(asset.address);
    // Of a scaled mint Jupiter states the price of a displayed unit beside that of a raw one.
    const scaled = asset.shares === "multiplier";
    const sharesPerToken = shares.of(asset, scaled ? "displayed" : "raw");
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

/** No route is no price; a quote that fails is a failure. */
async function bnbPrices(upstreams: Upstreams, shares: Shares): Promise<Findings<TokenPrice>> {
  const rows: TokenPrice[] = [];
  const failures: Failure[] = [];
  const priced = onChain(upstreams.assets, "bnb").filter((asset) => shares.of(asset, "raw") !== null);
  await eachAtOnce(priced, QUOTES_AT_ONCE, async (asset) => {
    try {
      const quote = await priceByQuote(upstreams, asset);
      const sharesPerToken = shares.of(asset, "raw");
      if (quote && sharesPerToken !== null)
        rows.push({ assetKey: asset.assetKey, ...quote, sharesPerToken, quoted: true });
    } catch (error) {
      failures.push({ subject: asset.assetKey, error });
    }
  });
  return { rows, failures };
}
