import { createRequire } from "node:module";
import { Contract, ContractFactory, MaxUint256, type TransactionReceipt } from "ethers";
import { TradeGuard__factory } from "../../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { RebasingToken__factory } from "../../../types/contracts/factories/test/support/contracts/tokens/OddTokens.sol/RebasingToken__factory.ts";
import { PlainToken__factory } from "../../../types/contracts/factories/test/support/contracts/tokens/PlainToken__factory.ts";
import { measureMandates } from "./mandateGas.ts";
import { certifiedTrade, execute, relay, routeCallData } from "./trades.ts";
import { allowRouters, createWorld, FOREVER, type World } from "./world.ts";

const PROXY = createRequire(import.meta.url)("@openzeppelin/contracts/build/contracts/ERC1967Proxy.json");

/** Dollars for stock in one pool; over another token in two; for a token of shares behind a proxy. */
export const SWAPS = ["v2", "v3", "v2, two hops", "v2, proxied shares"] as const;
export type Swap = (typeof SWAPS)[number];

const AMOUNT = 1_000n * 10n ** 18n;

export interface GuardedTrade {
  readonly swap: Swap;
  readonly sender: "owner" | "relayer";
  /** Whether the nonce is the first of its word of 256, which costs a fresh storage slot. */
  readonly nonceOf: "first" | "later";
  /** Whether the executor holds a unit of each token, or none. */
  readonly executor: "unit" | "empty";
}

/** As the service draws them: 64 bits of a hash, and a counter of 32 bits. */
const NONCES = 0x9f3c_71d2_a4e8_56b1n << 32n;

/** Of the token bought, from dollars on. */
type Paths = Readonly<Record<Swap, readonly string[]>>;

/** Two more tokens, with a V2 pool against dollars or the stock each. */
async function createPaths(world: World): Promise<Paths> {
  const { admin, v2Router } = world;
  const between = await new PlainToken__factory(admin).deploy("MID", 18);
  const logic = await new RebasingToken__factory(admin).deploy();
  const start = logic.interface.encodeFunctionData("rebase", [10n ** 18n]);
  const proxy = await new ContractFactory(PROXY.abi, PROXY.bytecode, admin).deploy(logic, start);
  const shares = RebasingToken__factory.connect(await proxy.getAddress(), admin);
  const [dollar, stock, mid, proxied] = (await Promise.all(
    [world.dollar, world.stock, between, shares].map((token) => token.getAddress()),
  )) as [string, string, string, string];
  const depth = 1_000n * AMOUNT;
  for (const token of [between, shares]) {
    await token.mint(admin, 3n * depth);
    await token.approve(v2Router, 3n * depth);
  }
  const pools = [
    [dollar, mid],
    [mid, stock],
    [dollar, proxied],
  ] as const;
  for (const pool of pools)
    await v2Router.getFunction("addLiquidity")(...pool, depth, depth, 0, 0, admin, FOREVER);
  const one = [dollar, stock];
  return { v2: one, v3: one, "v2, two hops": [dollar, mid, stock], "v2, proxied shares": [dollar, proxied] };
}

/** The same chain with another guard, which the owner has approved as well. */
async function withAnotherGuard(world: World): Promise<World> {
  const guard = await new TradeGuard__factory(world.admin).deploy(world.manager, world.attestor);
  await allowRouters(guard, world.v2Router, world.v3Router);
  await world.dollar.connect(world.owner).approve(guard, MaxUint256);
  return { ...world, guard, executor: await guard.executor() };
}

export interface GasWorld {
  readonly world: World;
  direct(swap: Swap): Promise<TransactionReceipt>;
  guarded(trade: GuardedTrade): Promise<TransactionReceipt>;
  /** The gas of an approval of just the amount, and of the trade that uses it up. */
  approved(): Promise<bigint>;
}

