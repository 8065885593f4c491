/**
 * The local world: tokens, pools, reference feeds and the guard, deployed once in the life of a chain. The chain's
 * journal keeps the record of it; `deployment.json` is a copy for the API. A deployment that was cut short leaves no
 * record, and the chain then begins anew.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { getCreateAddress, id, keccak256, MaxUint256 } from "ethers";
import { developmentLogSigner } from "../api/log/key.ts";
import { LOCAL_ORIGIN } from "../api/settings/logSettings.ts";
import { executorOf } from "../attestor/evm/address.ts";
import { uintWord } from "../attestor/evm/words.ts";
import { vkeyText } from "../attestor/log/note.ts";
import type { Asset, Route } from "../attestor/registry.ts";
import type { MultiplierLayout } from "../attestor/shares.ts";
import type { ChainPriceSource, PriceSource, TokenSource } from "../attestor/sources.ts";
import { assetKeyOf } from "../attestor/values/primitives.ts";
import { Deployment } from "../chain/deployment.ts";
import { create2, mandateContracts } from "../chain/mandateContracts.ts";
import { GuardDeployment__factory } from "../types/contracts/factories/contracts/GuardDeployment__factory.ts";
import { TradeGuard__factory } from "../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { LocalAggregator__factory } from "../types/contracts/factories/devnet/contracts/LocalAggregator__factory.ts";
import { LocalBatch__factory } from "../types/contracts/factories/devnet/contracts/LocalBatch__factory.ts";
import { LocalDollar__factory } from "../types/contracts/factories/devnet/contracts/LocalDollar__factory.ts";
import { LocalStock__factory } from "../types/contracts/factories/devnet/contracts/LocalStock__factory.ts";
import { localAccounts } from "./accounts.ts";
import { creation, SAFE_CONTRACTS, V2_PAIR, V2_ROUTER, V3_POOL, V3_ROUTER } from "./artifacts.ts";
import { SAFE_SINGLETON_FACTORY } from "./chain/genesis.ts";
import type { Chain } from "./chain/start.ts";
import { type Clock, unixSeconds } from "./clock.ts";
import { type Dex, deployDex } from "./dex/deploy.ts";
import { openPool } from "./dex/pools.ts";
import { createLocalHermes } from "./hermes/server.ts";
import { replaceJson } from "./localFile.ts";
import {
  AGGREGATOR_DECIMALS,
  DOLLAR_FEED_ID,
  DOLLAR_PRICE,
  DOLLAR_SYMBOL,
  PYTH,
  publishToAggregator,
  publishToPyth,
  pythFeedId,
  pythSymbol,
} from "./references.ts";
import { deploySecondDollar } from "./secondDollar.ts";
import { type ChainAccess, call, createSender, type Sender, sendBatch } from "./sender.ts";
import { ISSUER, STOCKS, tokenPrice } from "./stocks.ts";

/** Name of the journal's note that a world of this make stands; a chain with one of another make begins anew. */
export const WORLD_NOTE = "deployment-6";

/** Where `LocalStock` keeps its multiplier; a test compares this with the compiler's layout. */
const LOCAL_STOCK_LAYOUT: MultiplierLayout = {
  uiMultiplier: uintWord(7),
  newUIMultiplier: uintWord(8),
  effectiveAt: uintWord(6),
};

/** What each user holds. */
const USER_DOLLARS = 1_000_000n * 10n ** 6n;
const USER_STOCKS = 1_000n * 10n ** 18n;
const USER_SECOND_DOLLARS = 1_000_000n * 10n ** 18n;

/** What the issuer and the market's trader hold: as good as endless, so that the market never runs dry. */
const MARKET_DOLLARS = 10n ** 12n * 10n ** 6n;
const MARKET_STOCKS = 10n ** 10n * 10n ** 18n;

const DAY = 86_400;
/** Pyth's own idea of a fresh price, in seconds; the attestor judges by its policies. */
const PYTH_VALID_SECONDS = 60;

