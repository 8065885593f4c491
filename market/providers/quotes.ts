/**
 * Prices and impacts by quotes of exchanges, of the first that has a route: that one has none says nothing of the next.
 * Where no exchange has a route and not all of them said so, it is not known.
 */
import { CHAINS, type Chain } from "../../attestor/chains.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { MarketAsset } from "../queries.ts";
import type { Answer, EachSource, ImpactState, TokenPrice } from "../statement.ts";
import type { Turns } from "./limits.ts";
import type { Quote, QuoteApi, QuoteRequest } from "./provider.ts";
import { askEach } from "./rows.ts";
import { ProviderDecimal } from "./values.ts";

const PRICE_PLACES = 18;
/** Buys that are measured, US dollars. */
export const SIZES = { tiny: 20, small: 1_000, large: 10_000 };
/** Requests of one sample. */
const QUOTES_PER_SAMPLE = Object.keys(SIZES).length;
/** From asking for the first quote of a sample to having the last; later ones would compare two moments. */
export const MOST_APART_MS = 2_000;

type Ask = (request: QuoteRequest, turns?: Turns) => Promise<Quote | null>;

export interface Venue extends QuoteApi {
  readonly name: string;
}

/** Venues of a chain, in the order in which they are asked. */
type VenuesOf = (chain: Chain) => readonly Venue[];

/** A sample whose quotes are not of one moment. */
export class QuotesApart extends Error {
  constructor(source: string, ms: number) {
    super(`${source}: the quotes of a sample took ${ms} ms, at most ${MOST_APART_MS} are one moment`);
    this.name = "QuotesApart";
  }
}

/**
 * @param venuesOf in the order in which they are asked
 * @param isListed whether a list has the prices of a chain's tokens: then no quote is asked for them
 */
export function quoteSources(
  venuesOf: VenuesOf,
  isListed: (chain: Chain) => boolean,
  now: () => UnixMs,
): EachSource[] {
  const each = (of: "price" | "impact", ask: (token: MarketAsset) => Promise<Answer>): EachSource => ({
    asks: "each",
    name: "quotes",
    of: [of],
    ask: (tokens) =>
      askEach(
        tokens.filter(({ chain }) => of === "impact" || !isListed(chain)),
        ({ assetKey }) => assetKey,
        ask,
      ),
  });
  return [
    each("price", async (token) => answerOf(await priceOf(venuesOf(token.chain), token))),
    each("impact", async (token) => answerOf(await impactOf(venuesOf(token.chain), token, now))),
  ];
}

const answerOf = (statement: TokenPrice | ImpactState | null): Answer => {
  return { statements: statement === null ? [] : [statement], rejected: [] };
};

/** What a tiny buy costs; no route is no price. */
function priceOf(venues: readonly Venue[], token: MarketAsset): Promise<TokenPrice | null> {
  return firstOf(venues, async (venue) => {
    const tiny = await answering(endpointsOf(venue, token.chain), (quote) =>
      quote(buying(token, SIZES.tiny)),
    );
    if (tiny === null) return null;
    const { name } = venue;
    const stated = { subject: token.assetKey, source: name, origin: name, at: null, rawHash: tiny.rawHash };
    // A quote states no time of its own.
    return { ...stated, of: "price", by: "quote", figure: paidPerToken(token, tiny), paidIn: paidIn(token) };
  });
}

async function impactOf(
  venues: readonly Venue[],
  token: MarketAsset,
  now: () => UnixMs,
): Promise<ImpactState | null> {
  const [first] = venues;
  const measured = await firstOf(venues, (venue) => measure(venue, token, now));
  if (measured !== null || first === undefined) return measured;
  return {
    ...measuredBy(first, token),
    figure: null,
    impact1kBps: null,
    tinyPrice: null,
  };
}

const measuredBy = ({ name }: Venue, token: MarketAsset) =>
  ({
    of: "impact",
    subject: token.assetKey,
    source: name,
    origin: name,
    at: null,
    rawHash: null,
    paidIn: paidIn(token),
  }) as const;

