/** What the local world states: read from its chain, and simulated beside it. */
import { Contract, type JsonRpcProvider } from "ethers";
import { median } from "../../attestor/evidence/figures.ts";
import { poolAddress } from "../../attestor/pools/create2.ts";
import { type Asset, findAsset } from "../../attestor/registry.ts";
import { sharesPerUnit } from "../../attestor/shares.ts";
import { isChainPrice } from "../../attestor/sources.ts";
import { createBlockReader } from "../../chain/blockReads.ts";
import { createCaches } from "../../chain/caches.ts";
import type { Deployment } from "../../chain/deployment.ts";
import { bestQuote } from "../../chain/dex/best.ts";
import { createBlockMemo } from "../../chain/facts/blockMemo.ts";
import { type BlockSource, measureImpact } from "../../chain/facts/impact.ts";
import { decimal, readPrices } from "../../chain/facts/references.ts";
import { factorOnChain, tokenOnChain } from "../../chain/facts/token.ts";
import { upstream } from "../../chain/rpc.ts";
import { announcedBy } from "../../market/providers/contracts.ts";
import { SIZES } from "../../market/providers/quotes.ts";
import type { MarketAsset } from "../../market/queries.ts";
import { SeriesDecimal } from "../../market/series/units.ts";
import type {
  AnnouncedAction,
  ImpactState,
  PerpState,
  ShareRatio,
  StockPrice,
  TokenPrice,
  VolumeState,
} from "../../market/statement.ts";
import { randomAt as randomOf, WORLD_SEED } from "../random.ts";
import { decimalText, SIMULATED, simulatedPerp, simulatedTurnover } from "./simulated.ts";

/** What a price is asked by: far below any depth, far above rounding. */
const TINY_DOLLARS = 10n;

const TOKEN = ["function balanceOf(address) view returns (uint256)"];

export interface LocalMarketDeps {
  readonly deployment: Deployment;
  readonly provider: JsonRpcProvider;
  readonly assets: readonly MarketAsset[];
  /** Unix milliseconds. */
  now(): number;
}

export const randomAt = randomOf(WORLD_SEED);

export const seconds = ({ now }: LocalMarketDeps) => Math.floor(now() / 1000);

/** What is stated of a subject here and now. */
const stated = (deps: LocalMarketDeps, subject: string) => ({
  subject,
  source: SIMULATED,
  origin: SIMULATED,
  at: seconds(deps),
  rawHash: null,
});

/** What is read at a block is shared by all that this process asks there. */
const blocks = new WeakMap<JsonRpcProvider, BlockSource>();

function blockSource({ provider, deployment, now }: LocalMarketDeps): BlockSource {
  const kept = blocks.get(provider);
  if (kept !== undefined) return kept;
  const caches = createCaches(now);
  const reader = createBlockReader(provider, deployment.chainId, caches);
  const source = { reader, memo: createBlockMemo(caches) };
  blocks.set(provider, source);
  return source;
}

export async function impactOf(deps: LocalMarketDeps, assetKey: string): Promise<ImpactState> {
  const { registry } = deps.deployment;
  const measured = (dollars: number) => measureImpact(blockSource(deps), registry, assetKey, dollars);
  return {
    ...stated(deps, assetKey),
    of: "impact",
    impact1kBps: await measured(SIZES.small),
    figure: await measured(SIZES.large),
    tinyPrice: null,
    paidIn: "usd",
  };
}

export async function volumeOf(deps: LocalMarketDeps, asset: MarketAsset): Promise<VolumeState> {
  const base = stated(deps, asset.assetKey);
  const liquidityUsd = await liquidityOf(deps, asset);
  const turnover = simulatedTurnover(randomAt, asset.assetKey)(base.at);
  return { ...base, of: "volume", figure: decimalText(Number(liquidityUsd) * turnover, 2), liquidityUsd };
}

export async function perpsOf(deps: LocalMarketDeps, underlying: string): Promise<PerpState[]> {
  const [spot] = await referencesOf(deps, underlying);
  if (spot === undefined) return [];
  const base = stated(deps, underlying);
  const { markUsd, fundingRate, fundingIntervalHours } = simulatedPerp(randomAt, underlying)(
    Number(spot.figure),
    base.at,
  );
  return [
    {
      ...base,
      of: "perp",
      market: underlying,
      figure: markUsd,
      oracleUsd: null,
      fundingRate,
      fundingIntervalHours,
    },
  ];
}