/** What permits more takes effect at once here; live it waits for a day. */
const DELAY_SECONDS = 0;

const STOCK_ABI = LocalStock__factory.createInterface();
const DOLLAR_ABI = LocalDollar__factory.createInterface();
const GUARD_ABI = TradeGuard__factory.createInterface();

export interface World {
  readonly deployment: Deployment;
  readonly dex: Dex;
  readonly market: Market;
}

/** The contracts through which the market's two accounts act, many calls at a time. The trader's owns its tokens. */
type Market = Awaited<ReturnType<typeof deployMarket>>;

/**
 * Deploys the world, or finds the one that the chain has, and writes `DATA_DIR/chain/deployment.json`.
 * @param log takes progress, one line at a time
 */
export async function deployWorld(options: {
  chain: Chain;
  clock: Clock;
  dataDir: string;
  log: (line: string) => void;
}): Promise<World> {
  const { chain, clock, dataDir, log } = options;
  let world = chain.note(WORLD_NOTE) as World | undefined;
  if (world === undefined) {
    log("Deploying tokens, pools, reference feeds and the guard…");
    world = await deploy(chain, unixSeconds(clock));
    await chain.setNote(WORLD_NOTE, world);
  }
  const deployment = Deployment.parse({
    signer: localAccounts().attestation.address,
    logKeys: [vkeyText(developmentLogSigner().keyOf(LOCAL_ORIGIN))],
    ...world.deployment,
  });
  chain.onGet(createLocalHermes(chain, deployment, clock));
  await mkdir(join(dataDir, "chain"), { recursive: true, mode: 0o700 });
  await replaceJson(join(dataDir, "chain", "deployment.json"), deployment, 0o644);
  return { ...world, deployment };
}

async function deploy(chain: ChainAccess, now: number): Promise<World> {
  const deployer = createSender(chain, localAccounts().deployer);
  const deployedAtBlock = Number(await chain.request("eth_blockNumber")) + 1;
  const market = await deployMarket(deployer);
  const tokens = await deployTokens(deployer, market);
  const dex = await deployDex(deployer);
  await approveDex(chain, deployer, market, dex, tokens);
  for (const stock of STOCKS)
    for (const plan of stock.pools)
      await openPool(deployer, dex, {
        stock: tokens.stocks.get(stock.symbol)!,
        dollar: tokens.dollar,
        price: tokenPrice(stock, stock.basePrice),
        plan,
      });
  const references = await deployReferences(chain, deployer, market, tokens, now);
  const routes = routesOf(chain.chainId, dex);
  const guard = await deployGuard(deployer, routes, tokens);
  const dollarFeeds = await deployDollarFeeds(chain, deployer, market, references, now);
  // Last, so that everything else has the address that it always had.
  await deploySecondDollar(
    deployer,
    localAccounts().users.map(({ address }) => address),
    USER_SECOND_DOLLARS,
  );
  await deployMandates(deployer, guard.guard);
  const deployment: Deployment = {
    chainId: chain.chainId,
    source: "simulated",
    ...guard,
    deployedAtBlock,
    registry: {
      version: "local-4",
      chainId: chain.chainId,
      assets: assetsOf(chain.chainId, tokens, {
        ...references,
        [assetKeyOf(chain.chainId, tokens.dollar)]: dollarFeeds,
      }),
      routes,
    },
  };
  return { deployment, dex, market };
}

/** Feeds on the chain, by the key of the asset whose price they state. */
type Feeds = Readonly<Record<string, readonly ChainPriceSource[]>>;

type Tokens = Awaited<ReturnType<typeof deployTokens>>;

async function deployMarket(deployer: Sender) {
  const { publisher, trader } = localAccounts();
  const batchOf = async (owner: string) =>
    await deployer.deploy(await new LocalBatch__factory().getDeployTransaction(owner));
  return { publisher: await batchOf(publisher.address), trader: await batchOf(trader.address) };
}

