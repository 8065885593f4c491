/** The local world: tokens, pools, reference feeds and the guard, deployed on a new chain. Read the steps in `deployWorld`. */
import { getCreateAddress, MaxUint256, ZeroHash } from "ethers";
import { developmentLogSigner } from "../api/log/key.ts";
import { LOCAL_ORIGIN } from "../api/settings/logSettings.ts";
import { executorOf } from "../attestor/evm/address.ts";
import { vkeyText } from "../attestor/log/note.ts";
import type { Route } from "../attestor/registry.ts";
import { GUARD_ABI } from "../chain/abis.ts";
import { Deployment } from "../chain/deployment.ts";
import { create2, mandateContracts } from "../chain/mandateContracts.ts";
import { localAccounts } from "./accounts.ts";
import { creation, GUARD_DEPLOYMENT, LOCAL_BATCH, SAFE_CONTRACTS } from "./artifacts.ts";
import { SAFE_SINGLETON_FACTORY } from "./chain/genesis.ts";
import type { LocalNode } from "./chain/node.ts";
import { type Clock, unixSeconds } from "./clock.ts";
import { type Dex, deployDex } from "./dex/deploy.ts";
import { openPool, type Pool } from "./dex/pools.ts";
import { priceFactor } from "./market/simulated.ts";
import { randomAt } from "./random.ts";
import {
  DOLLAR_FEED_ID,
  DOLLAR_PRICE,
  deployAggregator,
  deployPyth,
  publishToAggregator,
  publishToPyth,
  pythFeedId,
} from "./references.ts";
import { type PlacedStock, poolOf, registryOf, routesOf } from "./registry.ts";
import { deploySecondDollar } from "./secondDollar.ts";
import { type Call, call, createSender, type Sender, sendBatch } from "./sender.ts";
import { STOCKS, type StockPlan, tokenPrice } from "./stocks.ts";
import { DOLLAR_ABI, deployTokens, type Tokens } from "./tokens.ts";

const DAY = 86_400;
/** What permits more takes effect at once here; live it waits for a day. */
const DELAY_SECONDS = 0;

export interface World {
  readonly deployment: Deployment;
  readonly dex: Dex;
  /** The contracts through which the market's two accounts act, many calls at a time. The trader's owns its tokens. */
  readonly market: { readonly publisher: string; readonly trader: string };
  readonly pyth: string;
  readonly dollar: { readonly address: string; readonly aggregator: string };
  readonly stocks: readonly WorldStock[];
}

export interface WorldStock extends PlacedStock {
  readonly pools: readonly Pool[];
  /** US dollars per share, at a unix second. */
  readonly priceAt: (seconds: number) => number;
}

/**
 * The order of the deployer's transactions gives every contract the address that the documents show.
 * @param seed of the stocks' prices
 */
export async function deployWorld(node: LocalNode, clock: Clock, seed: number): Promise<World> {
  const { publisher, trader, deployer: admin, users } = localAccounts();
  const deployer = createSender(node, admin);
  const now = unixSeconds(clock);
  const deployedAtBlock = Number(await node.request("eth_blockNumber")) + 1;

  const market = {
    publisher: await deployBatch(deployer, publisher.address),
    trader: await deployBatch(deployer, trader.address),
  };
  const tokens = await deployTokens(deployer, market.trader);
  const dex = await deployDex(deployer);
  const spenders = [dex.v2.router, dex.v3.positions];
  for (const approval of approvals(tokens, spenders)) await deployer.send(approval);
  const traderApprovals = approvals(tokens, [dex.v2.router, dex.v3.router]);
  await sendBatch(createSender(node, trader), market.trader, traderApprovals);

  const routes = routesOf(node.chainId, dex);
  const traded = STOCKS.map((plan, index) =>
    tradedStock(plan, tokens.stocks[index]!, tokens.dollar, routes, seed),
  );
  for (const { plan, pools, priceAt } of traded)
    for (const pool of pools) await openPool(deployer, dex, pool, tokenPrice(plan, priceAt(now)));
  const pyth = await deployPyth(deployer);
  const stocks: WorldStock[] = [];
  for (const stock of traded) {
    const feeds = await deployFeeds(deployer, stock.plan, market.publisher);
    stocks.push({ ...stock, ...feeds });
  }
  const guard = await deployGuard(deployer, routes, tokens);
  const aggregator = await deployAggregator(deployer, "USDL / USD", market.publisher);
  const dollar = { address: tokens.dollar, aggregator };
  const closes = stocks.map((stock) => closingPrice(stock, now));
  const publications = [...livePrices({ pyth, stocks, dollar }, now), ...closes];
  await sendBatch(createSender(node, publisher), market.publisher, publications);
  await deploySecondDollar(
    deployer,
    users.map(({ address }) => address),
  );
  await deployMandates(deployer, guard.guard);

  const deployment = Deployment.parse({
    chainId: node.chainId,
    source: "simulated",
    ...guard,
    deployedAtBlock,
    logKeys: [vkeyText(developmentLogSigner().keyOf(LOCAL_ORIGIN))],
    registry: registryOf({ chainId: node.chainId, dex, pyth, dollar, stocks }),
  });
  return { deployment, dex, market, pyth, dollar, stocks };
}

