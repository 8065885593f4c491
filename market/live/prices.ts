/** Prices of the tokens: Jupiter's on Solana, small quotes on other chains; pools are witnesses of their own. */

import { chainsOf } from "../../attestor/chains.ts";
import { eachAtOnce } from "../collect/eachAtOnce.ts";
import type { Failure, Findings, TokenPrice } from "../collect/sources.ts";
import { BINANCE_RWA } from "../providers/binanceRwa.ts";
import { JUPITER } from "../providers/jupiter.ts";
import type { MarketAsset } from "../queries.ts";
import type { LiveAsset } from "./assets.ts";
import { gathered, rejectionsOf } from "./findings.ts";
import { priceByQuote } from "./impacts.ts";
import { knownShares, type Shares } from "./shares.ts";
import type { Upstreams } from "./upstreams.ts";

const QUOTES_AT_ONCE = 8;

/** @param wanted of the listed tokens */
export async function pricesOf(
  upstreams: Upstreams,
  wanted: readonly MarketAsset[],
): Promise<Findings<TokenPrice>> {
  const keys = new Set(wanted.map(({ assetKey }) => assetKey));
  const asked = upstreams.assets.filter(({ assetKey }) => keys.has(assetKey));
  const byList = chainsOf(JUPITER.name);
  const listed = asked.filter(({ chain }) => byList.includes(chain));
  const others = asked.filter(({ chain }) => !byList.includes(chain));
  const shares = await knownShares(upstreams);
  return gathered<TokenPrice>([
    [JUPITER.name, async () => (listed.length === 0 ? NONE : listedPrices(upstreams, listed, shares))],
    ["quotes", () => quotedPrices(upstreams, others, shares)],
    [BINANCE_RWA.name, async () => ({ rows: [], ...shares.troubles })],
  ]);
}

const NONE = { rows: [] };

/** Of a list that serves several questions of a round. */
async function listedPrices(
  upstreams: Upstreams,
  asked: readonly LiveAsset[],
  shares: Shares,
): Promise<Findings<TokenPrice>> {
  const { rows, rejected } = await upstreams.jupiterPrices();
  const byMint = new Map(rows.map((row) => [row.mint, row]));
  const prices = asked.flatMap((asset): TokenPrice[] => {
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
  const own = new Set(asked.map(({ address }) => address));
  const ofThese = rejected.filter(({ key }) => own.has(key.split(" ", 1)[0] ?? ""));
  return { rows: prices, rejected: rejectionsOf("price", "jupiter", ofThese) };
}

/** No route is no price; a quote that fails is a failure. */
async function quotedPrices(
  upstreams: Upstreams,
  asked: readonly LiveAsset[],
  shares: Shares,
): Promise<Findings<TokenPrice>> {
  const rows: TokenPrice[] = [];
  const failures: Failure[] = [];
  const priced = asked.filter((asset) => shares.of(asset, "raw") !== null);
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
