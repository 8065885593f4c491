/** What providers know of the past. */
import { pricingPool } from "../collect/choosePools.ts";
import { chooseRatio } from "../collect/choosePrice.ts";
import type { LiveHistory } from "../collect/sources.ts";
import { DEXSCREENER } from "../providers/dexscreener.ts";
import { GECKOTERMINAL } from "../providers/geckoterminal.ts";
import { HYPERLIQUID } from "../providers/hyperliquid.ts";
import { sameAddress } from "../providers/values.ts";
import { stocksAmong } from "./perps.ts";
import { poolStates } from "./pools.ts";
import { ratiosOf } from "./shares.ts";
import type { Upstreams } from "./upstreams.ts";

export function createHistory(upstreams: Upstreams): LiveHistory {
  const { assets, hyperliquid, dexscreener, geckoterminal } = upstreams;
  const venue = upstreams.perps.find(({ name }) => name === HYPERLIQUID.name);
  return {
    async funding(underlying, from, to) {
      const perps = stocksAmong((await venue?.perps())?.rows ?? []);
      const perp = perps.find(({ ticker }) => ticker === underlying);
      const intervalHours = perp?.fundingIntervalHours;
      if (!perp || !intervalHours) return [];
      const points = await hyperliquid.fundingHistory(perp.market, from, to);
      return points.map(({ at, rate }) => ({ source: HYPERLIQUID.name, at, rate, intervalHours }));
    },
    async prices(asset, before) {
      const listed = assets.find(({ assetKey }) => assetKey === asset.assetKey);
      const sharesPerToken = chooseRatio((await ratiosOf(upstreams, [asset])).rows)?.figure;
      if (!listed || !sharesPerToken) return [];
      const { rows: known } = await dexscreener.poolsOf(asset.chain, asset.address);
      const states = poolStates([listed], known, DEXSCREENER.name);
      const chosen = pricingPool(states, null, null).pool?.poolAddress;
      const pool = known.find(({ poolAddress }) => poolAddress === chosen);
      if (!pool) return [];
      const side = sameAddress(asset.chain, pool.baseToken, asset.address) ? "base" : "quote";
      const { rows } = await geckoterminal.hourlyCandles(asset.chain, pool.poolAddress, before, side);
      return rows.map(({ at, open }) => ({
        assetKey: asset.assetKey,
        source: GECKOTERMINAL.name,
        tokenPriceUsd: open,
        sharesPerToken,
        at,
      }));
    },
  };
}