async function deployBatch(deployer: Sender, owner: string): Promise<string> {
  return deployer.deploy(await creation(LOCAL_BATCH, [owner]));
}

/** The issuer fills the pools, the trader trades in them. */
function approvals(tokens: Tokens, spenders: readonly string[]) {
  return tokens.all.flatMap((token) =>
    spenders.map((spender) => call(token, DOLLAR_ABI, "approve", [spender, MaxUint256])),
  );
}

/** A stock with the pools that its plan wants, before they are open. */
function tradedStock(
  plan: StockPlan,
  address: string,
  dollar: string,
  routes: readonly Route[],
  seed: number,
): Omit<WorldStock, "live" | "close"> {
  const factor = priceFactor(randomAt(seed), plan.underlying);
  return {
    plan,
    address,
    pools: plan.pools.map((pool) => poolOf(routes, pool, address, dollar)),
    priceAt: (seconds) => plan.basePrice * factor(seconds),
  };
}

async function deployFeeds(deployer: Sender, { underlying }: StockPlan, publisher: string) {
  const live = await deployAggregator(deployer, `${underlying} / USD`, publisher);
  const close = await deployAggregator(deployer, `${underlying} / USD official close`, publisher);
  return { live, close };
}

type Priced = Pick<World, "pyth" | "stocks" | "dollar">;

/** What brings every live feed to its price of a unix second. */
export function livePrices({ pyth, stocks, dollar }: Priced, at: number): Call[] {
  const quotes = stocks.map(({ plan, priceAt }) => ({
    feedId: pythFeedId(plan.underlying),
    price: priceAt(at),
    at,
  }));
  return [
    publishToPyth(pyth, [...quotes, { feedId: DOLLAR_FEED_ID, price: DOLLAR_PRICE, at }]),
    publishToAggregator(dollar.aggregator, DOLLAR_PRICE, at),
    ...stocks.map(({ live, priceAt }) => publishToAggregator(live, priceAt(at), at)),
  ];
}

/** The official close of the day that ended with the last midnight. */
export function closingPrice({ close, priceAt }: WorldStock, now: number): Call {
  const midnight = midnightBefore(now);
  return publishToAggregator(close, priceAt(midnight), midnight);
}

export const midnightBefore = (now: number): number => now - (now % DAY);

async function deployGuard(
  deployer: Sender,
  routes: readonly Route[],
  tokens: Tokens,
): Promise<{ guard: string; executor: string; signer: string }> {
  const { pauser, attestation } = localAccounts();
  const roles = [deployer.address, pauser.address, attestation.address, DELAY_SECONDS];
  const from = await deployer.deploy(await creation(GUARD_DEPLOYMENT, roles));
  // After the manager.
  const guard = getCreateAddress({ from, nonce: 2 });
  const executor = executorOf(guard);
  for (const { address, selector } of routes)
    await deployer.send(call(guard, GUARD_ABI, "allowRoute", [address, selector]));
  // One wei of each token keeps the executor's balance slots from being cleared and filled again by every
  // trade, which costs more gas than it gives back.
  for (const token of tokens.all) await deployer.send(call(token, DOLLAR_ABI, "transfer", [executor, 1n]));
  return { guard, executor, signer: attestation.address };
}

/** Safe 1.4.1 at its addresses of every chain, and module and setup of the guard. */
async function deployMandates(deployer: Sender, guard: string): Promise<void> {
  const safe = Object.values(SAFE_CONTRACTS).map(({ bytecode }) =>
    create2(bytecode, ZeroHash, SAFE_SINGLETON_FACTORY),
  );
  const { module, setup } = mandateContracts(guard);
  for (const { to, data } of [...safe, module, setup]) await deployer.send({ to, data });
}
