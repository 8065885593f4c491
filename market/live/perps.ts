/** Perpetuals of stocks and their funding. */
import type { Findings, PerpState } from "../collect/sources.ts";
import type { Batch, Perp } from "../providers/records.ts";
import { gathered, type Tell } from "./findings.ts";
import type { Upstreams } from "./upstreams.ts";

/** Perpetuals whose name is the stock's: a name alone is no proof (`SP500` is no `SPY`). Extended by hand. */
const PERP_TICKERS: ReadonlySet<string> = new Set(
  [
    "AAPL ABNB AMD AMZN ARM AVGO BA BABA COIN COST CRCL CRWV CSCO DIS F GE GME GOOGL HD HOOD IBM INTC JPM KO LLY",
    "MA MCD META MRVL MSFT MSTR MU NFLX NKE NVDA ORCL PEP PFE PLTR PYPL QCOM RIVN SBUX SNOW TSLA TSM UBER V WMT XOM",
  ].flatMap((line) => line.split(" ")),
);

export function stocksAmong(perps: readonly Perp[]): Perp[] {
  return perps.filter(({ ticker }) => PERP_TICKERS.has(ticker));
}

/** Of every venue: each has a series of its own. */
export async function perpsOf(
  { perps, tell }: Upstreams,
  underlyings: readonly string[],
): Promise<Findings<PerpState>> {
  const found = await gathered<PerpState>(
    perps.map(({ name, perps }) => [name, async () => perpStates(name, await perps(), tell)]),
  );
  const wanted = new Set(underlyings);
  return { ...found, rows: found.rows.filter(({ underlying }) => wanted.has(underlying)) };
}

function perpStates(source: string, batch: Batch<Perp>, tell: Tell): Findings<PerpState> {
  const markets = batch.rows.map(({ market }) => market);
  return {
    rows: stocksAmong(batch.rows).map((perp) => ({
      underlying: perp.ticker,
      source,
      origin: source,
      publishedAt: perp.publishedAt,
      markUsd: perp.markPrice,
      oracleUsd: perp.indexPrice,
      fundingRate: perp.fundingRate,
      fundingIntervalHours: perp.fundingIntervalHours,
    })),
    rejected: tell("perp", source, batch, markets),
  };
}
