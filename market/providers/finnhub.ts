/** Finnhub: a reference quote with its previous close. */
import { z } from "zod";
import type { Answer, PreviousClose, StockPrice } from "../statement.ts";
import { MINUTE_MS, provider } from "./provider.ts";
import { DecimalText, PositiveDecimal, priceOrNone, UnixSeconds } from "./values.ts";

const NAME = "finnhub";
/** So many stocks that nobody else knows are asked for in one round, one request each. */
const MOST_QUOTES = 100;
/** A quote is asked for again when it is so old; it says itself how old its price is. */
const QUOTE_MS = 240_000;

const Unknown = z.looseObject({ c: z.literal(0), t: z.literal(0) }).transform((): null => null);
const Known = z.looseObject({
  c: PositiveDecimal,
  pc: DecimalText.nullish(),
  t: UnixSeconds.refine((t) => t > 0),
});
const Quote = z.union([Known, Unknown]);

export const FINNHUB = provider({
  name: NAME,
  setting: "FINNHUB",
  baseUrl: "https://finnhub.io",
  rate: { requests: 60, perMs: MINUTE_MS, collectors: 0.4 },
  key: {
    required: true,
    lack: "stocks that no other source knows have no reference, and there is no official close over HTTP",
  },
  keyHeaders: (key) => ({ "x-finnhub-token": key }),
  open: (http) => ({
    /** The price and the close before it; nothing for an unknown symbol, which Finnhub answers with zeros. @throws ProviderFault */
    async quote(symbol: string): Promise<Answer<StockPrice | PreviousClose>> {
      const path = `/api/v1/quote?symbol=${encodeURIComponent(symbol)}`;
      const { data, rawHash } = await http.getJson<z.infer<typeof Quote>>(path, Quote);
      if (!data) return { statements: [], rejected: [] };
      const stated = { subject: symbol, source: NAME, origin: NAME, at: data.t, rawHash };
      const close = priceOrNone(data.pc);
      const price: StockPrice = { ...stated, of: "reference", figure: data.c, confidence: null };
      const before: PreviousClose[] = close === null ? [] : [{ ...stated, of: "close", figure: close }];
      return { statements: [price, ...before], rejected: [] };
    },
  }),
  sources: (finnhub, { tokens }) => [
    {
      asks: "slow",
      name: NAME,
      of: ["reference"],
      subjects: [...new Set(tokens.map(({ underlying }) => underlying))],
      isLastResort: true,
      perRound: MOST_QUOTES,
      againMs: QUOTE_MS,
      keepsMs: Number.POSITIVE_INFINITY,
      ask: finnhub.quote,
    },
  ],
  tryOut: (finnhub) => finnhub.quote("AAPL"),
});
