/** Step `judgement` again: quotes that follow from the state of their pools, and quotes that are off by one thing. */
import type { QuoteFacts } from "../../../attestor/evidence/facts.ts";
import { policyById } from "../../../attestor/policies/policy.ts";
import { MAX_TICK } from "../../../attestor/pools/poolState.ts";
import { addressFor, SIDES } from "../../../test/attestor/fixtures.ts";
import { pooledQuote, V2_POOL } from "../../../test/attestor/pools/pooledQuotes.ts";
import { type Expected, type Row, SMALL_AND_SOUND, smallRow } from "./rows.ts";
import type { Bend, Changes } from "./service.ts";

/** A report with that quote. */
export function quoteRow(
  name: string,
  quote: QuoteFacts,
  expected: Expected,
  changes: Pick<Changes, "side" | "tokens">,
): Row {
  const made: Changes = {
    ...changes,
    policy: policyById("LAST_CLOSE"),
    facts: (facts) => (facts.quote = quote),
    intent: (intent) => (intent.amountInRaw = quote.amountInRaw),
  };
  return smallRow(`pools: ${name}`, made, expected);
}

const KINDS = ["uniswap-v2", "uniswap-v3"] as const;

const soundRows = KINDS.flatMap((kind) =>
  SIDES.map((side) =>
    quoteRow(`a ${side} through ${kind}`, pooledQuote(kind, side), SMALL_AND_SOUND, { side }),
  ),
);

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
        return quoteRow(name, forged, `INVALID judgement ${code}`, { side });
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
    return quoteRow(name, quote, `INVALID judgement ${code}`, { side: "buy" });
  });
}

const PAIRED = pooledQuote("uniswap-v2", "buy");
/** It crosses three ticks and more. */
const CROSSING = pooledQuote("uniswap-v3", "buy", 200_000_000_000n);

export const QUOTE_ROWS: readonly Row[] = [
  ...soundRows,
  ...amountRows,
  ...bentRows(PAIRED, OF_V2),
  ...bentRows(CROSSING, OF_V3),
  quoteRow(
    "more pools than hops",
    { ...PAIRED, pools: [V2_POOL, V2_POOL] },
    "INVALID judgement pools_not_of_hops",
    { side: "buy" },
  ),
  quoteRow(
    "pools of another kind",
    { ...PAIRED, pools: CROSSING.pools },
    "INVALID judgement pool_of_another_kind",
    { side: "buy" },
  ),
];
