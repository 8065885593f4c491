/** Jupiter: the aggregator of Solana. Quotes, and prices that carry the stock's own. */
import { z } from "zod";
import { factorAt } from "../../attestor/shares.ts";
import { chunksOf } from "../series/hours.ts";
import { ProviderFault } from "./fault.ts";
import type { Upstream } from "./http.ts";
import { MINUTE_MS, provider } from "./provider.ts";
import type { Quote, QuoteRequest } from "./quote.ts";
import type { Turns } from "./rate.ts";
import { type Batch, type ReferencePrice, type Rejected, rawHashOf, readable, whyOf } from "./records.ts";
import type { Answer, RequestOptions } from "./request.ts";
import { IsoAsSeconds, isQuotient, PositiveDecimal, RawAmount, UnixSeconds } from "./values.ts";

const NAME = "jupiter";
const IDS_PER_REQUEST = 50;

/** A mint, and the ticker of the stock that it stands for. */
export interface PricedToken {
  readonly mint: string;
  readonly symbol: string;
  /** Its balances are shown times a multiplier: a price without one says nothing of a raw token. */
  readonly scaled: boolean;
}

export interface JupiterPrice {
  readonly mint: string;
  /** USD per whole raw token. */
  readonly usdPricePerToken: string;
  /** The multiplier in effect; null where the mint does not scale. */
  readonly multiplier: string | null;
  /** The stock's own price where Jupiter has it, under the symbol that the caller gave. */
  readonly stock: ReferencePrice | null;
  readonly receivedAt: number;
}

const Quoted = z.looseObject({
  inputMint: z.string(),
  outputMint: z.string(),
  inAmount: RawAmount,
  outAmount: RawAmount,
});
type Quoted = z.infer<typeof Quoted>;

/** A refusal inside a 200: these words say that there is no route, any others that something failed. */
const NO_ROUTE_WORDS = /no routes? found|failed to get quotes|could[ _]not[ _]find[ _]any[ _]route/i;
const OrderAnswer = z.union([
  Quoted,
  z.looseObject({ errorMessage: z.string().regex(NO_ROUTE_WORDS) }).transform((): null => null),
]);

const NO_ROUTE = z.looseObject({ error: z.literal("Failed to get quotes") });
const NO_ROUTE_V1 = z.looseObject({ errorCode: z.literal("COULD_NOT_FIND_ANY_ROUTE") });

const Price = z.looseObject({
  usdPrice: PositiveDecimal,
  stockData: z.unknown().optional(),
  scaledUiConfig: z
    .looseObject({
      usdPricePrescaled: PositiveDecimal,
      multiplier: PositiveDecimal,
      newMultiplier: PositiveDecimal.nullish(),
      newMultiplierEffectiveAt: z.union([IsoAsSeconds, UnixSeconds]).nullish(),
    })
    .nullish(),
});
const StockData = z
  .looseObject({
    // Whose price it is.
    id: z
      .string()
      .regex(/^[a-z0-9-]{1,32}$/)
      .nullish(),
    price: PositiveDecimal,
    updatedAt: IsoAsSeconds,
  })
  .nullish();

