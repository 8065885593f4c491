/**
 * The published contracts of Uniswap V2 and V3 in an EVM of this process. Their pools quote in any state, which overlays
 * the pool's storage for the one call.
 */
import { AbiCoder, concat, keccak256, MaxUint256, toBeHex } from "ethers";
import { sortedTokens } from "../../../attestor/pools/create2.ts";
import type { PoolState, UniswapV2State, UniswapV3State } from "../../../attestor/pools/poolState.ts";
import { localAccounts } from "../../../devnet/accounts.ts";
import {
  creation,
  ROUTER_02,
  TEST_TOKEN,
  V2_FACTORY,
  V2_ROUTER,
  V3_FACTORY,
  V3_POOL,
  V3_QUOTER,
  V3_ROUTER,
  WETH,
} from "../../../devnet/artifacts.ts";
import { startNode } from "../../../devnet/chain/node.ts";
import { manualClock } from "../../../devnet/clock.ts";
import { call, createSender, view } from "../../../devnet/sender.ts";

/** Unix seconds. */
const TIME = 1_790_000_000;
export const FEES = [100, 500, 3_000, 10_000];
const Q96 = 1n << 96n;
/** What each pool holds of each token: no trade of 128 bits drains it. */
const HELD = 2n ** 200n;

export type PublishedPools = Awaited<ReturnType<typeof publishedPools>>;

export async function publishedPools() {
  const chain = await startNode(manualClock(TIME * 1_000));
  const account = localAccounts().deployer;
  const sender = createSender(chain, account);

  const weth = await sender.deploy(await creation(WETH));
  const v2Factory = await sender.deploy(await creation(V2_FACTORY, [account.address]));
  const v2Router = await sender.deploy(await creation(V2_ROUTER, [v2Factory, weth]));
  const v3Factory = await sender.deploy(await creation(V3_FACTORY));
  const quoter = await sender.deploy(await creation(V3_QUOTER, [v3Factory, weth]));
  const router = await sender.deploy(await creation(V3_ROUTER, [v3Factory, weth]));
  // Positions are none of what is asked here.
  const router02 = await sender.deploy(await creation(ROUTER_02, [v2Factory, v3Factory, v3Factory, weth]));
  await send(v3Factory, V3_FACTORY.abi, "enableFeeAmount", [100, 1]);

  async function send(...[to, abi, name, args]: Parameters<typeof call>) {
    await sender.send(call(to, abi, name, args));
  }
  const tokens: string[] = [];
  for (let n = 0; n < 3; n++) {
    const token = await sender.deploy(await creation(TEST_TOKEN, [MaxUint256 / 2n]));
    for (const spender of [router, router02])
      await send(token, TEST_TOKEN.abi, "approve", [spender, MaxUint256]);
    tokens.push(token);
  }
  tokens.sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
  const [a, b, c] = tokens as [string, string, string];

  const addresses = new Map<string, string>();
  for (const [one, other] of [
    [a, b],
    [b, c],
  ] as const) {
    await send(v2Factory, V2_FACTORY.abi, "createPair", [one, other]);
    const [pair] = await view(chain, v2Factory, V2_FACTORY.abi, "getPair", [one, other]);
    addresses.set(`${one} ${other}`, pair);
    for (const fee of FEES) {
      await send(v3Factory, V3_FACTORY.abi, "createPool", [one, other, fee]);
      const [pool] = await view(chain, v3Factory, V3_FACTORY.abi, "getPool", [one, other, fee]);
      addresses.set(`${one} ${other} ${fee}`, pool);
      await send(pool, V3_POOL.abi, "initialize", [Q96]);
      for (const token of [one, other]) await send(token, TEST_TOKEN.abi, "transfer", [pool, HELD]);
    }
  }

  async function ask(to: string, data: string, states: readonly PoolState[]): Promise<string | null> {
    const laid = states.map((state) => [state.address, { stateDiff: slotsOf(state) }]);
    const asked = { from: account.address, to, data, gas: "0x1000000" };
    try {
      return (await chain.request("eth_call", [asked, "latest", Object.fromEntries(laid)])) as string;
    } catch (error) {
      if (/revert/i.test((error as Error).message)) return null;
      throw error;
    }
  }

  const found = (key: string) => addresses.get(key) as string;
  return {
    /** Three tokens, ascending. */
    tokens: [a, b, c] as const,
    v2: { factory: v2Factory, router: v2Router },
    v3: { factory: v3Factory, quoter, router, router02 },
    pairOf: (one: string, other: string) => found(sortedTokens(one, other).join(" ")),
    poolOf: (one: string, other: string, fee: number) =>
      found(`${sortedTokens(one, other).join(" ")} ${fee}`),
    /** What the contracts say of this path with pools in these states, raw units; null where they revert. */
    async quote(
      states: readonly PoolState[],
      path: readonly string[],
      amountIn: bigint,
    ): Promise<bigint | null> {
      if (states[0]!.kind === "uniswap-v2") {
        const data = V2_ROUTER.abi.encodeFunctionData("getAmountsOut", [amountIn, path]);
        const raw = await ask(v2Router, data, states);
        return raw === null ? null : V2_ROUTER.abi.decodeFunctionResult("getAmountsOut", raw)[0].at(-1);
      }
      const fees = states.map((state) => (state as UniswapV3State).fee);
      const [name, args] =
        fees.length === 1
          ? ["quoteExactInputSingle", [[path[0], path[1], amountIn, fees[0], 0n]]]
          : ["quoteExactInput", [packedPath(path, fees), amountIn]];
      const raw = await ask(quoter, V3_QUOTER.abi.encodeFunctionData(name, args), states);
      return raw === null ? null : V3_QUOTER.abi.decodeFunctionResult(name, raw)[0];
    },
    /** What a trade of one hop through a router pays; null where it reverts. */
    async trade(
      which: "router" | "router02",
      state: UniswapV3State,
      [tokenIn, tokenOut]: readonly string[],
      amountIn: bigint,
    ): Promise<bigint | null> {
      const rest = [amountIn, 0n, 0n];
      const [address, abi, middle] =
        which === "router" ? [router, V3_ROUTER.abi, [MaxUint256]] : [router02, ROUTER_02.abi, []];
      const args = [tokenIn, tokenOut, state.fee, account.address, ...middle, ...rest];
      const raw = await ask(address, abi.encodeFunctionData("exactInputSingle", [args]), [state]);
      return raw === null ? null : abi.decodeFunctionResult("exactInputSingle", raw)[0];
    },
    close: () => chain.close(),
  };
}

