/** A report's quote read again: the state of its pools, whose pools they are, and what a quoter says. */
import { Interface } from "ethers";
import type { QuoteFacts } from "../attestor/evidence/facts.ts";
import type { PoolState } from "../attestor/pools/poolState.ts";
import { tradePath } from "../attestor/pools/quote.ts";
import { type Registry, ROUTE_SELECTORS, type Route } from "../attestor/registry.ts";
import type { Caller } from "./blockReads.ts";
import type { RouteWay } from "./dex/adapter.ts";
import { quoterSays } from "./dex/best.ts";
import { readV2Pool, readV3Pool, tradeOf } from "./dex/poolReading.ts";
import { orNull } from "./rpc.ts";
import VIEWS from "./views.json" with { type: "json" };

const ORIGIN = new Interface(VIEWS.origin);

/** A fact by its name, as the evidence states it, and as the node has it. */
export interface Repeated {
  readonly fact: string;
  readonly stated: unknown;
  /** Null or undefined: nobody states it now. */
  readonly again: Promise<unknown>;
}

/** Only the registry, which is missing, names the quoter. */
export class QuoterNotKnown extends Error {}

/** A pool of a quote, and the trade of the whole amount through it. */
interface Hop {
  readonly pool: PoolState;
  readonly input: string;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

/** The hops of a quote; none where nothing trades through its pools, which evidence that is consistent never has. */
function hopsOf({ path, pools, amountInRaw }: QuoteFacts): Hop[] {
  let amountIn = BigInt(amountInRaw);
  const trade = tradePath(pools ?? [], path[0] as string, amountIn);
  if (trade.outcome !== "trades") return [];
  const hops: Hop[] = [];
  for (const [index, pool] of (pools ?? []).entries()) {
    const hop = trade.hops[index];
    const amountOut = hop?.outcome === "trades" ? hop.amountOut : 0n;
    hops.push({ pool, input: path[index] as string, amountIn, amountOut });
    amountIn = amountOut;
  }
  return hops;
}

export const poolStates = (quote: QuoteFacts, caller: Caller): Repeated[] =>
  hopsOf(quote).map((hop) => ({
    fact: `pool ${hop.pool.address}`,
    stated: hop.pool,
    again: poolAgain(hop, caller),
  }));

/** The pool's state as a judgement would read it for that trade; null where there is no such pool. */
async function poolAgain({ pool, input, amountIn }: Hop, caller: Caller): Promise<PoolState | null> {
  const { address, token0, token1 } = pool;
  if (pool.kind === "uniswap-v2") return readV2Pool(caller, address, [token0, token1], pool.feeBps);
  const { fee } = pool;
  const read = (reach: "near" | "far") => readV3Pool(caller, address, [token0, token1], fee, reach);
  const trade = await tradeOf(read, input, amountIn);
  return trade === null || trade === "beyond" ? null : trade.pool;
}

/** Whose a pool is never changes, so the newest block will do where the node forgot the evidence's. */
export const poolOrigins = (quote: QuoteFacts, [then, now]: readonly [Caller, Caller]): Repeated[] =>
  hopsOf(quote).map((hop) => ({
    fact: `pool ${hop.pool.address} is the route's`,
    stated: true,
    again: isPoolOf(quote.route, hop, then).catch(() => isPoolOf(quote.route, hop, now)),
  }));

/**
 * Whether the route's own factory has the pool for its tokens and fee, and the router of V2 takes the fee. A judgement works
 * the address out of the registry, which a reader may not have.
 */
async function isPoolOf(route: string, hop: Hop, caller: Caller): Promise<boolean> {
  const { pool, input, amountIn, amountOut } = hop;
  const { address, token0, token1 } = pool;
  const ask = (to: string, name: string, args: readonly unknown[]) =>
    orNull(async () => {
      const raw = await caller.call({ to, data: ORIGIN.encodeFunctionData(name, args) });
      return String(ORIGIN.decodeFunctionResult(name, raw)[0]);
    });
  const factory = await ask(route, "factory", []);
  if (factory === null) return false;
  if (pool.kind === "uniswap-v3")
    return (await ask(factory, "getPool", [token0, token1, pool.fee])) === address;
  if ((await ask(factory, "getPair", [token0, token1])) !== address) return false;
  const { reserve0, reserve1 } = pool;
  const reserves = input === token0 ? [reserve0, reserve1] : [reserve1, reserve0];
  return (await ask(route, "getAmountOut", [amountIn, ...reserves])) === amountOut.toString();
}

/** What the route's quoter says, of a quote that names no pools. */
export function quoterOutputs(quote: QuoteFacts, registry: Registry | undefined, caller: Caller): Repeated {
  const way = quotersWay(quote, registry);
  const again = way === null ? Promise.reject(new QuoterNotKnown()) : outputsAgain(way, quote, caller);
  return { fact: "quote", stated: [quote.amountOutRaw, quote.referenceAmountOutRaw], again };
}

/** The way of a quote whose quoter can be asked; null where only the registry would name it. */
function quotersWay(quote: QuoteFacts, registry: Registry | undefined): RouteWay | null {
  const { route: address, selector, path, fees } = quote;
  // The router of V2 is its own quoter. Fees beside its route say nothing, and must not keep it from being asked.
  if (selector === ROUTE_SELECTORS["uniswap-v2"])
    return { route: { kind: "uniswap-v2", address } as Route, path, fees: [] };
  const route = registry?.routes.find((one) => one.address === address && one.selector === selector);
  return route === undefined ? null : { route, path, fees };
}

/** What the quoter says of the whole amount and of the tiny one, raw units. */
async function outputsAgain(
  way: RouteWay,
  { amountInRaw, referenceAmountInRaw }: QuoteFacts,
  caller: Caller,
): Promise<string[]> {
  const amounts = [amountInRaw, referenceAmountInRaw];
  const outputs = amounts.map((amount) => quoterSays(way, BigInt(amount), caller.call));
  return (await Promise.all(outputs)).map(String);
}