/** The middle between buying for ten dollars and selling that again, at one block. None without a route. */
export async function priceOf(deps: LocalMarketDeps, asset: MarketAsset): Promise<TokenPrice[]> {
  const { registry } = deps.deployment;
  const dollar = dollarOf(deps);
  const base = stated(deps, asset.assetKey);
  const { reader, memo } = blockSource(deps);
  const block = await reader.head();
  const { blockNumber } = block;
  const routes = registry.routes.map((route) => ({ route, allowed: true }));
  const common = {
    reads: reader.at(block),
    atBlock: <T>(key: string, read: () => Promise<T>) => memo(block.blockHash, key, read),
    settlementDecimals: dollar.decimals,
  };
  const dollars = TINY_DOLLARS * 10n ** BigInt(dollar.decimals);
  const quoteOf = (side: "buy" | "sell", input: string, output: string, amountIn: bigint) =>
    bestQuote(routes, { ...common, side, input, output, amountIn });
  const buy = await quoteOf("buy", dollar.address, asset.address, dollars);
  const tokens = BigInt(buy?.quote.amountOutRaw ?? 0);
  if (tokens === 0n) return [];
  const sell = await quoteOf("sell", asset.address, dollar.address, tokens);
  const dollarUsd = await dollarPrice(deps, dollar.assetKey, blockNumber);
  if (sell === null || dollarUsd === null) return [];
  const middle = new SeriesDecimal(dollars.toString())
    .plus(sell.quote.amountOutRaw)
    .dividedBy(2)
    .dividedBy(new SeriesDecimal(10).pow(dollar.decimals));
  const figure = middle
    .times(dollarUsd)
    .dividedBy(decimal(tokens, asset.decimals))
    .toDecimalPlaces(12)
    .toFixed();
  return [{ ...base, of: "price", by: "quote", paidIn: "usd", figure }];
}

export async function ratioOf(deps: LocalMarketDeps, { assetKey }: MarketAsset): Promise<ShareRatio[]> {
  const base = stated(deps, assetKey);
  const kind = findAsset(deps.deployment.registry, assetKey)?.tokenKind;
  // As the verifier reads it.
  const figure = kind ? sharesPerUnit(kind, "raw", await factorOnChain(deps, assetKey)) : null;
  return figure === null ? [] : [{ ...base, of: "ratio", figure, change: null }];
}

/** What the token's contract says is to come of its shares. */
export async function announcedOf(
  deps: LocalMarketDeps,
  { assetKey }: MarketAsset,
): Promise<AnnouncedAction[]> {
  const at = seconds(deps);
  return announcedBy(assetKey, SIMULATED, await tokenOnChain(deps, assetKey, at), at);
}

/** An asset's prices on the chain. */
const feedsOf = ({ registry }: LocalMarketDeps["deployment"], assetKey: string) =>
  (findAsset(registry, assetKey)?.priceSources ?? []).filter(isChainPrice);

/** US dollars per local dollar: the median of its feeds; null where none has a price. */
async function dollarPrice(
  { provider, deployment }: LocalMarketDeps,
  assetKey: string,
  blockNumber: number,
): Promise<string | null> {
  const at = { blockNumber, receivedAt: 0 };
  const { readings } = await readPrices(provider, feedsOf(deployment, assetKey), SIMULATED, at);
  return median(readings.map(({ price }) => new SeriesDecimal(price)))?.toFixed() ?? null;
}

/** The running prices of a stock's feeds, in the deployment's order. */
export async function referencesOf(deps: LocalMarketDeps, underlying: string): Promise<StockPrice[]> {
  const asset = deps.assets.find((each) => each.underlying === underlying);
  const feeds = asset ? feedsOf(deps.deployment, asset.assetKey) : [];
  const live = feeds.filter(({ kind }) => kind === "live");
  const at = {
    blockNumber: await upstream("block number", () => deps.provider.getBlockNumber()),
    receivedAt: seconds(deps),
  };
  const { readings } = await readPrices(deps.provider, live, SIMULATED, at);
  return readings.map(({ provider, price, publishedAt, rawHash }) => ({
    of: "reference",
    subject: underlying,
    source: `${SIMULATED}-${provider}`,
    origin: provider,
    figure: price,
    at: publishedAt,
    rawHash,
    confidence: null,
  }));
}

/** What both sides of all pools of the registry's routes hold, US dollars. */
export async function liquidityOf(deps: LocalMarketDeps, asset: MarketAsset): Promise<string> {
  const { provider } = deps;
  const dollar = dollarOf(deps);
  const [price] = await priceOf(deps, asset);
  let sum = new SeriesDecimal(0);
  for (const pool of poolsOf(deps, asset, dollar)) {
    const held = (token: string): Promise<bigint> =>
      new Contract(token, TOKEN, provider).getFunction("balanceOf").staticCall(pool);
    const [dollars, stocks] = await Promise.all([held(dollar.address), held(asset.address)]);
    sum = sum
      .plus(decimal(dollars, dollar.decimals))
      .plus(new SeriesDecimal(decimal(stocks, asset.decimals)).times(price?.figure ?? 0));
  }
  return sum.toDecimalPlaces(2).toFixed();
}

/** Where a pool can be: at an address without one is nothing. */
function poolsOf({ deployment }: LocalMarketDeps, asset: MarketAsset, dollar: Asset): string[] {
  return deployment.registry.routes.flatMap((route) =>
    (route.kind === "uniswap-v2" ? [null] : route.feeTiers).map(
      (fee) => poolAddress(route, asset.address, dollar.address, fee)!,
    ),
  );
}

function dollarOf({ deployment }: LocalMarketDeps): Asset {
  const dollar = deployment.registry.assets.find(({ kind }) => kind === "settlement");
  if (!dollar) throw new Error("the registry has no settlement token");
  return dollar;
}