async function deployTokens(deployer: Sender, { trader }: Market) {
  const { users } = localAccounts();
  const dollar = await deployer.deploy(
    await new LocalDollar__factory().getDeployTransaction(deployer.address),
  );
  /** By symbol. */
  const stocks = new Map<string, string>();
  for (const { symbol, name, sharesPerToken } of STOCKS) {
    const args = [deployer.address, name, symbol, sharesPerToken] as const;
    stocks.set(symbol, await deployer.deploy(await new LocalStock__factory().getDeployTransaction(...args)));
  }
  const holders = users.map(({ address }) => address);
  const market = [deployer.address, trader];
  await deployer.send(call(dollar, DOLLAR_ABI, "mint", [holders, USER_DOLLARS]));
  await deployer.send(call(dollar, DOLLAR_ABI, "mint", [market, MARKET_DOLLARS]));
  for (const stock of stocks.values()) {
    await deployer.send(call(stock, STOCK_ABI, "mint", [holders, USER_STOCKS]));
    await deployer.send(call(stock, STOCK_ABI, "mint", [market, MARKET_STOCKS]));
  }
  return { dollar, stocks };
}

/** The issuer fills the pools, the trader trades in them. */
async function approveDex(
  chain: ChainAccess,
  deployer: Sender,
  market: Market,
  dex: Dex,
  tokens: Tokens,
): Promise<void> {
  const approvals = (...spenders: string[]) =>
    [tokens.dollar, ...tokens.stocks.values()].flatMap((token) =>
      spenders.map((spender) => call(token, DOLLAR_ABI, "approve", [spender, MaxUint256])),
    );
  for (const approval of approvals(dex.v2.router, dex.v3.positions)) await deployer.send(approval);
  const trader = createSender(chain, localAccounts().trader);
  await sendBatch(trader, market.trader, approvals(dex.v2.router, dex.v3.router));
}

async function deployReferences(
  chain: ChainAccess,
  deployer: Sender,
  market: Market,
  tokens: Tokens,
  now: number,
): Promise<Feeds> {
  const publisher = createSender(chain, localAccounts().publisher);
  const pyth = await deployer.deploy(await creation(PYTH, [PYTH_VALID_SECONDS, 0]));
  const references: Record<string, ChainPriceSource[]> = {};
  const quotes = STOCKS.map(({ underlying, basePrice: price }) => ({
    ...{ feedId: pythFeedId(underlying), price, at: now },
  }));
  const calls = [publishToPyth(pyth, quotes)];
  for (const { symbol, underlying, basePrice } of STOCKS) {
    const [feedId, name] = [pythFeedId(underlying), `${underlying} / USD`];
    const live = await deployAggregator(deployer, name, market.publisher);
    const close = await deployAggregator(deployer, `${name} official close`, market.publisher);
    calls.push(publishToAggregator(live, basePrice, now));
    calls.push(publishToAggregator(close, firstClose(underlying, basePrice), now - (now % DAY)));
    references[assetKeyOf(chain.chainId, tokens.stocks.get(symbol)!)] = [
      { provider: "pyth", kind: "live", symbol: pythSymbol(underlying), address: pyth, feedId },
      aggregator("live", name, live),
      aggregator("close", `${name} official close`, close),
    ];
  }
  await sendBatch(publisher, market.publisher, calls);
  return references;
}

/** What the local dollar is worth, by two sources as the stocks have them. */
async function deployDollarFeeds(
  chain: ChainAccess,
  deployer: Sender,
  market: Market,
  references: Feeds,
  now: number,
): Promise<ChainPriceSource[]> {
  const pyth = Object.values(references)
    .flat()
    .find(({ provider }) => provider === "pyth")!.address;
  const address = await deployAggregator(deployer, "USDL / USD", market.publisher);
  await sendBatch(createSender(chain, localAccounts().publisher), market.publisher, [
    publishToPyth(pyth, [{ feedId: DOLLAR_FEED_ID, price: DOLLAR_PRICE, at: now }]),
    publishToAggregator(address, DOLLAR_PRICE, now),
  ]);
  return [
    { provider: "pyth", kind: "live", symbol: DOLLAR_SYMBOL, address: pyth, feedId: DOLLAR_FEED_ID },
    aggregator("live", "USDL / USD", address),
  ];
}