/** Three quotes of one venue; null where it has no route for the tiny one. @throws QuotesApart */
function measure(venue: Venue, token: MarketAsset, now: () => UnixMs): Promise<ImpactState | null> {
  return answering(endpointsOf(venue, token.chain), async (quote) => {
    const turns = venue.turns(QUOTES_PER_SAMPLE);
    try {
      // Waiting for the first turn is no part of the sample.
      const began = await turns.begin().then(now);
      const tiny = await quote(buying(token, SIZES.tiny), turns);
      // Without it larger ones say nothing.
      if (tiny === null) return null;
      const [small, large] = await Promise.all([
        quote(buying(token, SIZES.small), turns),
        quote(buying(token, SIZES.large), turns),
      ]);
      const tookMs = now() - began;
      if (tookMs > MOST_APART_MS) throw new QuotesApart(venue.name, tookMs);
      return {
        ...measuredBy(venue, token),
        figure: impactBps(tiny, large),
        impact1kBps: impactBps(tiny, small),
        tinyPrice: paidPerToken(token, tiny),
      };
    } finally {
      turns.end();
    }
  });
}

/** @returns null when all have answered that they have no route: a venue that did not answer may have one */
async function firstOf<T>(
  venues: readonly Venue[],
  ask: (venue: Venue) => Promise<T | null>,
): Promise<T | null> {
  const faults: unknown[] = [];
  for (const venue of venues)
    try {
      const answer = await ask(venue);
      if (answer !== null) return answer;
    } catch (error) {
      faults.push(error);
    }
  if (faults.length > 0) throw new AggregateError(faults, "not every venue answered");
  return null;
}

const endpointsOf = ({ quotes }: Venue, chain: Chain): Ask[] =>
  quotes.map((ask) => (request, turns) => ask(chain, request, turns));

/**
 * What the first endpoint says that answers, for a whole sample: quotes of two endpoints find routes among different
 * pools, and do not compare. @throws the fault of the first, where none does
 */
async function answering<T>(endpoints: readonly Ask[], ask: (quote: Ask) => Promise<T>): Promise<T> {
  const faults: unknown[] = [];
  for (const quote of endpoints)
    try {
      return await ask(quote);
    } catch (fault) {
      faults.push(fault);
      // It answers, and is slow: another try takes as long.
      if (fault instanceof QuotesApart) break;
    }
  throw faults[0];
}

export function buying(token: Pick<MarketAsset, "chain" | "address">, usd: number): QuoteRequest {
  const { dollar } = CHAINS[token.chain];
  return {
    inputToken: dollar.address,
    outputToken: token.address,
    amountIn: (BigInt(usd) * 10n ** BigInt(dollar.decimals)).toString(),
  };
}

const paidIn = ({ chain }: MarketAsset) => (CHAINS[chain].dollar.priced ? "dollar" : "usd");

/** What a tiny buy paid, dollar tokens per whole raw token. */
function paidPerToken(token: MarketAsset, { amountOut }: Quote): string {
  const tokens = new ProviderDecimal(amountOut).dividedBy(new ProviderDecimal(10).pow(token.decimals));
  return new ProviderDecimal(SIZES.tiny).dividedBy(tokens).toDecimalPlaces(PRICE_PLACES).toFixed();
}

/** Places that are kept: the store rounds to fewer. */
const IMPACT_PLACES = 8;

/**
 * How much worse a large buy is than a tiny one of the same moment and the same settings, in bps, signed:
 * `((outTiny / inTiny) / (outLarge / inLarge) - 1) * 10^4`. Providers' own impact fields are not used:
 * they mix in fees and oracle gaps.
 * @returns decimal text; null where one of the two has no route, which is never 0
 */
export function impactBps(tiny: Quote | null, large: Quote | null): string | null {
  if (!tiny || !large) return null;
  // One division at the end: ratios of raw amounts have no finite decimals.
  const ratio = new ProviderDecimal(tiny.amountOut)
    .times(large.amountIn)
    .dividedBy(new ProviderDecimal(tiny.amountIn).times(large.amountOut));
  const bps = ratio.minus(1).times(10_000).toDecimalPlaces(IMPACT_PLACES);
  return bps.isZero() ? "0" : bps.toFixed();
}
