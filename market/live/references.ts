/** Prices of the stocks themselves. */
import type { Findings, StockPrice } from "../collect/sources.ts";
import { MOST_QUOTES } from "../providers/finnhub.ts";
import { PYTH, type Pyth, type PythFeed } from "../providers/pyth.ts";
import { type ReferencePrice, readable } from "../providers/records.ts";
import { gathered } from "./findings.ts";
import { stocksAmong } from "./perps.ts";
import { timedMemo } from "./timedMemo.ts";
import type { Upstreams } from "./upstreams.ts";

type Asked = readonly [name: string, ask: () => Promise<Findings<StockPrice>>];

/** A quote of Finnhub's is asked for again when it is so old; it says itself how old its price is. */
const QUOTE_MS = 240_000;
/** Until an unknown stock is looked for in the catalog again. */
const CATALOGUE_MS = 86_400_000;

export function createReferences(upstreams: Upstreams) {
  const { pyth, finnhub, now } = upstreams;
  const feeds = timedMemo<ReadonlyMap<string, PythFeed>>(CATALOGUE_MS, now);
  const quotes = new Map<string, { readonly askedAt: number; readonly price: StockPrice | null }>();
  let unknown: readonly string[] = [];

  const lists = listsOf(upstreams);

  const referencesOf = async (underlyings: readonly string[]): Promise<Findings<StockPrice>> => {
    const catalogue = () => feeds("all", async () => feedsOf(pyth));
    const byPyth: Asked[] = pyth
      ? [["pyth", async () => pythPrices(upstreams, pyth, await catalogue(), underlyings)]]
      : [];
    const found = await gathered<StockPrice>([...byPyth, ...lists]);
    const wanted = new Set(underlyings);
    const rows = found.rows.filter(({ underlying }) => wanted.has(underlying));
    const known = new Set(rows.map(({ underlying }) => underlying));
    unknown = underlyings.filter((underlying) => !known.has(underlying));
    return {
      ...found,
      rows: [...rows, ...unknown.flatMap((underlying) => quotes.get(underlying)?.price ?? [])],
    };
  };

  return {
    referencesOf,
    /** One request a stock takes minutes: after a round, for the next one. Those that nobody else knew in this one. */
    async afterwards(): Promise<Findings<never>> {
      if (!finnhub) return { rows: [] };
      const due = unknown
        .filter((underlying) => now() - (quotes.get(underlying)?.askedAt ?? 0) >= QUOTE_MS)
        .sort((one, other) => (quotes.get(one)?.askedAt ?? 0) - (quotes.get(other)?.askedAt ?? 0));
      return gathered<never>(
        due.slice(0, MOST_QUOTES).map((underlying) => [
          underlying,
          async () => {
            const askedAt = now();
            const quote = await finnhub.quote(underlying);
            quotes.set(underlying, { askedAt, price: quote ? stockPrice(quote) : null });
            return { rows: [] };
          },
        ]),
      );
    },
  };
}

/** Lists that serve other questions too; off hours the index of a perpetual's venue may follow its own market. */
function listsOf({ jupiterPrices, perps, tell }: Upstreams): Asked[] {
  const jupiter: Asked = [
    "jupiter",
    async () => {
      const { rows: prices } = await jupiterPrices();
      const rows = prices.flatMap(({ stock }) => (stock ? [stockPrice(stock)] : []));
      const known = rows.map(({ underlying }) => underlying);
      // Unreadable rows of the list are reported with the tokens' prices.
      return { rows, rejected: tell("reference", "jupiter", { rows: prices, rejected: [] }, known) };
    },
  ];
  const indexes = perps.map(
    ({ name, perps }): Asked => [
      name,
      async () => ({
        rows: stocksAmong((await perps()).rows).map(({ ticker, indexPrice, publishedAt }) => ({
          underlying: ticker,
          source: name,
          origin: name,
          priceUsd: indexPrice,
          publishedAt,
        })),
      }),
    ],
  );
  return [jupiter, ...indexes];
}

/** By ticker. */
async function feedsOf(pyth: Pyth | undefined): Promise<ReadonlyMap<string, PythFeed>> {
  const { rows } = (await pyth?.catalogue()) ?? { rows: [] };
  return new Map(rows.map((feed) => [feed.symbol, feed]));
}

async function pythPrices(
  { tell }: Upstreams,
  pyth: Pyth,
  feeds: ReadonlyMap<string, PythFeed>,
  underlyings: readonly string[],
): Promise<Findings<StockPrice>> {
  const known = underlyings.flatMap((underlying) => feeds.get(underlying) ?? []);
  const batch = await pyth.latest(known);
  // Unreadable rows are reported one by one.
  if (known.length > 0 && batch.rejected.every(({ reason }) => reason === "missing"))
    readable(PYTH.name, batch);
  const symbols = batch.rows.map(({ symbol }) => symbol);
  return { rows: batch.rows.map(stockPrice), rejected: tell("reference", "pyth", batch, symbols) };
}

const stockPrice = (stated: ReferencePrice): StockPrice => ({
  underlying: stated.symbol,
  source: stated.provider,
  origin: stated.origin,
  priceUsd: stated.price,
  confidenceUsd: stated.confidence,
  publishedAt: stated.publishedAt,
});
