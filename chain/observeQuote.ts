/** How the quote of a report is read again: the state of its pools, whose pools they are, and what a quoter says. */
import type { Evidence } from "../attestor/evidence/evidence.ts";
import type { PoolState } from "../attestor/pools/poolState.ts";
import { type HopTrade, tradePath } from "../attestor/pools/quote.ts";
import { type Registry, ROUTE_SELECTORS } from "../attestor/registry.ts";
import { sameJson } from "../attestor/values/json.ts";

/** Asks a view of a contract by its name. @returns what it answers, empty where there is no contract */
export type Ask = (to: string, name: string, ...args: unknown[]) => Promise<readonly unknown[]>;

/** A fact of the evidence, and whether the chain says the same. */
export interface Question {
  readonly name: string;
  /** Null: the registry that would name the quoter is missing. `stranger`: no reader of that name is known here. */
  readonly isSame: (() => Promise<boolean>) | null | "stranger";
}

export function poolQuestion(pool: PoolState, ask: Ask): Question {
  const { address } = pool;
  const name = `pool ${address}`;
  const texts = async (what: string, ...args: unknown[]) => (await ask(address, what, ...args)).map(String);
  if (pool.kind === "uniswap-v2")
    return {
      name,
      isSame: async () => sameJson((await texts("getReserves")).slice(0, 2), [pool.reserve0, pool.reserve1]),
    };
  return {
    name,
    async isSame() {
      const [slot0, [liquidity], bitmaps, nets] = await Promise.all([
        texts("slot0"),
        texts("liquidity"),
        Promise.all(pool.words.map(async ({ word }) => (await texts("tickBitmap", word))[0])),
        Promise.all(pool.ticks.map(async ({ tick }) => (await texts("ticks", tick))[1])),
      ]);
      return (
        sameJson(slot0.slice(0, 2), [pool.sqrtPriceX96, String(pool.tick)]) &&
        liquidity === pool.liquidity &&
        sameJson(
          bitmaps,
          pool.words.map(({ bitmap }) => BigInt(bitmap).toString()),
        ) &&
        sameJson(
          nets,
          pool.ticks.map(({ liquidityNet }) => liquidityNet),
        )
      );
    },
  };
}

/**
 * Whether the route's own factory has each pool for its hop's tokens and fee, and the router of V2 takes the fee. That
 * never changes, so the newest block will do where the node forgot the evidence's.
 */
export function originQuestions(
  { route, path, amountInRaw }: NonNullable<Evidence["quote"]>,
  pools: readonly PoolState[],
  [then, now]: readonly [Ask, Ask],
): Question[] {
  const whole = tradePath(pools, path[0] as string, BigInt(amountInRaw));
  const paid = whole.outcome === "trades" ? whole.hops.map(amountOf) : [];
  return pools.map((pool, hop) => {
    const { kind, address, token0, token1 } = pool;
    const [amountIn, amountOut] = [hop === 0 ? amountInRaw : paid[hop - 1], paid[hop]];
    const isOf = async (ask: Ask) => {
      const [factory] = await ask(route, "factory");
      const [found] =
        kind === "uniswap-v3"
          ? await ask(String(factory), "getPool", token0, token1, pool.fee)
          : await ask(String(factory), "getPair", token0, token1);
      if (found !== address || kind === "uniswap-v3" || amountOut === undefined) return found === address;
      const { reserve0, reserve1 } = pool;
      const reserves = path[hop] === token0 ? [reserve0, reserve1] : [reserve1, reserve0];
      return String((await ask(route, "getAmountOut", amountIn, ...reserves))[0]) === amountOut;
    };
    return {
      name: `pool ${address} is the route's`,
      isSame: () => isOf(then).catch(() => isOf(now)),
    };
  });
}

const amountOf = (hop: HopTrade): string => (hop.outcome === "trades" ? hop.amountOut.toString() : "");

/** The router of V2 answers by itself; only the registry names the quoter of V3. */
export function quoterQuestion(
  quote: NonNullable<Evidence["quote"]>,
  ask: Ask,
  registry: Registry | undefined,
): Question {
  const { amountInRaw, amountOutRaw, referenceAmountInRaw, referenceAmountOutRaw } = quote;
  const out = quoting(quote, ask, registry);
  if (out === null) return { name: "quote", isSame: null };
  return {
    name: "quote",
    isSame: async () =>
      (await out(amountInRaw)) === amountOutRaw &&
      (await out(referenceAmountInRaw)) === referenceAmountOutRaw,
  };
}

/** How to ask what an amount becomes, raw units; null where the registry would have to say it and does not. */
function quoting(
  { route, selector, path, fees }: NonNullable<Evidence["quote"]>,
  ask: Ask,
  registry: Registry | undefined,
): ((amount: string) => Promise<string>) | null {
  // Fees beside a V2 route say nothing, and must not keep its router from being asked.
  if (fees.length === 0 || selector === ROUTE_SELECTORS["uniswap-v2"])
    return async (amount) =>
      String(
        ((await ask(route, "getAmountsOut", amount, path))[0] as readonly unknown[] | undefined)?.at(-1),
      );
  const listed = registry?.routes.find((one) => one.address === route && one.selector === selector);
  if (listed === undefined || listed.kind === "uniswap-v2") return null;
  const [input, output] = path;
  return async (amount) =>
    String((await ask(listed.quoter, "quoteExactInputSingle", [input, output, amount, fees[0], 0]))[0]);
}