const aggregator = (kind: "live" | "close", symbol: string, address: string): ChainPriceSource => ({
  provider: "chainlink",
  kind,
  symbol,
  address,
  decimals: AGGREGATOR_DECIMALS,
});

async function deployAggregator(deployer: Sender, description: string, publisher: string): Promise<string> {
  return await deployer.deploy(
    await new LocalAggregator__factory().getDeployTransaction(publisher, description),
  );
}

/** The close before the first day: within 40 bps of the first price, a different way for each stock. */
function firstClose(underlying: string, basePrice: number): number {
  const bps = Number(BigInt(id(underlying)) % 81n) - 40;
  return basePrice * (1 + bps / 10_000);
}

async function deployGuard(
  deployer: Sender,
  routes: readonly Route[],
  tokens: Tokens,
): Promise<{ guard: string; executor: string; signer: string }> {
  const { pauser, attestation } = localAccounts();
  const roles = [deployer.address, pauser.address, attestation.address, DELAY_SECONDS] as const;
  const from = await deployer.deploy(await new GuardDeployment__factory().getDeployTransaction(...roles));
  // After the manager.
  const guard = getCreateAddress({ from, nonce: 2 });
  const executor = executorOf(guard);
  for (const { address, selector } of routes)
    await deployer.send(call(guard, GUARD_ABI, "allowRoute", [address, selector]));
  // One wei of each token keeps the executor's balance slots from being cleared and filled again by every
  // trade, which costs more gas than it gives back.
  for (const token of [tokens.dollar, ...tokens.stocks.values()])
    await deployer.send(call(token, DOLLAR_ABI, "transfer", [executor, 1n]));
  return { guard, executor, signer: attestation.address };
}

function routesOf(chainId: number, dex: Dex): Route[] {
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

/** Pyth's prices over HTTP, too, where they are signed. */
const withSigned = (feeds: readonly ChainPriceSource[]): PriceSource[] => [
  ...feeds.flatMap((feed): PriceSource[] => {
    if (feed.provider !== "pyth") return [];
    const { kind, symbol, feedId } = feed;
    return [{ provider: "pyth-hermes", kind, symbol, feedId }];
  }),
  ...feeds,
];

/** Every token says all of itself. */
const OF_TOKENS: TokenSource[] = [{ source: "erc-8056" }, { source: "halt-flag", function: "tradingHalted" }];

function assetsOf(chainId: number, tokens: Tokens, feeds: Feeds): Asset[] {
  const asset = (
    address: string,
    rest: Omit<Asset, "assetKey" | "chainId" | "address" | "priceSources">,
  ): Asset => {
    const assetKey = assetKeyOf(chainId, address);
    return { assetKey, chainId, address, ...rest, priceSources: withSigned(feeds[assetKey] ?? []) };
  };
  return [
    ...STOCKS.map(({ symbol, name, underlying }) =>
      asset(tokens.stocks.get(symbol)!, {
        ...{ symbol, name, kind: "stock", underlying, issuer: ISSUER },
        ...{ decimals: 18, tokenKind: "scaled", multiplierLayout: LOCAL_STOCK_LAYOUT },
        tokenSources: OF_TOKENS,
      }),
    ),
    asset(tokens.dollar, {
      ...{ symbol: "USDL", name: "Local Dollar", kind: "settlement", decimals: 6 },
      ...{ underlying: null, issuer: null, tokenSources: [] },
    }),
  ];
}

/** Safe 1.4.1 at its addresses of every chain, and module and setup of the guard. */
async function deployMandates(deployer: Sender, guard: string): Promise<void> {
  const safe = Object.values(SAFE_CONTRACTS).map(({ bytecode }) => create2(bytecode, SAFE_SINGLETON_FACTORY));
  const { module, setup } = mandateContracts(guard);
  for (const call of [...safe, module, setup]) await deployer.send(call);
}
