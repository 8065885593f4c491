/**
 * Step `judgement` again: quotes that follow from the state of their pools, and quotes that are off by one thing. What we
 * compute of pools like these is what Uniswap's published contracts say: test/attestor/pools/differential.slow.test.ts.
 */
import type { QuoteFacts } from "../../../attestor/evidence/facts.ts";
import { policyById } from "../../../attestor/policies/policy.ts";
import { MAX_TICK, type PoolState } from "../../../attestor/pools/poolState.ts";
import { randomStream } from "../../../devnet/random.ts";
import { addressFor, DOLLAR, SIDES, type Side, STOCK } from "../../../test/attestor/fixtures.ts";
import { pooledQuote, quoteThrough, V2_POOL } from "../../../test/attestor/pools/pooledQuotes.ts";
import {
  bits,
  type Random,
  randomAmount,
  randomPair,
  randomPool,
} from "../../../test/support/pools/randomPools.ts";
import { type Expected, type Row, SMALL_AND_SOUND, smallRow } from "./rows.ts";
import type { Bend, Changes } from "./service.ts";

/** A report with that quote. */
function quoteRow(name: string, quote: QuoteFacts, side: Side, expected: Expected): Row {
  const made: Changes = {
    side,
    policy: policyById("LAST_CLOSE"),
    facts: (facts) => (facts.quote = quote),
    intent: (intent) => (intent.amountInRaw = quote.amountInRaw),
  };
  return smallRow(`pools: ${name}`, made, expected);
}

const KINDS = ["uniswap-v2", "uniswap-v3"] as const;

/** Between dollar and stock on a path of two hops. */
const BETWEEN = addressFor("a token between");
const FEES = [100, 500, 3_000, 10_000];
/** So many trades are drawn of each kind; enough that each number of crossed ticks is among them. */
const DRAWN = 400;
/** More words of ticks than these make a vector needlessly long. */
const FEW_WORDS = 6;

const drawnPool = (random: Random, kind: (typeof KINDS)[number], one: string, other: string): PoolState => {
  const address = addressFor(`a pool of ${one} and ${other}`);
  if (kind === "uniswap-v2") return randomPair(random, address, one, other);
  return randomPool(random, address, one, other, FEES[Math.floor(random() * FEES.length)]!);
};

function drawnQuote(random: Random, kind: (typeof KINDS)[number], path: readonly string[], side: Side) {
  const pools = path.slice(1).map((token, hop) => drawnPool(random, kind, path[hop]!, token));
  const first = pools[0]!;
  const amountIn =
    first.kind === "uniswap-v2" ? bits(random, 90, 1) : randomAmount(random, first, path[0] === first.token0);
  return quoteThrough(pools, path, side, amountIn);
}

/** Ticks that a trade crosses, in all of its pools; null where a pool looks at too many words. */
function crossedTicks({ pools }: QuoteFacts): number | null {
  const v3 = pools!.filter((pool) => pool.kind === "uniswap-v3");
  if (v3.some(({ words }) => words.length > FEW_WORDS)) return null;
  return v3.flatMap(({ ticks }) => ticks).length;
}

/** A few are less than five. */
function countText(crossed: number): string {
  if (crossed === 0) return "no";
  return crossed < 5 ? "few" : "many";
}

/** Of each kind of drawn trade the first. */
function drawnRows(): Row[] {
  const rows = new Map<string, Row>();
  for (const side of SIDES)
    for (const kind of KINDS)
      for (const between of [[], [BETWEEN]]) {
        const path = side === "buy" ? [DOLLAR, ...between, STOCK] : [STOCK, ...between, DOLLAR];
        const random = randomStream(1, "pools", side, kind, between.length);
        for (let drawn = 0; drawn < DRAWN; drawn++) {
          const quote = drawnQuote(random, kind, path, side);
          const crossed = quote && crossedTicks(quote);
          if (quote === null || crossed === null) continue;
          const name = `a ${side} through ${path.length - 1} of ${kind}, ${countText(crossed)} ticks crossed`;
          if (!rows.has(name)) rows.set(name, quoteRow(name, quote, side, SMALL_AND_SOUND));
        }
      }
  return [...rows.values()];
}

/** Amounts that are one off, by the code that tells. */
const AMOUNTS = {
  amountOutRaw: "quote_not_of_pools",
  referenceAmountInRaw: "tiny_trade_of_another_amount",
  referenceAmountOutRaw: "tiny_quote_not_of_pools",
} as const;

