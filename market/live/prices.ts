/** Prices of the tokens: Jupiter's on Solana, small quotes on other chains; pools are witnesses of their own. */
import { CHAINS, chainsOf } from "../../attestor/chains.ts";
import type { Findings, TokenPrice } from "../collect/sources.ts";
import { JUPITER } from "../providers/jupiter.ts";
import type { MarketAsset } from "../queries.ts";
import { askedOf, type LiveAsset } from "./assets.ts";
import { gathered, ofEach } from "./findings.ts";
import { priceByQuote } from "./impacts.ts";
import type { Upstreams } from "./upstreams.ts";

export async function pricesOf(
  upstreams: Upstreams,
  wanted: readonly MarketAsset[],
): Promise<Findings<TokenPrice>> {
  const asked = askedOf(upstreams, wanted);
  const byList = chainsOf(JUPITER.name);
  const listed = asked.filter(({ chain }) => byList.includes(chain));
  const others = asked.filter(({ chain }) => !byList.includes(chain));
  const isConverted = others.some(({ chain }) => CHAINS[chain].dollar.priced);
  return gathered<TokenPrice>([
    [JUPITER.name, async () => (listed.length === 0 ? NONE : listedPrices(upstreams, listed))],
    ["quotes", () => ofEach(others, (asset) => quotedPrices(upstreams, asset))],
    ["dollar", async () => (isConverted ? (await upstreams.dollar()).troubles() : NONE)],
  ]);
}

const NONE = { rows: [] };

/** Of a list that serves several questions of a round. */
async function listedPrices(
  { jupiterPrices, tell }: Upstreams,
  asked: readonly LiveAsset[],
): Promise<Findings<TokenPrice>> {
  const batch = await jupiterPrices();
  const byMint = new Map(batch.rows.map((row) => [row.mint, row]));
  const rows = asked.flatMap(({ assetKey, address }): TokenPrice[] => {
    const row = byMint.get(address);
    const stated = { source: JUPITER.name, origin: JUPITER.name, publishedAt: null };
    return row ? [{ assetKey, kind: "aggregator", ...stated, tokenPriceUsd: row.usdPricePerToken }] : [];
  });
  return { rows, rejected: tell("price", JUPITER.name, batch, [...byMint.keys()]) };
}

/** No route is no price. */
async function quotedPrices(upstreams: Upstreams, asset: LiveAsset): Promise<TokenPrice[]> {
  const price = await priceByQuote(upstreams, asset);
  return price === null ? [] : [price];
}
