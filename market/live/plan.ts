/** What collecting asks of each provider, and how long a round takes: arithmetic over the token list and the limits. */
import { CHAIN_NAMES, type Chain } from "../../attestor/chains.ts";
import { type Lane, shareOf, spacingOf } from "../providers/budgets.ts";
import { DEXSCREENER } from "../providers/dexscreener.ts";
import { type Asked, type Load, MINUTE_MS, type Provider, rateOf } from "../providers/provider.ts";
import { isAsked, type Keys, type Limits, PROVIDERS, type ProviderName } from "../providers/providers.ts";
import type { RateLimit } from "../providers/rate.ts";
import { type LiveAsset, onChain } from "./assets.ts";
import { QUOTES_PER_SAMPLE } from "./impacts.ts";
import { canBePriced, whyUnpriced } from "./shares.ts";

/** Between the beginnings of two rounds of prices. */
export const ROUND_SECONDS = 300;

export type ProviderPlan = ReturnType<typeof plan>;
export type Plan = ReturnType<typeof planOf>;

/** Of a day on which every provider answers; fallback venues and indexes get no requests then. */
export function planOf(assets: readonly LiveAsset[], keys: Keys = {}, limits: Limits = {}) {
  const rateIn = (one: Provider<ProviderName>) => rateOf(one, keys[one.name], limits[one.name]);
  const load = loadOf(assets, keys, rateIn(DEXSCREENER));
  const providers = PROVIDERS.filter((one) => isAsked(one, keys)).flatMap((one) => {
    const asked = one.asks?.(load);
    return asked ? [plan(one.name, rateIn(one), asked)] : [];
  });
  const longest = (secondsOf: (provider: ProviderPlan) => number) =>
    providers.reduce((longest, provider) => Math.max(longest, secondsOf(provider)), 0);
  return {
    tokens: assets.length,
    /** Tokens that can have a premium. */
    priced: assets.filter((asset) => canBePriced(asset, keys)).length,
    /** Why the others cannot, with how many they are. */
    unpriced: unpricedOf(assets, keys),
    providers,
    roundSeconds: longest(({ roundSeconds }) => roundSeconds),
    impactsSeconds: longest(({ impactsSeconds }) => impactsSeconds),
  };
}

function unpricedOf(assets: readonly LiveAsset[], keys: Keys) {
  const unpriced = new Map<string, { issuer: string; chain: Chain; count: number; why: string }>();
  for (const asset of assets) {
    const why = whyUnpriced(asset, Boolean(keys.binanceRwa));
    const { issuer, chain } = asset;
    const key = `${issuer} ${chain}`;
    if (why !== null) unpriced.set(key, { issuer, chain, count: (unpriced.get(key)?.count ?? 0) + 1, why });
  }
  return [...unpriced.values()];
}

function loadOf(assets: readonly LiveAsset[], keys: Keys, pools: RateLimit): Load {
  const priced = assets.filter((asset) => canBePriced(asset, keys));
  const byChain = (list: readonly LiveAsset[]) =>
    Object.fromEntries(CHAIN_NAMES.map((chain) => [chain, onChain(list, chain).length])) as Load["tokens"];
  // Prices of stocks are asked for again every minute while the pools of tokens are.
  const pricing = priced.length * spacingOf(pools, "collecting");
  return {
    tokens: byChain(assets),
    priced: byChain(priced),
    stocks: new Set(assets.map(({ underlying }) => underlying)).size,
    lists: Math.max(1, Math.ceil(pricing / MINUTE_MS)),
    quotes: QUOTES_PER_SAMPLE,
  };
}

function plan(provider: string, rate: RateLimit, { perRound, perImpacts = 0, atStart = 0 }: Asked) {
  const aMinute = (lane: Lane) => (shareOf(rate, lane) * MINUTE_MS) / rate.perMs;
  const spacing = spacingOf(rate, "collecting") / 1_000;
  const roundSeconds = perRound * spacing;
  const left = 1 - roundSeconds / ROUND_SECONDS;
  const impactsSeconds = perImpacts === 0 ? 0 : (perImpacts * spacing) / Math.max(left, 1e-9);
  const every = Math.max(ROUND_SECONDS, Math.ceil(impactsSeconds / ROUND_SECONDS) * ROUND_SECONDS);
  return {
    provider,
    /** Requests a minute: what the provider allows, what of it is kept for jobs, and what collectors may make. */
    limit: (rate.requests * MINUTE_MS) / rate.perMs,
    jobs: aMinute("jobs"),
    collecting: aMinute("collecting"),
    /** Requests of one round of prices, of one round of impacts, and once at a fresh start. */
    ...{ perRound, perImpacts, atStart },
    /** Seconds that those of a round of prices take by the collectors' share. */
    roundSeconds,
    /** The same of a round of impacts, by what the prices leave. */
    impactsSeconds,
    /** Requests a minute of both together; rounds of impacts follow each other, but begin no more often than those of prices. */
    perMinute: (perRound / ROUND_SECONDS + perImpacts / every) * 60,
  };
}
