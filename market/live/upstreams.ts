/** The providers, connected once, and those of their lists that serve several questions of one round. */
import type { UnixMs } from "../../attestor/values/time.ts";
import { createBinance } from "../providers/binance.ts";
import { createBinanceRwa, type ShareRatio } from "../providers/binanceRwa.ts";
import { type Budgets, createBudgets } from "../providers/budgets.ts";
import { systemClock } from "../providers/clock.ts";
import { createDexScreener } from "../providers/dexscreener.ts";
import { createFinnhub } from "../providers/finnhub.ts";
import { createGeckoTerminal } from "../providers/geckoterminal.ts";
import type { ProviderDeps } from "../providers/http.ts";
import { createHyperliquid } from "../providers/hyperliquid.ts";
import { createJupiter } from "../providers/jupiter.ts";
import { createKyberSwap } from "../providers/kyberswap.ts";
import type { ProviderName } from "../providers/names.ts";
import { BNB_VENUES, createOnchainQuoter } from "../providers/onchainQuoter.ts";
import { createPancakeSwap } from "../providers/pancakeswap.ts";
import { createPythHermes } from "../providers/pythHermes.ts";
import type { Batch } from "../providers/records.ts";
import { type LiveAsset, onChain } from "./assets.ts";

/** On Solana, whose list of prices is asked for anyway: tokens on BNB chain are quoted in USDT. */
export const USDT_MINT = "Es9vMFrzaCERmJfrF4H2FYD4KCoNky11McCe8BenwNYB";

export interface LiveDeps {
  readonly assets: readonly LiveAsset[];
  readonly fetch: typeof fetch;
  now(): UnixMs;
  readonly keys?: {
    readonly jupiter?: string;
    readonly pancakeswap?: string;
    /** Without one Pyth is not asked for prices. */
    readonly pythHermes?: string;
    /** Without one Finnhub is not asked. */
    readonly finnhub?: string;
    /** Key and secret with a colon between. Without them tokens of Ondo and bStocks have no premium. */
    readonly binanceRwa?: string;
  };
  /** JSON-RPC of BNB chain, for quotes where the aggregators fail; without one it is not asked. */
  readonly bnbRpcUrl?: string;
  /** Other places to find the providers at. */
  readonly baseUrls?: Partial<Record<ProviderName, string>>;
  /** Told how each request to a provider ended. */
  readonly onOutcome?: ProviderDeps["onOutcome"];
  readonly watch?: ProviderDeps["watch"];
  /** What this process shares with others, and with its verifications; without it the limits are its own. */
  readonly budgets?: Budgets;
  /** Clock and chance of the adapters, for tests. */
  readonly adapters?: Pick<ProviderDeps, "clock" | "random">;
}

/** The answer of one list serves several questions of one round. */
const LIST_MS = 60_000;
/** Jupiter's prices take several requests of the scarcest limit: they serve a whole round, with their own time. */
const ROUND_MS = 240_000;
const FAILURE_MS = 20_000;
/** The second source of pools is slow: so many of its answers in so long. */
const MOST_SECOND_SOURCE = 20;
const SECOND_SOURCE_MS = 240_000;
const CLIENT_ID = "assay";

export type Upstreams = ReturnType<typeof connect>;

