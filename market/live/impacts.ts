/** Price impact: quotes of one moment with the same settings, of the first venue that answers. */

import type { Impacts } from "../collect/sources.ts";
import { impactBps, type Quote, type QuoteRequest } from "../providers/quote.ts";
import type { Chain } from "../providers/values.ts";
import type { MarketAsset } from "../queries.ts";
import type { Upstreams } from "./upstreams.ts";

/** Dollars that tokens are bought with. */
const DOLLARS: Record<Chain, { readonly address: string; readonly decimals: number }> = {
  solana: { address: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", decimals: 6 },
  bnb: { address: "0x55d398326f99059fF775485246999027B3197955", decimals: 18 },
};
const SIZES = { tiny: 20, small: 1_000, large: 10_000 };

/** @throws AggregateError of ProviderFaults when no venue answers */
export async function impactsOf(upstreams: Upstreams, asset: MarketAsset): Promise<Impacts> {
  const faults: unknown[] = [];
  for (const ask of quotersOf(upstreams, asset.chain))
    try {
      return await ask(asset);
    } catch (error) {
      faults.push(error);
    }
  throw new AggregateError(faults, "no provider quotes");
}

function quotersOf(upstreams: Upstreams, chain: Chain): ((asset: MarketAsset) => Promise<Impacts>)[] {
  const { jupiter, pancakeswap, kyberswap, onchainQuoter } = upstreams;
  if (chain === "solana")
    return [
      (asset) => impactsBy("jupiter", asset, (request) => jupiter.order(request)),
      (asset) => impactsBy("jupiter", asset, (request) => jupiter.quote(request)),
    ];
  return [
    (asset) => impactsBy("pancakeswap", asset, (request) => pancakeswap.quote(request)),
    (asset) => impactsBy("kyberswap", asset, (request) => kyberswap.quote(request)),
    ...(onchainQuoter === undefined
      ? []
      : [
          async (asset: MarketAsset) => {
            const block = await onchainQuoter.blockNumber();
            return impactsBy("chain", asset, (request) => onchainQuoter.quote(request, block));
          },
        ]),
  ];
}

/** Three quotes of one venue. Only what quotes the tiny amount can say that there is no route for more. */
async function impactsBy(
  source: string,
  asset: MarketAsset,
  quote: (request: QuoteRequest) => Promise<Quote | null>,
): Promise<Impacts> {
  const dollar = DOLLARS[asset.chain];
  const ask = (usd: number) =>
    quote({
      inputToken: dollar.address,
      outputToken: asset.address,
      amountIn: (BigInt(usd) * 10n ** BigInt(dollar.decimals)).toString(),
    });
  const tiny = await ask(SIZES.tiny);
  if (tiny === null) return { source, impact1kBps: null, impact10kBps: null };
  return {
    source,
    impact1kBps: impactBps(tiny, await ask(SIZES.small)),
    impact10kBps: impactBps(tiny, await ask(SIZES.large)),
  };
}