export const JUPITER = provider({
  name: NAME,
  setting: "JUPITER",
  baseUrl: "https://api.jup.ag",
  // All its endpoints count together, in a window of a minute.
  rate: { requests: 30, perMs: MINUTE_MS },
  rateWithKey: { requests: 60, perMs: MINUTE_MS },
  key: {
    required: false,
    lack: "half the requests a second on Solana: a round of impacts takes twice as long",
  },
  keyHeaders: (key) => ({ "x-api-key": key }),
  open: (upstream) => ({
    /** Turns for quotes of one moment, which `order` and `quote` take. @throws ProviderFault */
    turns: (count: number) => upstream.turns(count, "impact"),
    /** A quote for no taker. @param turns of `turns` @returns null when there is no route @throws ProviderFault */
    order: (request: QuoteRequest, turns?: Turns) =>
      ask(upstream, "/swap/v2/order", request, OrderAnswer, NO_ROUTE, turns),
    /** The same by the older endpoint. */
    quote: (request: QuoteRequest, turns?: Turns) =>
      ask(upstream, "/swap/v1/quote", request, Quoted, NO_ROUTE_V1, turns),
    /**
     * Prices by mint. What Jupiter cannot price it omits; such a mint is `missing` in `rejected`. The two prices of a
     * scaled mint must be as far apart as its multiplier says, or that before a change.
     * @throws ProviderFault
     */
    async prices(tokens: readonly PricedToken[]): Promise<Batch<JupiterPrice>> {
      const rows: JupiterPrice[] = [];
      const rejected: Rejected[] = [];
      // All at once, so that nothing less urgent takes a turn between them.
      const answers = await Promise.all(
        [...chunksOf(tokens, IDS_PER_REQUEST)].map(async (chunk) => {
          const query = new URLSearchParams({ ids: chunk.map((token) => token.mint).join(",") });
          const path = `/price/v3?${query}`;
          return { chunk, answer: await upstream.getJson(path, z.record(z.string(), z.unknown())) };
        }),
      );
      for (const { chunk, answer } of answers) {
        const hash = rawHashOf(answer);
        for (const token of chunk) {
          const row = answer.data[token.mint];
          const parsed = Price.safeParse(row);
          const why = parsed.success ? contradiction(token, parsed.data) : whyOf(parsed.error, row == null);
          if (why) rejected.push({ key: token.mint, ...why });
          if (why || !parsed.data) continue;
          const stock = StockData.safeParse(parsed.data.stockData);
          // The token's own price is good without the stock's.
          if (!stock.success) rejected.push({ key: `${token.mint} stock`, ...whyOf(stock.error) });
          rows.push(priceRecord(token, parsed.data, stock.data ?? null, answer, hash));
        }
      }
      return readable(NAME, { rows, rejected });
    },
  }),
  serves: {
    quotes: (jupiter) => ({
      turns: jupiter.turns,
      // The older endpoint finds routes among fewer, and is asked where the newer one does not answer.
      endpoints: [
        (_chain, request, turns) => jupiter.order(request, turns),
        (_chain, request, turns) => jupiter.quote(request, turns),
      ],
    }),
  },
});

async function ask(
  upstream: Upstream,
  path: string,
  request: QuoteRequest,
  schema: z.ZodType<Quoted | null>,
  noRoute: z.ZodType<unknown>,
  turns: Turns | undefined,
): Promise<Quote | null> {
  const query = new URLSearchParams({
    inputMint: request.inputToken,
    outputMint: request.outputToken,
    amount: request.amountIn,
  });
  const refusal: RequestOptions<null>["refusal"] = (status, body) =>
    status === 400 && noRoute.safeParse(body).success ? null : undefined;
  const { data, receivedAt } = await upstream.getJson(`${path}?${query}`, schema, {
    refusal,
    ...(turns && { turns }),
  });
  if (!data) return null;
  // An answer to another question would be stored as an answer to ours.
  const answersUs =
    data.inputMint === request.inputToken &&
    data.outputMint === request.outputToken &&
    data.inAmount === request.amountIn;
  if (!answersUs) throw new ProviderFault(NAME, "shape");
  return { provider: NAME, ...request, amountOut: data.outAmount, receivedAt };
}

function priceRecord(
  token: PricedToken,
  row: Row,
  stock: NonNullable<z.infer<typeof StockData>> | null,
  { receivedAt }: Answer<unknown>,
  rawHash: string,
): JupiterPrice {
  return {
    mint: token.mint,
    ...unitsOf(row, receivedAt),
    stock: stock && {
      provider: NAME,
      source: "stockData",
      origin: stock.id ?? NAME,
      symbol: token.symbol,
      price: stock.price,
      confidence: null,
      publishedAt: stock.updatedAt,
      receivedAt,
      rawHash,
    },
    receivedAt,
  };
}

type Row = z.infer<typeof Price>;

/** What of a row cannot be true; null: nothing. */
function contradiction({ scaled }: PricedToken, row: Row): Pick<Rejected, "reason" | "field"> | null {
  const config = row.scaledUiConfig;
  if (!config) return scaled ? { reason: "shape", field: "scaledUiConfig" } : null;
  // At a change one of the prices may still be that of before.
  const fits = [config.multiplier, config.newMultiplier].some(
    (multiplier) => multiplier != null && isQuotient(multiplier, config.usdPricePrescaled, row.usdPrice),
  );
  return fits ? null : { reason: "ratio_contradicts_prices", field: "scaledUiConfig.multiplier" };
}

/** By the multiplier that counts now: the displayed price may be of before a change. */
function unitsOf({ usdPrice, scaledUiConfig: scaled }: Row, now: number) {
  if (!scaled) return { usdPricePerToken: usdPrice, multiplier: null };
  const change = {
    current: scaled.multiplier,
    next: scaled.newMultiplier ?? null,
    effectiveAt: scaled.newMultiplierEffectiveAt ?? null,
  };
  return { usdPricePerToken: scaled.usdPricePrescaled, multiplier: factorAt(change, now) };
}
