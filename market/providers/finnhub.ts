/** Finnhub: a reference quote with its previous close. */
import { z } from "zod";
import { MINUTE_MS, provider } from "./provider.ts";
import { type ReferencePrice, rawHashOf } from "./records.ts";
import { DecimalText, PositiveDecimal, priceOrNone, UnixSeconds } from "./values.ts";

const NAME = "finnhub";
/** So many stocks that nobody else knows are asked for in one round, one request each. */
export const MOST_QUOTES = 100;

export interface FinnhubQuote extends ReferencePrice {
  /** USD at the close before, decimal text; null where it is not stated. */
  readonly previousClose: string | null;
}

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
  rate: { requests: 60, perMs: MINUTE_MS, jobs: 30 },
  key: {
    required: true,
    lack: "stocks that no other source knows have no reference, and there is no official close over HTTP",
  },
  keyHeaders: (key) => ({ "x-finnhub-token": key }),
  open: (upstream) => ({
    /** @returns null for an unknown symbol, which Finnhub answers with zeros @throws ProviderFault */
    async quote(symbol: string): Promise<FinnhubQuote | null> {
      const answer = await upstream.getJson<z.infer<typeof Quote>>(
        `/api/v1/quote?symbol=${encodeURIComponent(symbol)}`,
        Quote,
      );
      if (!answer.data) return null;
      const { c, pc, t } = answer.data;
      return {
        provider: NAME,
        source: "quote",
        origin: NAME,
        symbol,
        price: c,
        confidence: null,
        publishedAt: t,
        receivedAt: answer.receivedAt,
        rawHash: rawHashOf(answer),
        previousClose: priceOrNone(pc),
      };
    },
  }),
  tryOut: (api) => api.quote("AAPL"),
});
