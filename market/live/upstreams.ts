/** The providers, connected once, and those of their lists that serve several questions of one round. */
import { createBinance } from "../providers/binance.ts";
import { createBinanceRwa, type ShareRatio } from "../providers/binanceRwa.ts";
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
import { addressesOf, type LiveAsset, onChain } from "./assets.ts";

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
  /** Clock and chance of the adapters, for tests. */
  readonly adapters?: Pick<ProviderDeps, "clock" | "random">;
}

/** The answer of one list serves several questions of one round. */
const ROUND_MS = 60_000;
const CLIENT_ID = "assay";

export type Upstreams = ReturnType<typeof connect>;

export function connect(deps: LiveDeps) {
  const { keys = {} } = deps;
  const at = (name: ProviderName): ProviderDeps => ({
    fetch: deps.fetch,
    ...deps.adapters,
    ...(deps.baseUrls?.[name] === undefined ? {} : { baseUrl: deps.baseUrls[name] }),
  });
  const key = (apiKey: string | undefined) => (apiKey === undefined ? {} : { apiKey });
  const once = <T>(ask: () => Promise<T>) => memo(ask, ROUND_MS, () => deps.now());
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
            baseUrl: deps.bnbRpcUrl,
            venues: BNB_VENUES,
          }),

    pools: {
      solana: once(() => dexscreener.poolsOfTokens("solana", addressesOf(onChain(assets, "solana")))),
      bnb: once(() => dexscreener.poolsOfTokens("bnb", addressesOf(onChain(assets, "bnb")))),
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

/** The same answer for a while; a failure is not kept. */
function memo<T>(ask: () => Promise<T>, ttlMs: number, now: () => number): () => Promise<T> {
  let kept: { readonly at: number; readonly answer: Promise<T> } | undefined;
  return () => {
    if (kept !== undefined && now() - kept.at < ttlMs) return kept.answer;
    const mine = { at: now(), answer: ask() };
    kept = mine;
    mine.answer.catch(() => {
      if (kept === mine) kept = undefined;
    });
    return mine.answer;
  };
}
