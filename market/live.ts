/**
 * The live market's sources out of the providers' adapters. Where one provider fails the next is asked, and
 * what nobody says is missing.
 */
import type { MarketAsset } from "./ask.ts";
import { createBinance, indexReference } from "./providers/binance.ts";
import { createDexScreener } from "./providers/dexscreener.ts";
import { createFinnhub } from "./providers/finnhub.ts";
import { createGeckoTerminal } from "./providers/geckoterminal.ts";
import type { ProviderDeps } from "./providers/http.ts";
import { createHyperliquid } from "./providers/hyperliquid.ts";
import { createJupiter } from "./providers/jupiter.ts";
import { createKyberSwap } from "./providers/kyberswap.ts";
import { BNB_VENUES, createOnchainQuoter } from "./providers/onchainQuoter.ts";
import { createPancakeSwap } from "./providers/pancakeswap.ts";
import { priceInPool, sumPools } from "./providers/pools.ts";
import { createPythHermes, type PythFeed } from "./providers/pythHermes.ts";
import { impactBps, type Quote, type QuoteRequest } from "./providers/quote.ts";
import type { Perp, Pool, ReferencePrice, Rejected } from "./providers/records.ts";
import { type Chain, sameAddress } from "./providers/values.ts";
import type { Rejection } from "./rejected.ts";
import type {
  Failure,
  Findings,
  Impacts,
  MarketSources,
  PerpState,
  StockPrice,
  TokenPrice,
  VolumeState,
} from "./sources.ts";
import { Exact } from "./units.ts";

export const PROVIDERS = [
  "jupiter",
  "pancakeswap",
  "kyberswap",
  "dexscreener",
  "geckoterminal",
  "pythHermes",
  "finnhub",
  "hyperliquid",
  "binance",
] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** How many shares a token is, as the registry says it. */
export interface LiveAsset extends MarketAsset {
  readonly shares: "multiplier" | "rebasing" | "ratio";
}

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
  };
  /** JSON-RPC of BNB chain, for quotes where the aggregators fail; without one it is not asked. */
  readonly bnbRpcUrl?: string;
  /** Other places to find the providers at. */
  readonly baseUrls?: Partial<Record<ProviderName, string>>;
  /** Clock and chance of the adapters, for tests. */
  readonly adapters?: Pick<ProviderDeps, "clock" | "random">;
  /** Shares per token of assets whose `shares` is `ratio`, by asset key. Without its ratio a token has no premium. */
  readonly ratios?: ReadonlyMap<string, string>;
}

