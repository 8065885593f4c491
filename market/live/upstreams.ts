/** The providers, connected once, and those of their lists that serve several questions of one round. */
import { eachAtOnce } from "../collect/eachAtOnce.ts";
import type { Failure } from "../collect/sources.ts";
import { createBinance } from "../providers/binance.ts";
import { createBinanceRwa, type ShareRatio } from "../providers/binanceRwa.ts";
import { createDexScreener, type DexScreener } from "../providers/dexscreener.ts";
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
import type { Batch, Pool, Rejected } from "../providers/records.ts";
import { type LiveAsset, onChain } from "./assets.ts";

export interface LiveDeps {
  readonly assets: readonly LiveAsset[];
  readonly fetch: typeof fetch;
  /** Unix milliseconds. */
  now(): number;
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
  /** Clock and chance of the adapters, for tests. */
  readonly adapters?: Pick<ProviderDeps, "clock" | "random">;
}

/** The answer of one list serves several questions of one round. */
const ROUND_MS = 60_000;
/** A request a token takes minutes; the next round asks again. */
const POOLS_MS = 240_000;
const FAILURE_MS = 20_000;
const TOKENS_AT_ONCE = 6;
const CLIENT_ID = "assay";

export type Upstreams = ReturnType<typeof connect>;

export function connect(deps: LiveDeps) {
  const { keys = {} } = deps;
  const at = (name: ProviderName): ProviderDeps => ({
    fetch: deps.fetch,
    ...deps.adapters,
    ...(deps.onOutcome === undefined ? {} : { onOutcome: deps.onOutcome }),
    ...(deps.baseUrls?.[name] === undefined ? {} : { baseUrl: deps.baseUrls[name] }),
  });
  const key = (apiKey: string | undefined) => (apiKey === undefined ? {} : { apiKey });
  const now = () => deps.now();
  const once = <T>(ask: () => Promise<T>) => memo(ask, ROUND_MS, now);
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
    onchainQuoter:
      deps.bnbRpcUrl === undefined
        ? undefined
        : createOnchainQuoter({
            fetch: deps.fetch,
            ...deps.adapters,
            ...(deps.onOutcome === undefined ? {} : { onOutcome: deps.onOutcome }),
            baseUrl: deps.bnbRpcUrl,
            venues: BNB_VENUES,
          }),

    dexscreener,
    pools: {
      solana: memo(() => poolsByToken(dexscreener, onChain(assets, "solana")), POOLS_MS, now),
      bnb: memo(() => poolsByToken(dexscreener, onChain(assets, "bnb")), POOLS_MS, now),
    },
    jupiterPrices: once(() =>
      jupiter.prices(
        onChain(assets, "solana").map(({ address, underlying }) => ({ mint: address, symbol: underlying })),
      ),
    ),
    hyperliquidPerps: once(() => hyperliquid.perps("xyz")),
    binancePerps: once(() => binance.stockPerps()),
    shareRatios: once(
      async (): Promise<Batch<ShareRatio>> => (await binanceRwa?.shareRatios()) ?? { rows: [], rejected: [] },
    ),
  };
}

/** A pool of two of the tokens comes once; a token whose pools cannot be had costs itself alone. */
async function poolsByToken(
  dexscreener: DexScreener,
  assets: readonly LiveAsset[],
): Promise<Batch<Pool> & { readonly failures: readonly Failure[] }> {
  const pools = new Map<string, Pool>();
  const rejected: Rejected[] = [];
  const failures: Failure[] = [];
  await eachAtOnce(assets, TOKENS_AT_ONCE, async ({ assetKey, chain, address }) => {
    try {
      const batch = await dexscreener.poolsOf(chain, address);
      for (const pool of batch.rows) pools.set(pool.poolAddress, pool);
      rejected.push(...batch.rejected);
    } catch (error) {
      failures.push({ subject: assetKey, error });
    }
  });
  const rows = [...pools.values()];
  return { rows, rejected: [...rejected, ...neverStated(rows)], failures };
}

/** Fewer pools than this may lack a figure by chance. */
const TELLING_POOLS = 5;
const FIGURES = {
  priceUsd: (pool: Pool) => pool.basePriceUsd,
  "volume.h24": (pool: Pool) => pool.volume24hUsd,
  "liquidity.usd": (pool: Pool) => pool.liquidityUsd,
};

/** A figure that any pool may lack, and that all of them do: the provider has renamed it. */
function neverStated(pools: readonly Pool[]): Rejected[] {
  if (pools.length < TELLING_POOLS) return [];
  return Object.entries(FIGURES)
    .filter(([, figureOf]) => pools.every((pool) => figureOf(pool) === null))
    .flatMap(([field]) =>
      pools.map(({ poolAddress }): Rejected => ({ key: poolAddress, reason: "shape", field })),
    );
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
