/** Price impact: quotes of one moment with the same settings, of the first venue that has a route. */
import { CHAINS, type Chain, chainsOf } from "../../attestor/chains.ts";
import type { Impacts, TokenPrice } from "../collect/sources.ts";
import { impactBps, type Quote, type QuoteRequest } from "../providers/quote.ts";
import type { Turns } from "../providers/rate.ts";
import { ProviderDecimal } from "../providers/values.ts";
import type { MarketAsset } from "../queries.ts";
import type { Dollar } from "./dollar.ts";
import type { Upstreams } from "./upstreams.ts";

const PRICE_PLACES = 18;
const SIZES = { tiny: 20, small: 1_000, large: 10_000 };
/** Requests of one sample. */
const QUOTES_PER_SAMPLE = Object.keys(SIZES).length;
/** From asking for the first quote of a sample to having the last; later ones would compare two moments. */
export const MOST_APART_MS = 2_000;

type Ask = (request: QuoteRequest, turns?: Turns) => Promise<Quote | null>;

interface Venue {
  readonly source: string;
  /**
   * Where the first of several endpoints does not answer, the next is asked for the whole sample: quotes of two endpoints
   * find routes among different pools, and do not compare.
   */
  readonly endpoints: readonly Ask[];
  /** Turns for the quotes of a sample. */
  turns(count: number): Promise<Turns>;
}

/** A sample whose quotes are not of one moment. */
export class QuotesApart extends Error {
  constructor(source: string, ms: number) {
    super(`${source}: the quotes of a sample took ${ms} ms, at most ${MOST_APART_MS} are one moment`);
    this.name = "QuotesApart";
  }
}

/**
 * By the first venue that has a route; that one has none says nothing of the next.
 * @throws AggregateError of ProviderFaults and QuotesApart when no venue has a route and not all of them said so
 */
export async function impactsOf(upstreams: Upstreams, asset: MarketAsset): Promise<Impacts> {
  return (
    (await firstOf(upstreams, asset.chain, (venue) => impactsBy(upstreams, venue, asset))) ?? {
      source: venuesOf(upstreams, asset.chain)[0]?.source ?? "none",
      impact1kBps: null,
      impact10kBps: null,
      tinyPriceUsd: null,
    }
  );
}

/**
 * What a tiny buy costs, US dollars per whole raw token. Null where no venue has a route, or no source prices the
 * dollar token that pays for it.
 * @throws AggregateError of ProviderFaults when no venue has a route and not all of them said so
 */
export function priceByQuote(upstreams: Upstreams, asset: MarketAsset): Promise<TokenPrice | null> {
  return firstOf(upstreams, asset.chain, async ({ source, endpoints }) => {
    const tiny = await answering(endpoints, (quote) => quote(buying(asset, SIZES.tiny)));
    const paid = tiny && paidUsd(asset, tiny, isPriced(asset) ? await upstreams.dollar() : ONE);
    // A quote states no time of its own.
    const stated = {
      assetKey: asset.assetKey,
      kind: "quote",
      source,
      origin: source,
      publishedAt: null,
    } as const;
    return paid && { ...stated, ...paid };
  });
}

/** A dollar token that counts as a dollar. */
const ONE = { usd: "1" };
const isPriced = ({ chain }: MarketAsset) => CHAINS[chain].dollar.priced;

/** What a tiny buy paid, US dollars per whole raw token; null: nobody says what the dollar token is worth. */
function paidUsd(
  asset: MarketAsset,
  { amountOut }: Quote,
  dollar: (Pick<Dollar, "usd"> & Partial<Pick<Dollar, "state">>) | null,
): Pick<TokenPrice, "tokenPriceUsd" | "converted"> | null {
  if (dollar === null || dollar.usd === null) return null;
  const tokens = new ProviderDecimal(amountOut).dividedBy(new ProviderDecimal(10).pow(asset.decimals));
  const paid = new ProviderDecimal(SIZES.tiny).times(dollar.usd).dividedBy(tokens);
  return {
    tokenPriceUsd: paid.toDecimalPlaces(PRICE_PLACES).toFixed(),
    ...(dollar.state && { converted: dollar.state }),
  };
}

/** @returns null when all have answered that they have no route: a venue that did not answer may have one */
async function firstOf<T>(
  upstreams: Upstreams,
  chain: Chain,
  ask: (venue: Venue) => Promise<T | null>,
): Promise<T | null> {
  const faults: unknown[] = [];
  for (const venue of venuesOf(upstreams, chain))
    try {
      const answer = await ask(venue);
      if (answer !== null) return answer;
    } catch (error) {
      faults.push(error);
    }
  if (faults.length > 0) throw new AggregateError(faults, "not every venue answered");
  return null;
}

const venuesOf = ({ quotes }: Upstreams, chain: Chain): Venue[] =>
  quotes
    .filter(({ name }) => chainsOf(name).includes(chain))
    .map(({ name, endpoints, turns }) => ({
      source: name,
      endpoints: endpoints.map((ask) => (request, waited) => ask(chain, request, waited)),
      turns,
    }));

/** What the first endpoint says that answers. @throws the fault of the first, where none does */
async function answering<T>(endpoints: Venue["endpoints"], ask: (quote: Ask) => Promise<T>): Promise<T> {
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

function buying(asset: MarketAsset, usd: number): QuoteRequest {
  const { dollar } = CHAINS[asset.chain];
  return {
    inputToken: dollar.address,
    outputToken: asset.address,
    amountIn: (BigInt(usd) * 10n ** BigInt(dollar.decimals)).toString(),
  };
}

/** Three quotes of one venue; null where it has no route for the tiny one. @throws QuotesApart */
function impactsBy(
  upstreams: Upstreams,
  { source, endpoints, turns }: Venue,
  asset: MarketAsset,
): Promise<Impacts | null> {
  const { clock } = upstreams;
  return answering(endpoints, async (quote) => {
    const waited = await turns(QUOTES_PER_SAMPLE);
    try {
      const began = clock.now();
      const tiny = await quote(buying(asset, SIZES.tiny), waited);
      // Without it larger ones say nothing.
      if (tiny === null) return null;
      const [small, large] = await Promise.all([
        quote(buying(asset, SIZES.small), waited),
        quote(buying(asset, SIZES.large), waited),
      ]);
      const tookMs = clock.now() - began;
      if (tookMs > MOST_APART_MS) throw new QuotesApart(source, tookMs);
      const dollar = isPriced(asset) ? upstreams.knownDollar() : ONE;
      const tinyPriceUsd = paidUsd(asset, tiny, dollar)?.tokenPriceUsd ?? null;
      return {
        source,
        impact1kBps: impactBps(tiny, small),
        impact10kBps: impactBps(tiny, large),
        tinyPriceUsd,
      };
    } finally {
      waited.end();
    }
  });
}
