/** Step `judgement` again: quotes that Uniswap's published contracts say of pools in drawn states. */
import type { QuoteFacts } from "../../../attestor/evidence/facts.ts";
import type { PoolState } from "../../../attestor/pools/poolState.ts";
import { poolOf, tinyAmount, tradePath } from "../../../attestor/pools/quote.ts";
import { tradeV3 } from "../../../attestor/pools/v3.ts";
import { randomStream } from "../../../devnet/random.ts";
import { SIDES, type Side, SWAP } from "../../../test/attestor/fixtures.ts";
import { FEES, type PublishedPools, publishedPools } from "../../../test/support/pools/publishedPools.ts";
import {
  bits,
  type Random,
  randomAmount,
  randomPair,
  randomPool,
} from "../../../test/support/pools/randomPools.ts";
import { quoteRow } from "./quotes.ts";
import { type Row, SMALL_AND_SOUND } from "./rows.ts";

/** A kind of trade to draw. */
interface Kind {
  readonly layout: PoolState["kind"];
  readonly hops: 1 | 2;
  /** Whether the first pool's token0 comes in. */
  readonly isDown: boolean;
  readonly side: Side;
}

const KINDS: readonly Kind[] = SIDES.flatMap((side) =>
  [true, false].flatMap((isDown) =>
    ([1, 2] as const).flatMap((hops) =>
      (["uniswap-v2", "uniswap-v3"] as const).map((layout) => ({ layout, hops, isDown, side })),
    ),
  ),
);

/** So many trades of a kind are drawn; enough that each number of crossed ticks is among them. */
const DRAWN = 400;
const SETTLEMENT_DECIMALS = 6;
/** More words of ticks than these make a vector needlessly long. */
const FEW_WORDS = 6;
const NO_WORD = `0x${"0".repeat(64)}`;

export async function poolRows(seed: number): Promise<Row[]> {
  const pools = await publishedPools();
  try {
    const rows = new Map<string, Row>();
    for (const [number, kind] of KINDS.entries()) {
      const random = randomStream(seed, "pools", number);
      for (let drawn = 0; drawn < DRAWN; drawn++) {
        const quote = quoteOf(pools, random, kind);
        if (quote === null) continue;
        const name = nameOf(kind, quote);
        if (rows.has(name)) continue;
        const said = await pools.quote(quote.pools!, quote.path, BigInt(quote.amountInRaw));
        if (said?.toString() !== quote.amountOutRaw)
          throw new Error(`the contracts say ${said}: ${JSON.stringify(quote)}`);
        rows.set(name, rowOf(name, quote, kind.side));
      }
    }
    return [...rows.values()];
  } finally {
    await pools.close();
  }
}

function nameOf({ layout, hops, isDown, side }: Kind, { pools }: QuoteFacts): string {
  const crossed = pools!.flatMap((pool) => (pool.kind === "uniswap-v3" ? pool.ticks : [])).length;
  const ticks = crossed === 0 ? "no tick crossed" : crossed < 5 ? "ticks crossed" : "many ticks crossed";
  return `a ${side} through ${hops} of ${layout}, ${isDown ? "down" : "up"}, ${ticks}`;
}

/** A drawn trade; null where a pool refuses it, or it looks at too much. */
function quoteOf(pools: PublishedPools, random: Random, kind: Kind): QuoteFacts | null {
  const { layout, hops, isDown, side } = kind;
  const tokens = hops === 1 ? pools.tokens.slice(0, 2) : [...pools.tokens];
  const path = isDown ? tokens : tokens.toReversed();
  const states = path.slice(1).map((token, hop) => drawnPool(pools, random, layout, path[hop]!, token));
  const [first] = states as [PoolState];
  const amountIn = first.kind === "uniswap-v2" ? bits(random, 90, 1) : randomAmount(random, first, isDown);
  const needed = neededOf(states, path, amountIn);
  if (needed === null || amountIn >= 2n ** 255n) return null;
  const trade = tradePath(needed, path[0]!, amountIn);
  if (trade.outcome !== "trades") return null;
  const tinyIn = tinyAmount(side, SETTLEMENT_DECIMALS, amountIn, trade.amountOut);
  const tiny = tradePath(needed, path[0]!, tinyIn);
  if (tiny.outcome !== "trades") return null;
  return {
    ...routeOf(pools, kind),
    path,
    fees: needed.flatMap((state) => (state.kind === "uniswap-v3" ? [state.fee] : [])),
    amountInRaw: amountIn.toString(),
    amountOutRaw: trade.amountOut.toString(),
    referenceAmountInRaw: tinyIn.toString(),
    referenceAmountOutRaw: tiny.amountOut.toString(),
    pools: needed,
  };
}

function routeOf({ v2, v3 }: PublishedPools, { layout, hops }: Kind) {
  if (layout === "uniswap-v2") return { routeName: "v2", route: v2.router, selector: SWAP };
  return { routeName: "v3", route: v3.router, selector: hops === 1 ? "0x414bf389" : "0xc04b8d59" };
}

function drawnPool(
  pools: PublishedPools,
  random: Random,
  layout: Kind["layout"],
  one: string,
  other: string,
): PoolState {
  if (layout === "uniswap-v2") return randomPair(random, pools.pairOf(one, other), one, other);
  const fee = FEES[Math.floor(random() * FEES.length)]!;
  return randomPool(random, pools.poolOf(one, other, fee), one, other, fee);
}

/** The pools with the words that the trade looks at and the ticks that it crosses, and no others. */
function neededOf(
  states: readonly PoolState[],
  path: readonly string[],
  amountIn: bigint,
): PoolState[] | null {
  const needed: PoolState[] = [];
  let amount = amountIn;
  for (const [hop, state] of states.entries()) {
    const looked = state.kind === "uniswap-v2" ? state : neededOfV3(state, path[hop]!, amount);
    const trade = looked === null ? null : tradePath([looked], path[hop]!, amount);
    if (looked === null || trade?.outcome !== "trades") return null;
    needed.push(looked);
    amount = trade.amountOut;
  }
  return needed;
}

function neededOfV3(
  state: Extract<PoolState, { kind: "uniswap-v3" }>,
  tokenIn: string,
  amount: bigint,
): PoolState | null {
  const pool = poolOf(state);
  // What no word names is not there on a chain.
  const trade = tradeV3(
    { ...pool, word: (index) => pool.word(index) ?? 0n },
    tokenIn === state.token0,
    amount,
  );
  if (trade.outcome !== "trades" || trade.words.length > FEW_WORDS) return null;
  const bitmapOf = (word: number) => state.words.find((each) => each.word === word)?.bitmap ?? NO_WORD;
  return {
    ...state,
    words: trade.words
      .toSorted((one, other) => one - other)
      .map((word) => ({ word, bitmap: bitmapOf(word) })),
    ticks: state.ticks.filter(({ tick }) => trade.ticks.includes(tick)),
  };
}

function rowOf(name: string, quote: QuoteFacts, side: Side): Row {
  const [input, output] = [quote.path[0]!, quote.path.at(-1)!];
  const [dollar, stock] = side === "buy" ? [input, output] : [output, input];
  return quoteRow(name, quote, SMALL_AND_SOUND, { side, tokens: { stock, dollar } });
}
