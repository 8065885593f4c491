/** The local world's registry: its assets with the feeds that price them, and the routes on its DEXes. */
import { keccak256 } from "ethers";
import { uintWord } from "../attestor/evm/words.ts";
import { poolAddress } from "../attestor/pools/create2.ts";
import type { Asset, Registry, Route } from "../attestor/registry.ts";
import type { MultiplierLayout } from "../attestor/shares.ts";
import type { PriceSource, TokenSource } from "../attestor/sources.ts";
import { assetKeyOf } from "../attestor/values/primitives.ts";
import { V2_PAIR, V2_ROUTER, V3_POOL, V3_ROUTER } from "./artifacts.ts";
import type { Dex } from "./dex/deploy.ts";
import type { Pool } from "./dex/pools.ts";
import { AGGREGATOR_DECIMALS, DOLLAR_FEED_ID, DOLLAR_SYMBOL, pythFeedId, pythSymbol } from "./references.ts";
import { ISSUER, type PoolPlan, STOCKS, type StockPlan } from "./stocks.ts";

/** Where `LocalStock` keeps its multiplier; a test compares this with the compiler's layout. */
const LOCAL_STOCK_LAYOUT: MultiplierLayout = {
  uiMultiplier: uintWord(7),
  newUIMultiplier: uintWord(8),
  effectiveAt: uintWord(6),
};

/** Every token says all of itself. */
const TOKEN_SOURCES: TokenSource[] = [
  { source: "erc-8056" },
  { source: "halt-flag", function: "tradingHalted" },
];

/** Addresses of what is on the chain. */
export interface Placed {
  readonly chainId: number;
  readonly dex: Dex;
  readonly pyth: string;
  readonly dollar: { readonly address: string; readonly aggregator: string };
  readonly stocks: readonly PlacedStock[];
}

export interface PlacedStock {
  readonly plan: StockPlan;
  readonly address: string;
  /** The aggregators of the running price and of the official close. */
  readonly live: string;
  readonly close: string;
}

export function registryOf(placed: Placed): Registry {
  const { chainId, dex, stocks } = placed;
  return {
    version: "local-4",
    chainId,
    assets: [...stocks.map((stock) => stockAsset(placed, stock)), dollarAsset(placed)],
    routes: routesOf(chainId, dex),
  };
}

export function routesOf(chainId: number, dex: Dex): Route[] {
  const feeTiers = STOCKS.flatMap(({ pools }) => pools)
    .filter(({ kind }) => kind === "uniswap-v3")
    .map(({ fee }) => fee);
  return [
    {
      name: "uniswap-v2",
      kind: "uniswap-v2",
      chainId,
      address: dex.v2.router,
      selector: V2_ROUTER.abi.getFunction("swapExactTokensForTokens")!.selector,
      factory: dex.v2.factory,
      pools: {
        deployer: dex.v2.factory,
        initCodeHash: keccak256(V2_PAIR.bytecode),
        layout: "uniswap-v2",
        feeBps: 30,
      },
    },
    {
      name: "uniswap-v3",
      kind: "uniswap-v3",
      chainId,
      address: dex.v3.router,
      selector: V3_ROUTER.abi.getFunction("exactInputSingle")!.selector,
      factory: dex.v3.factory,
      quoter: dex.v3.quoter,
      feeTiers: [...new Set(feeTiers)].sort((a, b) => a - b),
      pools: {
        deployer: dex.v3.factory,
        initCodeHash: keccak256(V3_POOL.bytecode),
        layout: "uniswap-v3",
      },
    },
  ];
}

/** The pool of a plan, at the address that follows from its tokens. */
export function poolOf(routes: readonly Route[], plan: PoolPlan, stock: string, dollar: string): Pool {
  const route = routes.find(({ kind }) => kind === plan.kind)!;
  const fee = plan.kind === "uniswap-v2" ? null : plan.fee;
  return { ...plan, stock, dollar, address: poolAddress(route, stock, dollar, fee)! };
}

function stockAsset({ chainId, pyth }: Placed, { plan, address, live, close }: PlacedStock): Asset {
  const { symbol, name, underlying } = plan;
  const pair = `${underlying} / USD`;
  return {
    assetKey: assetKeyOf(chainId, address),
    chainId,
    address,
    symbol,
    name,
    kind: "stock",
    underlying,
    issuer: ISSUER,
    decimals: 18,
    tokenKind: "scaled",
    multiplierLayout: LOCAL_STOCK_LAYOUT,
    tokenSources: TOKEN_SOURCES,
    priceSources: [
      ...pythSources(pyth, pythSymbol(underlying), pythFeedId(underlying)),
      aggregatorSource("live", pair, live),
      aggregatorSource("close", `${pair} official close`, close),
    ],
  };
}

function dollarAsset({ chainId, pyth, dollar }: Placed): Asset {
  return {
    assetKey: assetKeyOf(chainId, dollar.address),
    chainId,
    address: dollar.address,
    symbol: "USDL",
    name: "Local Dollar",
    kind: "settlement",
    underlying: null,
    issuer: null,
    decimals: 6,
    tokenSources: [],
    priceSources: [
      ...pythSources(pyth, DOLLAR_SYMBOL, DOLLAR_FEED_ID),
      aggregatorSource("live", "USDL / USD", dollar.aggregator),
    ],
  };
}

/** Pyth's price over HTTP, where it is signed, and on the chain. */
const pythSources = (address: string, symbol: string, feedId: string): PriceSource[] => [
  { provider: "pyth-hermes", kind: "live", symbol, feedId },
  { provider: "pyth", kind: "live", symbol, address, feedId },
];

const aggregatorSource = (kind: "live" | "close", symbol: string, address: string): PriceSource => ({
  provider: "chainlink",
  kind,
  symbol,
  address,
  decimals: AGGREGATOR_DECIMALS,
});
