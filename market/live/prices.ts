/** Prices of the tokens: Jupiter's on Solana, small quotes on other chains; pools are witnesses of their own. */
import { CHAINS, chainsOf } from "../../attestor/chains.ts";
import { eachAtOnce } from "../collect/eachAtOnce.ts";
import type { Failure, Findings, TokenPrice } from "../collect/sources.ts";
import { JUPITER } from "../providers/jupiter.ts";
import type { MarketAsset } from "../queries.ts";
import { askedOf, type LiveAsset } from "./assets.ts";
import { gathered } from "./findings.ts";
import { priceByQuote } from "./impacts.ts";
import type { Upstreams } from "./upstreams.ts";

const QUOTES_AT_ONCE = 8;

/** @param wanted of the listed tokens */
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
    ["quotes", () => quotedPrices(upstreams, others)],
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

/** No route is no price; a quote that fails is a failure. */
async function quotedPrices(
  upstreams: Upstreams,
  asked: readonly LiveAsset[],
): Promise<Findings<TokenPrice>> {
  const rows: TokenPrice[] = [];
  const failures: Failure[] = [];
  await eachAtOnce(asked, QUOTES_AT_ONCE, async (asset) => {
    try {
      const price = await priceByQuote(upstreams, asset);
      if (price) rows.push(price);
    } catch (error) {
      failures.push({ subject: asset.assetKey, error });
    }
  });
  return { rows, failures };
}
