/** Price impact: quotes of one moment with the same settings, of the first venue that answers. */

import type { Impacts } from "../collect/sources.ts";
import { impactBps, type Quote, type QuoteRequest } from "../providers/quote.ts";
import { type Chain, Exact } from "../providers/values.ts";
import type { MarketAsset } from "../queries.ts";
import type { Upstreams } from "./upstreams.ts";

/** Dollars that tokens are bought with. */
const DOLLARS: Record<Chain, { readonly address: string; readonly decimals: number }> = {
  solana: { address: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", decimals: 6 },
  bnb: { address: "0x55d398326f99059fF775485246999027B3197955", decimals: 18 },
};
const PRICE_PLACES = 18;
const SIZES = { tiny: 20, small: 1_000, large: 10_000 };

type AskQuote = (request: QuoteRequest) => Promise<Quote | null>;

interface Venue {
  readonly source: string;
  /** Quotes of one moment: asked anew for each asset. */
  open(): Promise<AskQuote>;
}

/**
 * By the first venue that has a route; that one has none says nothing of the next.
 * @throws AggregateError of ProviderFaults when no venue answers
 */
export async function impactsOf(upstreams: Upstreams, asset: MarketAsset): Promise<Impacts> {
  return (
    (await firstOf(upstreams, asset.chain, (source, quote) => impactsBy(source, asset, quote))) ?? {
      source: venuesOf(upstreams, asset.chain)[0]?.source ?? "none",
      impact1kBps: null,
      impact10kBps: null,
    }
  );
}

/**
 * What a tiny buy costs, US dollars per whole raw token; null where no venue has a route.
 * @throws AggregateError of ProviderFaults when no venue answers
 */
export function priceByQuote(
  upstreams: Upstreams,
  asset: MarketAsset,
): Promise<{ source: string; tokenPriceUsd: string; at: number } | null> {
  return firstOf(upstreams, asset.chain, async (source, quote) => {
    const tiny = await quote(buying(asset, SIZES.tiny));
    if (tiny === null) return null;
    const tokens = new Exact(tiny.amountOut).dividedBy(new Exact(10).pow(asset.decimals));
    const tokenPriceUsd = new Exact(SIZES.tiny).dividedBy(tokens).toDecimalPlaces(PRICE_PLACES).toFixed();
    return { source, tokenPriceUsd, at: tiny.receivedAt };
  });
}

/** @returns null when all that answer have no route */
async function firstOf<T>(
  upstreams: Upstreams,
  chain: Chain,
  ask: (source: string, quote: AskQuote) => Promise<T | null>,
): Promise<T | null> {
  const faults: unknown[] = [];
  const venues = venuesOf(upstreams, chain);
  for (const { source, open } of venues)
    try {
      const answer = await ask(source, await open());
      if (answer !== null) return answer;
    } catch (error) {
      faults.push(error);
    }
  if (faults.length === venues.length) throw new AggregateError(faults, "no provider quotes");
  return null;
}

function venuesOf({ jupiter, pancakeswap, kyberswap, onchainQuoter }: Upstreams, chain: Chain): Venue[] {
  const venue = (source: string, ask: AskQuote): Venue => ({ source, open: async () => ask });
  if (chain === "solana")
    return [
      venue("jupiter", (request) => jupiter.order(request)),
      venue("jupiter", (request) => jupiter.quote(request)),
    ];
  const aggregators = [
    venue("pancakeswap", (request) => pancakeswap.quote(request)),
    venue("kyberswap", (request) => kyberswap.quote(request)),
  ];
  if (onchainQuoter === undefined) return aggregators;
  const onChain: Venue = {
    source: "chain",
    open: async () => {
      const block = await onchainQuoter.blockNumber();
      return (request) => onchainQuoter.quote(request, block);
    },
  };
  return [...aggregators, onChain];
}

function buying(asset: MarketAsset, usd: number): QuoteRequest {
  const dollar = DOLLARS[asset.chain];
  return {
    inputToken: dollar.address,
    outputToken: asset.address,
    amountIn: (BigInt(usd) * 10n ** BigInt(dollar.decimals)).toString(),
  };
}

/** Three quotes of one venue; null where it has no route for the tiny one, without which larger ones say nothing. */
async function impactsBy(source: string, asset: MarketAsset, quote: AskQuote): Promise<Impacts | null> {
  const tiny = await quote(buying(asset, SIZES.tiny));
  if (tiny === null) return null;
  return {
    source,
    impact1kBps: impactBps(tiny, await quote(buying(asset, SIZES.small))),
    impact10kBps: impactBps(tiny, await quote(buying(asset, SIZES.large))),
  };
}