/** Pools that have traded, and an owner who has used a nonce of two guards: the executor of one holds a unit of each token. */
export async function createGasWorld(): Promise<GasWorld> {
  const world = await createWorld();
  const paths = await createPaths(world);
  const worlds = { unit: world, empty: await withAnotherGuard(world) };
  let word = 0n;
  let bit = 0n;

  const kindOf = (swap: Swap): "v2" | "v3" => (swap === "v3" ? "v3" : "v2");

  /** What the pool gives now, less half a per cent, as a trader would bound it. */
  async function minimumOf(swap: Swap): Promise<bigint> {
    const call = { ...(await directCall(swap, 0n)), from: await world.owner.getAddress() };
    const answer = await world.ethers.provider.call(call);
    // The last word is the output, of the list that one router answers and of the number that the other does.
    return (BigInt(`0x${answer.slice(-64)}`) * 9_950n) / 10_000n;
  }

  async function directCall(swap: Swap, minimum: bigint) {
    const kind = kindOf(swap);
    const to = await (kind === "v2" ? world.v2Router : world.v3Router).getAddress();
    const owner = await world.owner.getAddress();
    return { to, data: await routeCallData(world, kind, AMOUNT, owner, minimum, paths[swap]) };
  }

  async function direct(swap: Swap): Promise<TransactionReceipt> {
    const call = await directCall(swap, await minimumOf(swap));
    return (await (await world.owner.sendTransaction(call)).wait())!;
  }

  async function guarded({ swap, sender, nonceOf, executor }: GuardedTrade): Promise<TransactionReceipt> {
    const by = worlds[executor];
    const nonce = NONCES + (nonceOf === "first" ? ++word << 8n : ++bit);
    const minAmountOut = await minimumOf(swap);
    const path = paths[swap];
    const callData = await routeCallData(by, kindOf(swap), AMOUNT, by.executor, minAmountOut, path);
    const changes = { nonce, minAmountOut, callData, outputToken: path.at(-1)! };
    const trade = await certifiedTrade(by, kindOf(swap), changes);
    const sent = await (sender === "owner" ? execute(by, by.owner, trade) : relay(by, trade));
    return (await sent.wait())!;
  }

  async function approved(): Promise<bigint> {
    const token = world.dollar.connect(world.owner);
    await token.approve(world.guard, 0n);
    const approval = await (await token.approve(world.guard, AMOUNT)).wait();
    const trade = await guarded({ swap: "v2", sender: "owner", nonceOf: "later", executor: "unit" });
    await token.approve(world.guard, MaxUint256);
    return approval!.gasUsed + trade.gasUsed;
  }

  const bought = [...new Set(Object.values(paths).map((path) => path.at(-1)!))];
  for (const token of [await world.dollar.getAddress(), ...bought]) {
    const mintable = new Contract(token, ["function mint(address,uint256)"], world.admin);
    await (await mintable.getFunction("mint")(world.executor, 1n)).wait();
  }
  for (const swap of SWAPS) {
    await direct(swap);
    for (const executor of ["unit", "empty"] as const)
      await guarded({ swap, sender: "owner", nonceOf: "later", executor });
  }
  return { world, direct, guarded, approved };
}

/** A trade as the snapshot calls it. */
export function nameOf({ swap, sender, nonceOf, executor }: GuardedTrade): string {
  const holding = executor === "empty" ? ", empty executor" : "";
  return `${swap}, sent by the ${sender}, ${nonceOf} nonce of a word${holding}, above direct`;
}

/** What each swap is measured by. */
export function tradesOf(swap: Swap): GuardedTrade[] {
  return (["owner", "relayer"] as const).flatMap((sender): GuardedTrade[] => [
    { swap, sender, nonceOf: "later", executor: "unit" },
    { swap, sender, nonceOf: "first", executor: "unit" },
    { swap, sender, nonceOf: "later", executor: "empty" },
  ]);
}

/** What a user pays who leaves no allowance. */
export const EXACT = "v2, with an exact approval each time, in total";

/**
 * Gas of the direct swaps, of every kind of guarded trade above the direct swap, and of trades within a mandate in total,
 * by a name that reads.
 */
export async function measureGas(gas: GasWorld): Promise<Record<string, number>> {
  const measured: Record<string, number> = {};
  for (const swap of SWAPS) {
    const base = (await gas.direct(swap)).gasUsed;
    measured[`${swap}, direct`] = Number(base);
    for (const trade of tradesOf(swap))
      measured[nameOf(trade)] = Number((await gas.guarded(trade)).gasUsed - base);
  }
  measured[EXACT] = Number(await gas.approved());
  return { ...measured, ...(await measureMandates(gas.world)) };
}
