/** Tickerhouse: the last price of many stocks in one answer. */
import { z } from "zod";
import type { Answer, Rejected, StockPrice } from "../statement.ts";
import { MINUTE_MS, provider } from "./provider.ts";
import { newestOf, readable, whyOf } from "./rows.ts";
import { IsoAsSeconds, PositiveDecimal } from "./values.ts";

const NAME = "tickerhouse";
const LIST_MS = 60_000;

const Quotes = z.looseObject({ quotes: z.array(z.unknown()) });
const Named = z.looseObject({ symbol: z.string().max(16) });
const Quote = z.looseObject({ last: PositiveDecimal, asOf: IsoAsSeconds });

export const TICKERHOUSE = provider({
  name: NAME,
  setting: "TICKERHOUSE",
  baseUrl: "https://api.tickerhouse.example",
  rate: { requests: 30, perMs: MINUTE_MS },
  key: { required: true, lack: "stocks have a reference less" },
  keyHeaders: (key) => ({ "x-tickerhouse-key": key }),
  open: (http) => ({
    /** Of several rows of a symbol the newest; what it does not know is `missing` in `rejected`. @throws ProviderFault */
    async last(tickers: readonly string[]): Promise<Answer<StockPrice>> {
      const { data, rawHash } = await http.getJson(`/v1/last?symbols=${tickers.join(",")}`, Quotes);
      const bySymbol = newestOf(
        data.quotes,
        (row) => Named.safeParse(row).data?.symbol,
        (row) => Quote.safeParse(row).data?.asOf,
      );
      const statements: StockPrice[] = [];
      const rejected: Rejected[] = [];
      for (const subject of tickers) {
        const row = bySymbol.get(subject);
        const quote = Quote.safeParse(row);
        if (quote.success) {
          const { last: figure, asOf: at } = quote.data;
          const stated = { subject, source: NAME, origin: NAME, at, rawHash };
          statements.push({ ...stated, of: "reference", figure, confidence: null });
        } else rejected.push({ of: "reference", subject, ...whyOf(quote.error, row === undefined) });
      }
      return readable(NAME, { statements, rejected }, rawHash);
    },
  }),
  sources: (tickerhouse, { tokens }) => [
    {
      asks: "list",
      name: NAME,
      of: ["reference"],
      keepsMs: LIST_MS,
      ask: () => tickerhouse.last([...new Set(tokens.map(({ underlying }) => underlying))]),
    },
  ],
  tryOut: (tickerhouse) => tickerhouse.last(["AAPL"]),
});
