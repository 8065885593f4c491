/**
 * The local market as the collector sees it: prices by quotes, references and liquidity read from the chain;
 * a perpetual and trading volume simulated. Everything says `simulated`, for so is the market on the chain.
 */
import type { Database } from "../../database/open.ts";
import { PLATFORM_FEE_BPS } from "../../market/collect/premiums.ts";
import { askEach } from "../../market/providers/rows.ts";
import type { MarketAsset } from "../../market/queries.ts";
import { createMarket, type Market } from "../../market/round.ts";
import type { Kind, Source, Statement } from "../../market/statement.ts";
import {
  announcedOf,
  impactOf,
  type LocalMarketDeps,
  liquidityOf,
  perpsOf,
  priceOf,
  randomAt,
  ratioOf,
  referencesOf,
  seconds,
  volumeOf,
} from "./figures.ts";
import { backfillMarket, type MarketToday } from "./history.ts";
import { SIMULATED } from "./simulated.ts";

/** One more provider: what the chain says, and what is simulated beside it. */
export function localMarket(deps: LocalMarketDeps): Market {
  const tickers = [...new Set(deps.assets.map(({ underlying }) => underlying))];
  return createMarket(
    [
      ofTokens("price", (asset) => priceOf(deps, asset)),
      ofTokens("ratio", (asset) => ratioOf(deps, asset)),
      ofTokens("action", (asset) => announcedOf(deps, asset)),
      ofTokens("impact", async ({ assetKey }) => [await impactOf(deps, assetKey)]),
      ofTokens("volume", async (asset) => [await volumeOf(deps, asset)]),
      ofStocks("reference", tickers, (ticker) => referencesOf(deps, ticker)),
      ofStocks("perp", tickers, (ticker) => perpsOf(deps, ticker)),
    ],
    deps.now,
  );
}

type Ask<T> = (subject: T) => Promise<readonly Statement[]>;

const answered =
  <T>(ask: Ask<T>) =>
  async (subject: T) => ({ statements: await ask(subject), rejected: [] });

const ofTokens = (of: Kind, ask: Ask<MarketAsset>): Source => ({
  asks: "each",
  name: SIMULATED,
  of: [of],
  ask: (tokens) => askEach(tokens, ({ assetKey }) => assetKey, answered(ask)),
});

const ofStocks = (of: Kind, tickers: readonly string[], ask: Ask<string>): Source => ({
  asks: "list",
  name: SIMULATED,
  of: [of],
  keepsMs: 0,
  ask: () => askEach(tickers, (ticker) => ticker, answered(ask)),
});

/**
 * Gives every series that has none a history that ends in the chain's current state.
 * @returns the names of what was filled
 * @throws UpstreamUnavailable, DatabaseUnavailable
 */
export async function backfillLocalMarket(db: Database, deps: LocalMarketDeps): Promise<string[]> {
  const today: MarketToday[] = [];
  for (const asset of deps.assets) {
    const [[price], [ratio]] = await Promise.all([priceOf(deps, asset), ratioOf(deps, asset)]);
    const [reference] = await referencesOf(deps, asset.underlying);
    if (!price || !ratio || !reference) continue;
    const { impact1kBps, figure: impact10kBps } = await impactOf(deps, asset.assetKey);
    today.push({
      asset,
      tokenPriceUsd: price.figure,
      sharesPerToken: ratio.figure,
      referencePriceUsd: reference.figure,
      referenceSource: reference.source,
      impact1kBps,
      impact10kBps,
      liquidityUsd: await liquidityOf(deps, asset),
    });
  }
  return backfillMarket({
    db,
    today,
    now: seconds(deps),
    randomAt,
    sessionAt: () => "regular",
    platformFeeBps: PLATFORM_FEE_BPS,
  });
}
