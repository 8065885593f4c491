/** Jupiter: the aggregator of Solana. Quotes, and prices that carry the stock's own. */
import { z } from "zod";
import { factorAt } from "../../attestor/shares.ts";
import { chunksOf } from "../series/hours.ts";
import type { Answer, DollarPrice, Rejected, ShareRatio, StockPrice, TokenPrice } from "../statement.ts";
import { ProviderFault } from "./fault.ts";
import type { Http, HttpAnswer, RequestOptions } from "./http.ts";
import type { Turns } from "./limits.ts";
import { type Listed, MINUTE_MS, provider, type Quote, type QuoteRequest } from "./provider.ts";
import { aboutTokens, readable, whyOf } from "./rows.ts";
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

/** On Solana: what dollar tokens of other chains are worth. */
export const USDT_MINT = "Es9vMFrzaCERmJfrF4H2FYD4KCoNky11McCe8BenwNYB";
/** It takes several requests of a scarce limit, and serves a whole round. */
const LIST_MS = 240_000;

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
  open: (http) => ({
    turns: http.turns,
    /** A quote for no taker. @returns null when there is no route @throws ProviderFault */
    order: (request: QuoteRequest, turns?: Turns) =>
      ask(http, "/swap/v2/order", request, OrderAnswer, NO_ROUTE, turns),
    /** The same by the older endpoint. */
    quote: (request: QuoteRequest, turns?: Turns) =>
      ask(http, "/swap/v1/quote", request, Quoted, NO_ROUTE_V1, turns),
    /**
     * Of each mint its price and, where it scales, its factor; of the stock that it stands for Jupiter's price. What Jupiter
     * cannot price it omits; such a mint is `missing` in `rejected`. The two prices of a scaled mint must be as far apart as
     * its multiplier says, or that before a change.
     * @throws ProviderFault
     */
    prices: (tokens: readonly PricedToken[]) => prices(http, tokens),
  }),
  sources: (jupiter, listed) => [
    {
      asks: "list",
      name: NAME,
      of: ["price", "ratio", "reference", "dollar"],
      keepsMs: LIST_MS,
      async ask() {
        const answer = await jupiter.prices([...mintsOf(listed), USDT]);
        const { statements } = answer;
        const dollar = statements.find(({ of, subject }) => of === "price" && subject === USDT.mint);
        const tokens = listed.tokens.filter(({ chain }) => chain === "solana");
        const aboutListed = aboutTokens(answer, tokens, ({ address }) => address);
        return dollar
          ? { ...aboutListed, statements: [...aboutListed.statements, dollarOf(dollar as TokenPrice)] }
          : aboutListed;
      },
    },
  ],
  // The older endpoint finds routes among fewer, and is asked where the newer one does not answer.
  exchange: ({ order, quote, turns }) => ({
    quotes: [(_chain, ...asked) => order(...asked), (_chain, ...asked) => quote(...asked)],
    turns,
  }),
});

const USDT: PricedToken = { mint: USDT_MINT, symbol: "USDT", scaled: false };

const mintsOf = ({ tokens }: Listed): PricedToken[] =>
  tokens
    .filter(({ chain }) => chain === "solana")
    .map(({ address, underlying, shares }) => {
      return { mint: address, symbol: underlying, scaled: shares === "multiplier" };
    });

const dollarOf = ({ source, origin, figure, at, rawHash }: TokenPrice): DollarPrice => {
  return { of: "dollar", subject: USDT.symbol, source, origin, figure, at, rawHash };
};

async function prices(
  http: Http,
  tokens: readonly PricedToken[],
): Promise<Answer<TokenPrice | ShareRatio | StockPrice>> {
  // All at once, so that nothing less urgent takes a turn between them.
  const answers = await Promise.all(
    [...chunksOf(tokens, IDS_PER_REQUEST)].map(async (chunk) => {
      const query = new URLSearchParams({ ids: chunk.map((token) => token.mint).join(",") });
      return { chunk, answer: await http.getJson(`/price/v3?${query}`, z.record(z.string(), z.unknown())) };
    }),
  );
  const statements: (TokenPrice | ShareRatio | StockPrice)[] = [];
  const rejected: Rejected[] = [];
  for (const { chunk, answer } of answers)
    for (const token of chunk) {
      const row = answer.data[token.mint];
      const parsed = Price.safeParse(row);
      const why = parsed.success ? contradiction(token, parsed.data) : whyOf(parsed.error, row == null);
      if (why) rejected.push({ of: "price", subject: token.mint, ...why });
      if (why || !parsed.data) continue;
      statements.push(...priceAndFactor(token, parsed.data, answer));
      const stock = StockData.safeParse(parsed.data.stockData);
      // The token's own price is good without the stock's.
      if (!stock.success) rejected.push({ of: "reference", subject: token.symbol, ...whyOf(stock.error) });
      if (stock.data) statements.push(stockPrice(token, stock.data, answer.rawHash));
    }
  return readable(NAME, { statements, rejected });
}

async function ask(
  http: Http,
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
  const { data, rawHash } = await http.getJson(`${path}?${query}`, schema, { refusal, turns });
  if (!data) return null;
  // An answer to another question would be stored as an answer to ours.
  const answersUs =
    data.inputMint === request.inputToken &&
    data.outputMint === request.outputToken &&
    data.inAmount === request.amountIn;
  if (!answersUs) throw new ProviderFault(NAME, "shape");
  return { provider: NAME, ...request, amountOut: data.outAmount, rawHash };
}

function stockPrice(
  { symbol }: PricedToken,
  { id, price, updatedAt }: NonNullable<z.infer<typeof StockData>>,
  rawHash: string,
): StockPrice {
  const stated = { subject: symbol, source: NAME, origin: id ?? NAME, at: updatedAt, rawHash };
  return { ...stated, of: "reference", figure: price, confidence: null };
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
function priceAndFactor(
  { mint }: PricedToken,
  { usdPrice, scaledUiConfig: scaled }: Row,
  { receivedAt, rawHash }: HttpAnswer<unknown>,
): (TokenPrice | ShareRatio)[] {
  const stated = { subject: mint, source: NAME, origin: NAME, at: null, rawHash };
  const price = { ...stated, of: "price", by: "aggregator", paidIn: "usd" } as const;
  if (!scaled) return [{ ...price, figure: usdPrice }];
  const change = {
    current: scaled.multiplier,
    next: scaled.newMultiplier ?? null,
    effectiveAt: scaled.newMultiplierEffectiveAt ?? null,
  };
  return [
    { ...price, figure: scaled.usdPricePrescaled },
    { ...stated, of: "ratio", figure: factorAt(change, receivedAt), change: null },
  ];
}
