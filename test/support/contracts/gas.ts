import { createRequire } from "node:module";
import { Contract, ContractFactory, concat, MaxUint256, Signature, type TransactionReceipt } from "ethers";
import { packTrade } from "../../../attestor/certificate/packedTrade.ts";
import { RebasingToken__factory } from "../../../types/contracts/factories/test/support/contracts/tokens/OddTokens.sol/RebasingToken__factory.ts";
import { PlainToken__factory } from "../../../types/contracts/factories/test/support/contracts/tokens/PlainToken__factory.ts";
import { measureMandates } from "./mandateGas.ts";
import { certifiedTrade, routeCallData, signIntent, type Trade } from "./trades.ts";
import { createWorld, FOREVER, type World } from "./world.ts";

const PROXY = createRequire(import.meta.url)("@openzeppelin/contracts/build/contracts/ERC1967Proxy.json");

/** Dollars for stock in one pool; over another token in two; for a token of shares behind a proxy. */
export type Swap = "v2" | "v3" | "v2, two hops" | "v2, proxied shares";
export type Sender = "owner" | "relayer";
/** Whether the nonce is the first of its word of 256, which costs a fresh storage slot. */
export type NonceOf = "first" | "later";

const AMOUNT = 1_000n * 10n ** 18n;

export interface Guarded {
  readonly swap: Swap;
  readonly sender: Sender;
  readonly nonceOf: NonceOf;
  /** By the packed entry points instead of the readable ones. */
  readonly packed?: boolean;
  /** By an executor that holds none of the tokens. */
  readonly unseeded?: boolean;
}

/** As the service draws them: 64 bits of a hash, and a counter of 32 bits. */
const NONCES = 0x9f3c_71d2_a4e8_56b1n << 32n;

/** Of the token bought, from dollars on. */
type Paths = Readonly<Record<Swap, readonly string[]>>;

/** Two more tokens, with a V2 pool against dollars or the stock each, all traded before. */
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

export interface GasWorld {
  readonly world: World;
  direct(swap: Swap): Promise<TransactionReceipt>;
  guarded(trade: Guarded): Promise<TransactionReceipt>;
  /** Of an approval of just the amount, and of the packed trade that uses it up. */
  approved(): Promise<bigint>;
}

/**
 * Pools that have traded, an owner who has used a nonce, a unit of each token in the executor, so that its balances
 * do not go through zero.
 */
export async function createGasWorld(): Promise<GasWorld> {
  const world = await createWorld();
  const paths = await createPaths(world);
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

  async function guarded({ swap, sender, nonceOf, packed, unseeded }: Guarded): Promise<TransactionReceipt> {
    if (unseeded) await renew([]);
    const nonce = NONCES + (nonceOf === "first" ? ++word << 8n : ++bit);
    const minAmountOut = await minimumOf(swap);
    const kind = kindOf(swap);
    const path = paths[swap];
    const executor = await world.guard.executor();
    const callData = await routeCallData(world, kind, AMOUNT, executor, minAmountOut, path);
    const changes = { nonce, minAmountOut, callData, outputToken: path.at(-1)! };
    const trade = await certifiedTrade(world, kind, changes);
    const sent = await (await send(trade, sender, packed ?? false)).wait();
    if (unseeded) await seed();
    return sent!;
  }

  async function approved(): Promise<bigint> {
    const token = world.dollar.connect(world.owner);
    await token.approve(world.guard, 0n);
    const approval = await (await token.approve(world.guard, AMOUNT)).wait();
    const trade = await guarded({ swap: "v2", sender: "owner", nonceOf: "later", packed: true });
    await token.approve(world.guard, MaxUint256);
    return approval!.gasUsed + trade.gasUsed;
  }

  /** The next executor, from whose second on certificates count. */
  async function renew(seeds: readonly string[]): Promise<void> {
    await (await world.guard.renewExecutor([...seeds])).wait();
    await world.provider.request({ method: "evm_increaseTime", params: [2] });
    await world.provider.request({ method: "evm_mine", params: [] });
  }

  async function seed(): Promise<void> {
    const executor = await world.guard.executor();
    const proxied = paths["v2, proxied shares"][1]!;
    const tokens = [
      world.dollar,
      world.stock,
      new Contract(proxied, ["function mint(address,uint256)"], world.admin),
    ];
    for (const token of tokens) await (await token.getFunction("mint")(executor, 1n)).wait();
  }

  async function send(trade: Trade, sender: Sender, packed: boolean) {
    const { intent, certificate, certificateSignature, routeCallData } = trade;
    const guard = world.guard.connect(sender === "owner" ? world.owner : world.relayer);
    const bytes = packTrade(inText(trade))!;
    if (sender === "owner")
      return packed
        ? guard.executePacked(bytes)
        : guard.execute(intent, certificate, certificateSignature, routeCallData);
    const signature = await signIntent(world, world.owner, intent);
    if (!packed) return guard.executeFor(intent, certificate, certificateSignature, signature, routeCallData);
    const compact = Signature.from(signature).compactSerialized;
    return guard.executeForPacked(concat([await world.owner.getAddress(), compact, bytes]));
  }

  await seed();
  for (const swap of Object.keys(paths) as Swap[]) {
    await direct(swap);
    await guarded({ swap, sender: "owner", nonceOf: "later" });
  }
  return { world, direct, guarded, approved };
}

/** The trade as the service states it: numbers are decimal text. */
function inText(trade: Trade): Parameters<typeof packTrade>[0] {
  const text = (members: object) =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, String(value)]));
  return {
    ...trade,
    intent: text(trade.intent),
    certificate: text(trade.certificate),
  } as unknown as Parameters<typeof packTrade>[0];
}

/** Of a kind of guarded trade, as the snapshot calls it. */
export function nameOf({ swap, sender, nonceOf, packed, unseeded }: Guarded): string {
  const how = `${packed ? "packed, " : ""}sent by the ${sender}, ${nonceOf} nonce of a word`;
  return `${swap}, ${how}${unseeded ? ", unseeded executor" : ""}, above direct`;
}

/** What each swap is measured by: all ways for one pool, the service's for the others. */
export function waysOf(swap: Swap): Guarded[] {
  const senders = ["owner", "relayer"] as const;
  const packed = senders.flatMap((sender): Guarded[] => [
    { swap, sender, nonceOf: "later", packed: true },
    { swap, sender, nonceOf: "first", packed: true },
    { swap, sender, nonceOf: "later", packed: true, unseeded: true },
  ]);
  const readable = senders.map((sender): Guarded => ({ swap, sender, nonceOf: "later" }));
  return [...readable, ...packed];
}

export const SWAPS: readonly Swap[] = ["v2", "v3", "v2, two hops", "v2, proxied shares"];

/** What it is called that a user pays who leaves no allowance. */
export const EXACT = "v2, packed, with an exact approval each time, in total";

/**
 * Gas of the direct swaps, of every kind of guarded trade above the direct swap, and of trades within a mandate in total,
 * by a name that reads.
 */
export async function measureGas(gas: GasWorld): Promise<Record<string, number>> {
  const measured: Record<string, number> = {};
  for (const swap of SWAPS) {
    const base = (await gas.direct(swap)).gasUsed;
    measured[`${swap}, direct`] = Number(base);
    for (const way of waysOf(swap)) measured[nameOf(way)] = Number((await gas.guarded(way)).gasUsed - base);
  }
  measured[EXACT] = Number(await gas.approved());
  return { ...measured, ...(await measureMandates(gas.world)) };
}