function packedPath(path: readonly string[], fees: readonly number[]): string {
  return concat(path.flatMap((token, hop) => (hop === 0 ? [token] : [toBeHex(fees[hop - 1]!, 3), token])));
}

const coder = AbiCoder.defaultAbiCoder();
const word = (value: bigint) => toBeHex(BigInt.asUintN(256, value), 32);

/** The storage of a pool in a state, by slot. */
function slotsOf(state: PoolState): Record<string, string> {
  return state.kind === "uniswap-v2" ? v2Slots(state) : v3Slots(state);
}

function v2Slots({ reserve0, reserve1 }: UniswapV2State): Record<string, string> {
  return { [word(8n)]: word(BigInt(reserve0) | (BigInt(reserve1) << 112n)) };
}

function v3Slots(state: UniswapV3State): Record<string, string> {
  const keyOf = (key: number, slot: number) => keccak256(coder.encode(["int256", "uint256"], [key, slot]));
  const slot0 =
    BigInt(state.sqrtPriceX96) |
    (BigInt.asUintN(24, BigInt(state.tick)) << 160n) |
    // One observation, room for one, unlocked.
    (1n << 200n) |
    (1n << 216n) |
    (1n << 240n);
  const slots = { [word(0n)]: word(slot0), [word(4n)]: word(BigInt(state.liquidity)) };
  for (const { word: index, bitmap } of state.words) slots[keyOf(index, 6)] = bitmap;
  for (const { tick, liquidityNet } of state.ticks) {
    const net = BigInt(liquidityNet);
    slots[keyOf(tick, 5)] = word((net << 128n) | (net < 0n ? -net : net));
  }
  return slots;
}