export function connect(deps: LiveDeps) {
  const { keys = {} } = deps;
  const clock = deps.adapters?.clock ?? systemClock;
  const budgets = deps.budgets ?? createBudgets({ clock });
  const at = (name: ProviderName): ProviderDeps => ({
    fetch: deps.fetch,
    budgets,
    ...deps.adapters,
    ...told(deps),
    ...(deps.baseUrls?.[name] === undefined ? {} : { baseUrl: deps.baseUrls[name] }),
  });
  const now = () => deps.now();
  const once = <T>(ask: () => Promise<T>) => memo(ask, LIST_MS, now);
  const { assets } = deps;

  const jupiter = createJupiter({ ...at("jupiter"), ...key(keys.jupiter) });
  const dexscreener = createDexScreener(at("dexscreener"));
  const hyperliquid = createHyperliquid(at("hyperliquid"));
  const binance = createBinance(at("binance"));
  const binanceRwa = keys.binanceRwa
    ? createBinanceRwa({ ...at("binanceRwa"), apiKey: keys.binanceRwa })
    : undefined;
  return {
    assets,
    clock,
    now,
    jupiter,
    pancakeswap: createPancakeSwap({ ...at("pancakeswap"), ...key(keys.pancakeswap) }),
    kyberswap: createKyberSwap({ ...at("kyberswap"), clientId: CLIENT_ID }),
    geckoterminal: createGeckoTerminal(at("geckoterminal")),
    /** Undefined without its key, as those below. */
    pyth:
      keys.pythHermes === undefined
        ? undefined
        : createPythHermes({ ...at("pythHermes"), apiKey: keys.pythHermes }),
    finnhub: keys.finnhub ? createFinnhub({ ...at("finnhub"), apiKey: keys.finnhub }) : undefined,
    hyperliquid,
    onchainQuoter: onchainQuoterOf(deps),

    dexscreener,
    /** Of tokens those whose pools the second source is asked for. */
    secondSource: ration<LiveAsset>(MOST_SECOND_SOURCE, SECOND_SOURCE_MS, now),
    /** Of the tokens on Solana, and of the dollar that others are quoted in. */
    jupiterPrices: memo(() => jupiter.prices(mintsOf(assets)), ROUND_MS, now),
    hyperliquidPerps: once(() => hyperliquid.perps("xyz")),
    binancePerps: once(() => binance.stockPerps()),
    shareRatios: once(
      async (): Promise<Batch<ShareRatio>> => (await binanceRwa?.shareRatios()) ?? { rows: [], rejected: [] },
    ),
  };
}

/** Who is told of requests. */
const told = ({ onOutcome, watch }: LiveDeps): Pick<ProviderDeps, "onOutcome" | "watch"> => ({
  ...(onOutcome === undefined ? {} : { onOutcome }),
  ...(watch === undefined ? {} : { watch }),
});

const key = (apiKey: string | undefined) => (apiKey === undefined ? {} : { apiKey });

/** Undefined without a node of BNB chain. */
function onchainQuoterOf(deps: LiveDeps) {
  if (deps.bnbRpcUrl === undefined) return undefined;
  return createOnchainQuoter({
    fetch: deps.fetch,
    ...deps.adapters,
    ...told(deps),
    baseUrl: deps.bnbRpcUrl,
    venues: BNB_VENUES,
  });
}

const mintsOf = (assets: readonly LiveAsset[]) => [
  ...onChain(assets, "solana").map(({ address, underlying }) => ({ mint: address, symbol: underlying })),
  { mint: USDT_MINT, symbol: "USDT" },
];

/** The first so many of what is asked for in a while, and none of the rest. */
function ration<T>(most: number, perMs: number, now: () => number): (list: readonly T[]) => readonly T[] {
  let begun = Number.NEGATIVE_INFINITY;
  let left = 0;
  return (list) => {
    if (now() - begun >= perMs) {
      begun = now();
      left = most;
    }
    const given = list.slice(0, left);
    left -= given.length;
    return given;
  };
}

/**
 * The same answer for a while. A failure is kept for a moment: what several questions of a round share is asked
 * once also when its provider is down, and does not cut off the provider's other answers.
 */
function memo<T>(ask: () => Promise<T>, ttlMs: number, now: () => number): () => Promise<T> {
  let kept: { readonly at: number; readonly answer: Promise<T>; ttlMs: number } | undefined;
  return () => {
    if (kept !== undefined && now() - kept.at < kept.ttlMs) return kept.answer;
    const mine = { at: now(), answer: ask(), ttlMs };
    kept = mine;
    mine.answer.catch(() => {
      mine.ttlMs = FAILURE_MS;
    });
    return mine.answer;
  };
}
