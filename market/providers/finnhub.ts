/** Finnhub: a reference quote with its previous close, and whether the US market is open. */
import { z } from "zod";
import { type ProviderDeps, providerUpstream } from "./http.ts";
import { LIMITS } from "./limits.ts";
import { type ReferencePrice, rawHashOf } from "./records.ts";
import { DecimalText, PositiveDecimal, ProviderDecimal, UnixSeconds } from "./values.ts";

const NAME = "finnhub";

export interface FinnhubQuote extends ReferencePrice {
  /** USD at the close before, decimal text; null where it is not stated. */
  readonly previousClose: string | null;
}

export interface MarketStatus {
  readonly isOpen: boolean;
  /** Whether today is a holiday; its name is the provider's text and stays there. */
  readonly isHoliday: boolean;
  readonly session: "pre-market" | "regular" | "post-market" | null;
  /** Unix seconds by the provider's clock; null where it is not stated. */
  readonly publishedAt: number | null;
  readonly receivedAt: number;
}

export interface Finnhub {
  /** @returns null for an unknown symbol, which Finnhub answers with zeros @throws ProviderFault */
  quote(symbol: string): Promise<FinnhubQuote | null>;
  /** @throws ProviderFault */
  marketStatus(): Promise<MarketStatus>;
}

const Unknown = z.looseObject({ c: z.literal(0), t: z.literal(0) }).transform((): null => null);
const Known = z.looseObject({
  c: PositiveDecimal,
  pc: DecimalText.nullish(),
  t: UnixSeconds.refine((t) => t > 0),
});
const Quote = z.union([Known, Unknown]);

const Status = z.looseObject({
  isOpen: z.boolean(),
  holiday: z.string().nullish(),
  session: z.enum(["pre-market", "regular", "post-market"]).nullish(),
  t: UnixSeconds.nullish(),
});

/** @param deps.apiKey the free plan gives 60 requests a minute */
export function createFinnhub(deps: ProviderDeps & { readonly apiKey: string }): Finnhub {
  const upstream = providerUpstream(
    {
      name: NAME,
      baseUrl: "https://finnhub.io",
      timeoutMs: 10_000,
      rate: LIMITS.finnhub,
      headers: { "x-finnhub-token": deps.apiKey },
    },
    deps,
  );
  return {
    async quote(symbol) {
      const answer = await upstream.getJson<z.infer<typeof Quote>>(
        `/api/v1/quote?symbol=${encodeURIComponent(symbol)}`,
        Quote,
      );
      if (!answer.data) return null;
      const { c, pc, t } = answer.data;
      return {
        provider: NAME,
        source: "quote",
        symbol,
        price: c,
        confidence: null,
        publishedAt: t,
        receivedAt: answer.receivedAt,
        rawHash: rawHashOf(answer),
        previousClose: pc != null && new ProviderDecimal(pc).gt(0) ? pc : null,
      };
    },
    async marketStatus() {
      const { data, receivedAt } = await upstream.getJson("/api/v1/stock/market-status?exchange=US", Status);
      return {
        isOpen: data.isOpen,
        isHoliday: data.holiday != null && data.holiday !== "",
        session: data.session ?? null,
        publishedAt: data.t ?? null,
        receivedAt,
      };
    },
  };
}