/** Dollars that tokens are bought with. */
const DOLLARS: Record<Chain, { readonly address: string; readonly decimals: number }> = {
  solana: { address: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", decimals: 6 },
  bnb: { address: "0x55d398326f99059fF775485246999027B3197955", decimals: 18 },
};
const SIZES = { tiny: 20, small: 1_000, large: 10_000 };
/** The answer of one list serves several questions of one round. */
const ROUND_MS = 60_000;
/** The second source of pools is slow: so many of its answers in one round. */
const MOST_SECOND_SOURCE = 20;
const CLIENT_ID = "assay";

/**
 * Perpetuals whose name is the stock's: a name alone is no proof (`SP500` is no `SPY`). Extended by hand.
 */
const PERP_TICKERS = new Set(
  "AAPL ABNB AMD AMZN ARM AVGO BA BABA COIN COST CRCL CRWV CSCO DIS F GE GME GOOGL HD HOOD IBM INTC JPM KO LLY MA MCD META MRVL MSFT MSTR MU NFLX NKE NVDA ORCL PEP PFE PLTR PYPL QCOM RIVN SBUX SNOW TSLA TSM UBER V WMT XOM".split(
    " ",
  ),
);

export interface LiveMarket {
  readonly sources: MarketSources;
  readonly history: LiveHistory;
}

/** What providers know of the past. */
export interface LiveHistory {
  /** Hourly funding of a stock's perpetual, oldest first; empty where there is none. @throws ProviderFault */
  funding(
    underlying: string,
    from: number,
    to: number,
  ): Promise<{ source: string; at: number; rate: string; intervalHours: number }[]>;
  /** Price at the start of each hour of the deepest pool, oldest first, up to 1,000. @throws ProviderFault */
  prices(asset: MarketAsset, before: number): Promise<TokenPrice[]>;
}

export function createLiveMarket(deps: LiveDeps): LiveMarket {
  const at = (name: ProviderName): ProviderDeps => ({
    fetch: deps.fetch,
    ...deps.adapters,
    ...(deps.baseUrls?.[name] === undefined ? {} : { baseUrl: deps.baseUrls[name] }),
  });
  const key = (apiKey: string | undefined) => (apiKey === undefined ? {} : { apiKey });
  const jupiter = createJupiter({ ...at("jupiter"), ...key(deps.keys?.jupiter) });
  const pancakeswap = createPancakeSwap({ ...at("pancakeswap"), ...key(deps.keys?.pancakeswap) });
  const kyberswap = createKyberSwap({ ...at("kyberswap"), clientId: CLIENT_ID });
  const dexscreener = createDexScreener(at("dexscreener"));
  const geckoterminal = createGeckoTerminal(at("geckoterminal"));
  const pyth = createPythHermes({ ...at("pythHermes"), ...key(deps.keys?.pythHermes) });
  const finnhub = deps.keys?.finnhub
    ? createFinnhub({ ...at("finnhub"), apiKey: deps.keys.finnhub })
    : undefined;
  const hyperliquid = createHyperliquid(at("hyperliquid"));
  const binance = createBinance(at("binance"));
  const quoter =
    deps.bnbRpcUrl === undefined
      ? undefined
      : createOnchainQuoter({
          fetch: deps.fetch,
          ...deps.adapters,
          baseUrl: deps.bnbRpcUrl,
          venues: BNB_VENUES,
        });

  const byChain = (chain: Chain) => deps.assets.filter((asset) => asset.chain === chain);
  const once = <T>(ask: () => Promise<T>) => memo(ask, ROUND_MS, () => deps.now());
  const pools = {
    solana: once(() => dexscreener.poolsOfTokens("solana", addressesOf(byChain("solana")))),
    bnb: once(() => dexscreener.poolsOfTokens("bnb", addressesOf(byChain("bnb")))),
  };
  const jupiterPrices = once(() =>
    jupiter.prices(
      byChain("solana").map(({ address, underlying }) => ({ mint: address, symbol: underlying })),
    ),
  );
  const hyperliquidPerps = once(() => hyperliquid.perps("xyz"));
  const binancePerps = once(() => binance.stockPerps());
  const feeds = new Map<string, PythFeed | null>();

  /** A second at most: quotes of one moment with the same settings. The first venue that answers counts. */
  async function impactsOf(asset: MarketAsset): Promise<Impacts> {
    const faults: unknown[] = [];
    for (const ask of quotersOf(asset.chain))
      try {
        return await ask(asset);
      } catch (error) {
        faults.push(error);
      }
    throw new AggregateError(faults, "no provider quotes");
  }

  function quotersOf(chain: Chain): ((asset: MarketAsset) => Promise<Impacts>)[] {
    if (chain === "solana")
      return [
        (asset) => impactsBy("jupiter", asset, (request) => jupiter.order(request)),
        (asset) => impactsBy("jupiter", asset, (request) => jupiter.quote(request)),
      ];
    return [
      (asset) => impactsBy("pancakeswap", asset, (request) => pancakeswap.quote(request)),
      (asset) => impactsBy("kyberswap", asset, (request) => kyberswap.quote(request)),
      ...(quoter === undefined
        ? []
        : [
            async (asset: MarketAsset) => {
              const block = await quoter.blockNumber();
              return impactsBy("chain", asset, (request) => quoter.quote(request, block));
            },
          ]),
    ];
  }

  async function pricesOf(): Promise<Findings<TokenPrice>> {
    return gathered<TokenPrice>([
      ["jupiter", () => solanaPrices()],
      ["dexscreener", () => bnbPrices()],
    ]);
  }

  async function solanaPrices(): Promise<Findings<TokenPrice>> {
    const { rows, rejected } = await jupiterPrices();
    const byMint = new Map(rows.map((row) => [row.mint, row]));
    const prices = byChain("solana").flatMap((asset): TokenPrice[] => {
      const row = byMint.get(asset.address);
      // Jupiter's price of a scaled mint is per share already.
      const scaled = asset.shares === "multiplier";
      const sharesPerToken = scaled ? "1" : sharesOf(asset);
      if (row === undefined || sharesPerToken === null) return [];
      return [
        {
          assetKey: asset.assetKey,
          source: "jupiter",
          tokenPriceUsd: scaled ? row.usdPrice : row.usdPricePerToken,
          sharesPerToken,
          at: row.receivedAt,
        },
      ];
    });
    return { rows: prices, rejected: rejected.flatMap((each) => rejectionOf("price", "jupiter", each)) };
  }

  async function bnbPrices(): Promise<Findings<TokenPrice>> {
    const { rows, rejected } = await pools.bnb();
    const prices = byChain("bnb").flatMap((asset): TokenPrice[] => {
      const pool = deepest(rows, asset);
      const price = pool && priceInPool(pool, asset.address);
      const sharesPerToken = sharesOf(asset);
      if (!pool || price === null || price === undefined || sharesPerToken === null) return [];
      return [
        {
          assetKey: asset.assetKey,
          source: pool.provider,
          tokenPriceUsd: price,
          sharesPerToken,
          at: pool.receivedAt,
        },
      ];
    });
    return { rows: prices, rejected: rejected.flatMap((each) => rejectionOf("price", "dexscreener", each)) };
  }

  /** Null: not known, and one share would be a guess. */
  function sharesOf({ assetKey, shares }: LiveAsset): string | null {
    return shares === "rebasing" ? "1" : (deps.ratios?.get(assetKey) ?? null);
  }

  /** In the order of trust: those with a time of their own first, those that follow the token itself last. */
  async function referencesOf(underlyings: readonly string[]): Promise<Findings<StockPrice>> {
    const wanted = new Set(underlyings);
    const found = await gathered<StockPrice>([
      ...(deps.keys?.pythHermes === undefined
        ? []
        : [["pyth", () => pythPrices(underlyings)] as [string, () => Promise<Findings<StockPrice>>]]),
      [
        "jupiter",
        async () => ({
          rows: (await jupiterPrices()).rows.flatMap(({ stock }) => (stock ? [stockPrice(stock)] : [])),
        }),
      ],
      [
        "hyperliquid",
        async () => ({
          rows: stocksAmong((await hyperliquidPerps()).rows).map((perp) => ({
            underlying: perp.ticker,
            source: "hyperliquid",
            priceUsd: perp.indexPrice,
            publishedAt: perp.publishedAt,
          })),
        }),
      ],
      [
        "binance",
        async () => ({
          rows: stocksAmong((await binancePerps()).rows).map((perp) => stockPrice(indexReference(perp))),
        }),
      ],
    ]);
    const rows = found.rows.filter(({ underlying }) => wanted.has(underlying));
    const known = new Set(rows.map(({ underlying }) => underlying));
    // One request a stock: for those alone that nobody else knows.
    const missing = finnhub ? underlyings.filter((underlying) => !known.has(underlying)) : [];
    const more = await gathered<StockPrice>(
      missing.map((underlying) => [
        underlying,
        async () => {
          const quote = await finnhub?.quote(underlying);
          return { rows: quote ? [stockPrice(quote)] : [] };
        },
      ]),
    );
    return {
      ...found,
      rows: [...rows, ...more.rows],
      failures: [...(found.failures ?? []), ...(more.failures ?? [])],
    };
  }

  async function pythPrices(underlyings: readonly string[]): Promise<Findings<StockPrice>> {
    for (const underlying of underlyings)
      if (!feeds.has(underlying)) {
        const { rows } = await pyth.catalogue(underlying);
        feeds.set(underlying, rows.find(({ symbol }) => symbol === underlying) ?? null);
      }
    const known = underlyings.flatMap((underlying) => feeds.get(underlying) ?? []);
    const { rows, rejected } = await pyth.latest(known);
    return {
      rows: rows.map(stockPrice),
      rejected: rejected.flatMap((each) => rejectionOf("reference", "pyth", each)),
    };
  }

  /** One perpetual a stock: venues differ, and a series that changes between them would show it as basis. */
  async function perpsOf(underlyings: readonly string[]): Promise<Findings<PerpState>> {
    const found = await gathered<PerpState>([
      ["hyperliquid", async () => perpStates("hyperliquid", await hyperliquidPerps())],
      ["binance", async () => perpStates("binance", await binancePerps())],
    ]);
    const wanted = new Set(underlyings);
    const chosen = new Map<string, PerpState>();
    for (const row of found.rows)
      if (wanted.has(row.underlying) && !chosen.has(row.underlying)) chosen.set(row.underlying, row);
    return { ...found, rows: [...chosen.values()] };
  }

  async function volumesOf(): Promise<Findings<VolumeState>> {
    return gathered<VolumeState>(
      (["solana", "bnb"] as const).map((chain) => [`volumes of ${chain}`, () => volumesOn(chain)]),
    );
  }

  async function volumesOn(chain: Chain): Promise<Findings<VolumeState>> {
    const assets = byChain(chain);
    try {
      const { rows, rejected } = await pools[chain]();
      return {
        rows: volumeStates(assets, rows, "dexscreener"),
        rejected: rejected.flatMap((each) => rejectionOf("volume", "dexscreener", each)),
      };
    } catch (error) {
      const rows: Pool[] = [];
      const asked = assets.slice(0, MOST_SECOND_SOURCE);
      for (const { address } of asked) rows.push(...(await geckoterminal.poolsOf(chain, address)).rows);
      return {
        rows: volumeStates(asked, rows, "geckoterminal"),
        failures: [{ subject: "dexscreener", error }],
      };
    }
  }

  const history: LiveHistory = {
    async funding(underlying, from, to) {
      const perps = stocksAmong((await hyperliquidPerps()).rows);
      const perp = perps.find(({ ticker }) => ticker === underlying);
      if (!perp) return [];
      const points = await hyperliquid.fundingHistory(perp.market, from, to);
      return points.map(({ at, rate }) => ({
        source: "hyperliquid",
        at,
        rate,
        intervalHours: perp.fundingIntervalHours,
      }));
    },
    async prices(asset, before) {
      const listed = deps.assets.find(({ assetKey }) => assetKey === asset.assetKey);
      const sharesPerToken = listed && sharesOf(listed);
      const pool = deepest((await pools[asset.chain]()).rows, asset);
      if (!pool || !sharesPerToken) return [];
      const side = sameAddress(asset.chain, pool.baseToken, asset.address) ? "base" : "quote";
      const { rows } = await geckoterminal.hourlyCandles(asset.chain, pool.poolAddress, before, side);
      return rows.map(({ at, open }) => ({
        assetKey: asset.assetKey,
        source: "geckoterminal",
        tokenPriceUsd: open,
        sharesPerToken,
        at,
      }));
    },
  };
  return { sources: { impactsOf, pricesOf, referencesOf, perpsOf, volumesOf }, history };
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

/** Asks all at once; the order of the rows is that of the providers. What fails is a failure of its own. */
async function gathered<T>(
  parts: readonly (readonly [name: string, ask: () => Promise<Findings<T>>])[],
): Promise<Findings<T>> {
  const answers = await Promise.all(
    parts.map(async ([name, ask]): Promise<Findings<T>> => {
      try {
        return await ask();
      } catch (error) {
        return { rows: [], failures: [{ subject: name, error }] };
      }
    }),
  );
  return {
    rows: answers.flatMap(({ rows }) => rows),
    failures: answers.flatMap(({ failures }): readonly Failure[] => failures ?? []),
    rejected: answers.flatMap(({ rejected }): readonly Rejection[] => rejected ?? []),
  };
}

/** What a provider simply does not have is no rejection. */
function rejectionOf(kind: string, provider: string, { key, reason }: Rejected): Rejection[] {
  return reason === "missing" ? [] : [{ kind, subject: key, reason, sample: { provider } }];
}

function stockPrice({ symbol, provider, price, publishedAt }: ReferencePrice): StockPrice {
  return { underlying: symbol, source: provider, priceUsd: price, publishedAt };
}

function stocksAmong(perps: readonly Perp[]): Perp[] {
  return perps.filter(({ ticker }) => PERP_TICKERS.has(ticker));
}

function perpStates(
  source: string,
  batch: { rows: readonly Perp[]; rejected: readonly Rejected[] },
): Findings<PerpState> {
  return {
    rows: stocksAmong(batch.rows).map((perp) => ({
      underlying: perp.ticker,
      source,
      markUsd: perp.markPrice,
      fundingRate: perp.fundingRate,
      fundingIntervalHours: perp.fundingIntervalHours,
      at: perp.receivedAt,
    })),
    rejected: batch.rejected.flatMap((each) => rejectionOf("perp", source, each)),
  };
}

/** A pool of two listed tokens belongs to its base token, so that sums over tokens count it once. */
function volumeStates(assets: readonly MarketAsset[], pools: readonly Pool[], source: string): VolumeState[] {
  const owned = new Map<string, Pool[]>();
  for (const pool of pools) {
    const owner = (["baseToken", "quoteToken"] as const)
      .map((side) => assets.find(({ chain, address }) => sameAddress(chain, pool[side], address)))
      .find((asset) => asset !== undefined);
    if (owner) owned.set(owner.assetKey, [...(owned.get(owner.assetKey) ?? []), pool]);
  }
  return [...owned].map(([assetKey, list]) => {
    const { volume24hUsd, liquidityUsd } = sumPools(list);
    return {
      assetKey,
      source,
      volume24hUsd,
      liquidityUsd,
      at: Math.max(...list.map((pool) => pool.receivedAt)),
    };
  });
}

/** The token's pool with the most liquidity. */
function deepest(pools: readonly Pool[], { chain, address }: MarketAsset): Pool | undefined {
  return pools
    .filter((pool) => pool.chain === chain && priceInPool(pool, address) !== null)
    .reduce<Pool | undefined>(
      (best, pool) =>
        best === undefined || new Exact(pool.liquidityUsd ?? 0).gt(best.liquidityUsd ?? 0) ? pool : best,
      undefined,
    );
}

function addressesOf(assets: readonly MarketAsset[]): string[] {
  return assets.map(({ address }) => address);
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
