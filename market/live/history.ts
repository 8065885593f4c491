/** What providers know of the past. */
import type { LiveHistory } from "../collect/sources.ts";
import { HYPERLIQUID } from "../providers/hyperliquid.ts";
import { stocksAmong } from "./perps.ts";
import type { Upstreams } from "./upstreams.ts";

export function createHistory({ perps, hyperliquid }: Upstreams): LiveHistory {
  const venue = perps.find(({ name }) => name === HYPERLIQUID.name);
  return {
    async funding(underlying, from, to) {
      const stocks = stocksAmong((await venue?.perps())?.rows ?? []);
      const perp = stocks.find(({ ticker }) => ticker === underlying);
      const intervalHours = perp?.fundingIntervalHours;
      if (!perp || !intervalHours) return [];
      const points = await hyperliquid.fundingHistory(perp.market, from, to);
      return points.map(({ at, rate }) => ({ source: HYPERLIQUID.name, at, rate, intervalHours }));
    },
  };
}
