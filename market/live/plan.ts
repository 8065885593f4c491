/** What collecting asks of each provider, and how long a round takes: arithmetic over the token list and the limits. */
import { type Lane, shareOf, spacingOf } from "../providers/budgets.ts";
import { TOKENS_PER_REQUEST } from "../providers/dexscreener.ts";
import { IDS_PER_REQUEST } from "../providers/jupiter.ts";
import { LIMITS } from "../providers/limits.ts";
import { FEEDS_PER_REQUEST } from "../providers/pythHermes.ts";
import type { RateLimit } from "../providers/rate.ts";
import { type LiveAsset, onChain } from "./assets.ts";
import { QUOTES_PER_SAMPLE } from "./impacts.ts";
import { MOST_SINGLE_QUOTES } from "./references.ts";
import { canBePriced } from "./shares.ts";
import type { LiveDeps } from "./upstreams.ts";

/** Between the beginnings of two rounds of prices. */
export const ROUND_SECONDS = 300;
const MINUTE_MS = 60_000;

export interface ProviderPlan {
  readonly provider: string;
  /** Requests a minute: what the provider allows, what of it is kept for jobs, and what collectors may make. */
  readonly limit: number;
  readonly jobs: number;
  readonly collecting: number;
  /** Requests of one round of prices, of one round of impacts, and once at a fresh start. */
  readonly perRound: number;
  readonly perImpacts: number;
  readonly atStart: number;
  /** Seconds that those of a round of prices take by the collectors' share. */
  readonly roundSeconds: number;
  /** The same of a round of impacts, by what the prices leave. */
  readonly impactsSeconds: number;
  /** Requests a minute of both together; rounds of impacts follow each other, but begin no more often than those of prices. */
  readonly perMinute: number;
}

export interface Plan {
  readonly tokens: number;
  /** Tokens that can have a premium. */
  readonly priced: number;
  readonly providers: readonly ProviderPlan[];
  readonly roundSeconds: number;
  readonly impactsSeconds: number;
}

interface Asked {
  readonly rate: RateLimit;
  readonly perRound: number;
  readonly perImpacts?: number;
  readonly atStart?: number;
}

/** Of a day on which everybody answers; the venues and indexes that stand in for others are asked for nothing then. */
export function planOf(assets: readonly LiveAsset[], keys: NonNullable<LiveDeps["keys"]> = {}): Plan {
  const providers = Object.entries(askedOf(assets, keys)).map(([provider, asked]) => plan(provider, asked));
  const longest = (secondsOf: (provider: ProviderPlan) => number) =>
    providers.reduce((longest, provider) => Math.max(longest, secondsOf(provider)), 0);
  return {
    tokens: assets.length,
    priced: assets.filter((asset) => canBePriced(asset, keys)).length,
    providers,
    roundSeconds: longest(({ roundSeconds }) => roundSeconds),
    impactsSeconds: longest(({ impactsSeconds }) => impactsSeconds),
  };
}

function askedOf(
  assets: readonly LiveAsset[],
  keys: NonNullable<LiveDeps["keys"]>,
): Readonly<Record<string, Asked>> {
  const [solana, bnb] = [onChain(assets, "solana"), onChain(assets, "bnb")];
  const stocks = new Set(assets.map(({ underlying }) => underlying)).size;
  const lots = (count: number, size: number) => Math.ceil(count / size);
  // Prices of stocks are asked for again every minute while tokens are priced.
  const priced = assets.filter((asset) => canBePriced(asset, keys)).length;
  const minutes = Math.max(1, Math.ceil((priced * spacingOf(LIMITS.dexscreener, "collecting")) / MINUTE_MS));
  const pricedBnb = bnb.filter((asset) => canBePriced(asset, keys)).length;
  return {
    jupiter: {
      rate: keys.jupiter ? LIMITS.jupiterWithKey : LIMITS.jupiter,
      perRound: lots(solana.length, IDS_PER_REQUEST),
      perImpacts: solana.length * QUOTES_PER_SAMPLE,
    },
    pancakeswap: {
      rate: LIMITS.pancakeswap,
      perRound: pricedBnb,
      perImpacts: bnb.length * QUOTES_PER_SAMPLE,
    },
    dexscreener: {
      rate: LIMITS.dexscreener,
      perRound: assets.length,
      atStart: lots(solana.length, TOKENS_PER_REQUEST) + lots(bnb.length, TOKENS_PER_REQUEST),
    },
    hyperliquid: { rate: LIMITS.hyperliquid, perRound: minutes },
    binance: { rate: LIMITS.binance, perRound: 3 * minutes },
    ...(keys.pythHermes
      ? { pyth: { rate: LIMITS.pyth, perRound: lots(stocks, FEEDS_PER_REQUEST) * minutes, atStart: 1 } }
      : {}),
    ...(keys.binanceRwa ? { binanceRwa: { rate: LIMITS.binanceRwa, perRound: minutes } } : {}),
    // At most: of the stocks that no list states.
    ...(keys.finnhub
      ? { finnhub: { rate: LIMITS.finnhub, perRound: Math.min(MOST_SINGLE_QUOTES, stocks) } }
      : {}),
  };
}

function plan(provider: string, { rate, perRound, perImpacts = 0, atStart = 0 }: Asked): ProviderPlan {
  const aMinute = (lane: Lane) => (shareOf(rate, lane) * MINUTE_MS) / rate.perMs;
  const spacing = spacingOf(rate, "collecting") / 1_000;
  const roundSeconds = perRound * spacing;
  const left = 1 - roundSeconds / ROUND_SECONDS;
  const impactsSeconds = perImpacts === 0 ? 0 : (perImpacts * spacing) / Math.max(left, 1e-9);
  const every = Math.max(ROUND_SECONDS, Math.ceil(impactsSeconds / ROUND_SECONDS) * ROUND_SECONDS);
  return {
    provider,
    limit: (rate.requests * MINUTE_MS) / rate.perMs,
    jobs: aMinute("jobs"),
    collecting: aMinute("collecting"),
    perRound,
    perImpacts,
    atStart,
    roundSeconds,
    impactsSeconds,
    perMinute: (perRound / ROUND_SECONDS + perImpacts / every) * 60,
  };
}
