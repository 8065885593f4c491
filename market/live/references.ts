/** Prices of the stocks themselves. */

import type { Findings, StockPrice } from "../collect/sources.ts";
import { indexReference } from "../providers/binance.ts";
import type { PythFeed, PythHermes } from "../providers/pythHermes.ts";
import type { ReferencePrice } from "../providers/records.ts";
import { gathered, rejectionsOf } from "./findings.ts";
import { stocksAmong } from "./perps.ts";
import type { Upstreams } from "./upstreams.ts";

type Asked = readonly [name: string, ask: () => Promise<Findings<StockPrice>>];

/** In the order of trust: those with a time of their own first, those that follow the token itself last. */
export function createReferences(upstreams: Upstreams) {
  const { pyth, finnhub, jupiterPrices, hyperliquidPerps, binancePerps } = upstreams;
  const feeds = new Map<string, PythFeed | null>();

  const jupiter: Asked = [
    "jupiter",
    async () => ({
      rows: (await jupiterPrices()).rows.flatMap(({ stock }) => (stock ? [stockPrice(stock)] : [])),
    }),
  ];
  const hyperliquid: Asked = [
    "hyperliquid",
    async () => ({
      rows: stocksAmong((await hyperliquidPerps()).rows).map((perp) => ({
        underlying: perp.ticker,
        source: "hyperliquid",
        priceUsd: perp.indexPrice,
        publishedAt: perp.publishedAt,
      })),
    }),
  ];
  const binance: Asked = [
    "binance",
    async () => ({
      rows: stocksAmong((await binancePerps()).rows).map((perp) => stockPrice(indexReference(perp))),
    }),
  ];

  return async (underlyings: readonly string[]): Promise<Findings<StockPrice>> => {
    const byPyth: Asked[] = pyth ? [["pyth", () => pythPrices(pyth, feeds, underlyings)]] : [];
    const found = await gathered<StockPrice>([...byPyth, jupiter, hyperliquid, binance]);
    const wanted = new Set(underlyings);
    const rows = found.rows.filter(({ underlying }) => wanted.has(underlying));
    const known = new Set(rows.map(({ underlying }) => underlying));
    // One request a stock: for those alone that nobody else knows.
    const missing = finnhub ? underlyings.filter((underlying) => !known.has(underlying)) : [];
    const more = await gathered<StockPrice>(
      missing.map((underlying) => [
        underlying,
        async () => {
          const quote = await finnhub?.quote(underlying);
          return { rows: quote ? [stockPrice(quote)] : [] };
        },
      ]),
    );
    return {
      ...found,
      rows: [...rows, ...more.rows],
      failures: [...(found.failures ?? []), ...(more.failures ?? [])],
    };
  };
}

/** @param feeds what the catalogue said of each stock, filled as it is asked; null: Pyth has none */
async function pythPrices(
  pyth: PythHermes,
  feeds: Map<string, PythFeed | null>,
  underlyings: readonly string[],
): Promise<Findings<StockPrice>> {
  for (const underlying of underlyings)
    if (!feeds.has(underlying)) {
      const { rows } = await pyth.catalogue(underlying);
      feeds.set(underlying, rows.find(({ symbol }) => symbol === underlying) ?? null);
    }
  const known = underlyings.flatMap((underlying) => feeds.get(underlying) ?? []);
  const { rows, rejected } = await pyth.latest(known);
  return { rows: rows.map(stockPrice), rejected: rejectionsOf("reference", "pyth", rejected) };
}

function stockPrice({ symbol, provider, price, confidence, publishedAt }: ReferencePrice): StockPrice {
  return { underlying: symbol, source: provider, priceUsd: price, confidenceUsd: confidence, publishedAt };
}