const amountRows = KINDS.flatMap((kind) =>
  SIDES.flatMap((side) =>
    ([1n, -1n] as const).flatMap((step) =>
      Object.entries(AMOUNTS).map(([member, code]) => {
        const quote = pooledQuote(kind, side);
        const amount = BigInt(quote[member as keyof typeof AMOUNTS]) + step;
        const forged = { ...quote, [member]: amount.toString() };
        const name = `a ${side} through ${kind}, ${member} ${step > 0n ? "one more" : "one less"}`;
        return quoteRow(name, forged, side, `INVALID judgement ${code}`);
      }),
    ),
  ),
);

/** What a quote's first pool is off by, by the code that tells. */
type PoolBends = Readonly<Record<string, readonly [code: string, bend: Bend]>>;

const OF_V2: PoolBends = {
  "other reserves": ["quote_not_of_pools", (pool) => (pool.reserve0 += "0")],
  "no reserves": ["pools_cannot_trade_amount", (pool) => (pool.reserve0 = "0")],
  "another fee of a pair": ["quote_not_of_pools", (pool) => (pool.feeBps = 25)],
  "its tokens swapped": [
    "pool_of_other_tokens",
    (pool) => Object.assign(pool, { token0: pool.token1, token1: pool.token0 }),
  ],
};

const NO_BITS = `0x${"0".repeat(64)}`;
const wordBefore = ({ word }: { word: number }) => ({ word: word - 1, bitmap: NO_BITS });

const OF_V3: PoolBends = {
  "a tick missing": ["pool_state_missing", ({ ticks }) => ticks.splice(1, 1)],
  "a tick too many": ["tick_not_crossed", ({ ticks }) => ticks.push({ tick: MAX_TICK, liquidityNet: "1" })],
  "a tick twice": ["ticks_not_ascending", ({ ticks }) => ticks.splice(1, 0, { ...ticks[1] })],
  "a tick twice, with another value": [
    "ticks_not_ascending",
    ({ ticks }) => ticks.splice(1, 0, { ...ticks[1], liquidityNet: "7" }),
  ],
  "ticks out of order": ["ticks_not_ascending", ({ ticks }) => ticks.reverse()],
  "another liquidityNet": ["quote_not_of_pools", ({ ticks }) => (ticks[0].liquidityNet = "1")],
  "a tick of another place": ["pool_state_missing", ({ ticks }) => (ticks[0].tick += 60)],
  "no words": ["pool_state_missing", (pool) => (pool.words = [wordBefore(pool.words[0])])],
  "a word too many": ["word_not_needed", ({ words }) => words.unshift(wordBefore(words[0]))],
  "a word twice": ["words_not_ascending", ({ words }) => words.unshift({ ...words[0] })],
  "a bit less in a word": ["quote_not_of_pools", ({ words }) => (words.at(-1).bitmap = NO_BITS)],
  "another price": [
    "quote_not_of_pools",
    (pool) => (pool.sqrtPriceX96 = String(BigInt(pool.sqrtPriceX96) + 10n ** 12n)),
  ],
  "another tick than the price's": ["tick_not_of_price", (pool) => (pool.tick += 60)],
  "more liquidity": ["quote_not_of_pools", (pool) => (pool.liquidity += "0")],
  "another spacing": ["tick_spacing_not_of_fee", (pool) => (pool.tickSpacing = 10)],
  "another fee of a pool": ["pool_of_another_fee", (pool) => (pool.fee = 500)],
  "another token": ["pool_of_other_tokens", (pool) => (pool.token0 = addressFor("another token"))],
};

function bentRows(sound: QuoteFacts, bends: PoolBends): Row[] {
  return Object.entries(bends).map(([name, [code, bend]]) => {
    const quote = structuredClone(sound);
    bend(quote.pools![0]);
    return quoteRow(name, quote, "buy", `INVALID judgement ${code}`);
  });
}

const PAIRED = pooledQuote("uniswap-v2", "buy");
/** It crosses three ticks and more. */
const CROSSING = pooledQuote("uniswap-v3", "buy", 200_000_000_000n);

export const POOL_ROWS: readonly Row[] = [
  ...drawnRows(),
  ...amountRows,
  ...bentRows(PAIRED, OF_V2),
  ...bentRows(CROSSING, OF_V3),
  quoteRow(
    "more pools than hops",
    { ...PAIRED, pools: [V2_POOL, V2_POOL] },
    "buy",
    "INVALID judgement pools_not_of_hops",
  ),
  quoteRow(
    "pools of another kind",
    { ...PAIRED, pools: CROSSING.pools },
    "buy",
    "INVALID judgement pool_of_another_kind",
  ),
];
