/**
 * Vectors of quotes from the state of pools: both directions, ticks crossed, one hop and two, buys and sells. Each sound
 * amount is what the published contracts say of these pools; the others are off by one thing.
 */
import type { QuoteFacts } from "../../attestor/evidence/facts.ts";
import type { PoolState, UniswapV3State } from "../../attestor/pools/poolState.ts";
import { type HopTrade, tinyAmount, tradePath } from "../../attestor/pools/quote.ts";
import { parseRegistry, type Registry } from "../../attestor/registry.ts";
import { assetKeyOf } from "../../attestor/values/primitives.ts";
import { randomStream } from "../../devnet/random.ts";
import { CHAIN_ID, OWNER, REGISTRY, SIDES, type Side, SWAP } from "../../test/attestor/fixtures.ts";
import { FEES, type PublishedPools, publishedPools } from "../../test/support/pools/publishedPools.ts";
import {
  bits,
  type Random,
  randomAmount,
  randomPair,
  randomPool,
} from "../../test/support/pools/randomPools.ts";
import { bareReport } from "./bare.ts";
import { type Candidate, candidateOf } from "./candidate.ts";

type Layout = PoolState["kind"];

/** A trade to be found among random ones. */
interface Wanted {
  readonly layout: Layout;
  readonly hops: 1 | 2;
  /** Whether the first pool's token0 comes in. */
  readonly isDown: boolean;
  readonly side: Side;
  /** Initialized ticks that are crossed, in all pools. */
  readonly crossings: (count: number) => boolean;
  readonly words: string;
}

const SETTLEMENT_DECIMALS = 6;
const ATTEMPTS = 20_000;
/** More words of ticks than these make a vector needlessly long. */
const FEW_WORDS = 6;

export async function pooledDocuments(seed: number): Promise<Candidate[]> {
  const pools = await publishedPools();
  try {
    const made: Candidate[] = [];
    for (const [number, wanted] of wantedTrades().entries())
      made.push(...(await documentsOf(pools, randomStream(seed, "pooled", number), wanted)));
    return made;
  } finally {
    await pools.close();
  }
}

function wantedTrades(): Wanted[] {
  const crossings = [
    { words: "no tick crossed", crossings: (count: number) => count === 0 },
    { words: "ticks crossed", crossings: (count: number) => count > 0 && count < 5 },
    { words: "many ticks crossed", crossings: (count: number) => count >= 5 },
  ];
  const none = crossings.slice(0, 1);
  return SIDES.flatMap((side) =>
    [true, false].flatMap((isDown) =>
      ([1, 2] as const).flatMap((hops) =>
        (["uniswap-v2", "uniswap-v3"] as const).flatMap((layout) =>
          (layout === "uniswap-v2" ? none : crossings).map((each) => ({
            ...each,
            layout,
            hops,
            isDown,
            side,
          })),
        ),
      ),
    ),
  );
}

async function documentsOf(pools: PublishedPools, random: Random, wanted: Wanted): Promise<Candidate[]> {
  const quote = await found(pools, random, wanted);
  const { layout, hops, isDown, side } = wanted;
  const name = `pools: a ${side} through ${hops} of ${layout}, ${isDown ? "down" : "up"}, ${wanted.words}`;
  const changes = changesOf(quote);
  const [what, change] = changes[Math.floor(random() * changes.length)]!;
  const changed: QuoteFacts = structuredClone(quote);
  change(changed as unknown as Bent);
  return [documentOf(name, quote, side), documentOf(`${name}, ${what}`, changed, side)];
}

async function found(pools: PublishedPools, random: Random, wanted: Wanted): Promise<QuoteFacts> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const quote = drawn(pools, random, wanted);
    if (quote === null) continue;
    const said = await pools.quote(quote.pools!, quote.path, BigInt(quote.amountInRaw));
    if (said?.toString() !== quote.amountOutRaw)
      throw new Error(`the contracts say ${said}: ${JSON.stringify(quote)}`);
    return quote;
  }
  throw new Error(`no trade with ${wanted.words} was drawn`);
}

/** Null where the trade is refused, or another one than wanted. */
function drawn(pools: PublishedPools, random: Random, wanted: Wanted): QuoteFacts | null {
  const tokens = wanted.hops === 1 ? pools.tokens.slice(0, 2) : [...pools.tokens];
  const path = wanted.isDown ? tokens : tokens.toReversed();
  const whole = path.slice(1).map((token, hop) => stateOf(pools, random, wanted.layout, path[hop]!, token));
  const [first] = whole as [PoolState];
  const amountIn =
    first.kind === "uniswap-v2" ? bits(random, 90, 1) : randomAmount(random, first, wanted.isDown);
  const trade = tradePath(whole.map(everyWord), path[0]!, amountIn);
  if (trade.outcome !== "trades") return null;
  const looked = whole.map((state, hop) => lookedAt(state, trade.hops[hop]!));
  const crossed = looked.flatMap((state) => (state.kind === "uniswap-v3" ? state.ticks : [])).length;
  const isLong = looked.some((state) => state.kind === "uniswap-v3" && state.words.length > FEW_WORDS);
  if (isLong || !wanted.crossings(crossed) || amountIn >= 2n ** 255n) return null;
  const tinyIn = tinyAmount(wanted.side, SETTLEMENT_DECIMALS, amountIn, trade.amountOut);
  const tiny = tradePath(looked, path[0]!, tinyIn);
  if (tiny.outcome !== "trades") return null;
  const layout = wanted.layout === "uniswap-v2" ? "v2" : "v3";
  return {
    routeName: layout,
    route: pools[layout].router,
    selector: layout === "v2" ? SWAP : wanted.hops === 1 ? "0x414bf389" : "0xc04b8d59",
    path,
    fees: looked.flatMap((state) => (state.kind === "uniswap-v3" ? [state.fee] : [])),
    amountInRaw: amountIn.toString(),
    amountOutRaw: trade.amountOut.toString(),
    referenceAmountInRaw: tinyIn.toString(),
    referenceAmountOutRaw: tiny.amountOut.toString(),
    pools: looked,
  };
}

function stateOf(
  pools: PublishedPools,
  random: Random,
  layout: Layout,
  one: string,
  other: string,
): PoolState {
  if (layout === "uniswap-v2") return randomPair(random, pools.pairOf(one, other), one, other);
  const fee = FEES[Math.floor(random() * FEES.length)]!;
  return randomPool(random, pools.poolOf(one, other, fee), one, other, fee);
}

/** With the words around its ticks, as a chain has them: nothing is initialized there. */
function everyWord(state: PoolState): PoolState {
  if (state.kind === "uniswap-v2") return state;
  const words = new Map(state.words.map(({ word, bitmap }) => [word, bitmap]));
  const around = [Math.floor(state.tick / state.tickSpacing) >> 8, ...words.keys()];
  for (const word of around)
    for (let near = word - FEW_WORDS; near <= word + FEW_WORDS; near++)
      if (!words.has(near)) words.set(near, `0x${"0".repeat(64)}`);
  return { ...state, words: [...words].map(([word, bitmap]) => ({ word, bitmap })) };
}

/** What the trade looked at and crossed, and nothing else. */
function lookedAt(state: PoolState, trade: HopTrade): PoolState {
  if (state.kind === "uniswap-v2" || trade.outcome !== "trades") return state;
  const ascending = (one: number, other: number) => one - other;
  const bitmapOf = (word: number) =>
    state.words.find((each) => each.word === word)?.bitmap ?? `0x${"0".repeat(64)}`;
  return {
    ...state,
    words: [...trade.words].sort(ascending).map((word) => ({ word, bitmap: bitmapOf(word) })),
    ticks: state.ticks.filter(({ tick }) => trade.ticks.includes(tick)),
  };
}

/** Bent as if each pool were of V3; what concerns others alone is done to them. */
type Bent = Omit<QuoteFacts, "pools"> & { pools: [BentPool, ...BentPool[]] };
type BentPool = Omit<UniswapV3State, "words" | "ticks"> & {
  words: [UniswapV3State["words"][0], ...UniswapV3State["words"]];
  ticks: [UniswapV3State["ticks"][0], ...UniswapV3State["ticks"]];
};
type Change = (quote: Bent) => void;

/** What a quote may be off by. */
function changesOf(quote: QuoteFacts): [string, Change][] {
  const [first] = quote.pools as [PoolState];
  return first.kind === "uniswap-v2"
    ? [...EVERYWHERE, ["another fee", ({ pools: [pool] }) => void Object.assign(pool, { feeBps: 25 })]]
    : [...EVERYWHERE, ...OF_V3, ...ofWords(first), ...ofTicks(first)];
}

const oneMore =
  (member: "amountOutRaw" | "referenceAmountOutRaw"): Change =>
  (quote) =>
    void Object.assign(quote, { [member]: (BigInt(quote[member]) + 1n).toString() });

const EVERYWHERE: readonly [string, Change][] = [
  ["paying one more", oneMore("amountOutRaw")],
  ["the tiny trade paying one more", oneMore("referenceAmountOutRaw")],
  ["a pool less", ({ pools }) => void (pools.length > 1 ? pools.pop() : pools.push(pools[0]))],
  [
    "its tokens swapped",
    ({ pools: [pool] }) => void Object.assign(pool, { token0: pool.token1, token1: pool.token0 }),
  ],
];

const OF_V3: readonly [string, Change][] = [
  ["a word more", ({ pools: [{ words }] }) => void words.push({ ...words[0], word: 32_000 })],
  ["another tick spacing", ({ pools: [pool] }) => void Object.assign(pool, { tickSpacing: 7 })],
  ["the price of another tick", ({ pools: [pool] }) => void Object.assign(pool, { tick: pool.tick + 1 })],
];

const ofWords = ({ words }: UniswapV3State): [string, Change][] =>
  words.length < 2 ? [] : [["a word less", (quote) => void quote.pools[0].words.shift()]];

function ofTicks({ ticks }: UniswapV3State): [string, Change][] {
  const [first] = ticks;
  if (first === undefined)
    return [
      [
        "a tick that it does not cross",
        ({ pools: [pool] }) => void pool.ticks.push({ tick: 0, liquidityNet: "1" }),
      ],
    ];
  const liquidityNet = (-BigInt(first.liquidityNet)).toString();
  return [
    ["a crossed tick less", ({ pools: [pool] }) => void pool.ticks.pop()],
    ["a tick twice", ({ pools: [pool] }) => void pool.ticks.push(pool.ticks[0])],
    ["other liquidity at a tick", ({ pools: [pool] }) => void Object.assign(pool.ticks[0], { liquidityNet })],
  ];
}

function documentOf(name: string, quote: QuoteFacts, side: Side): Candidate {
  const [input, output] = [quote.path[0]!, quote.path.at(-1)!];
  const [dollar, stock] = side === "buy" ? [input, output] : [output, input];
  const intent = {
    ownerAddress: OWNER,
    recipientAddress: OWNER,
    inputAssetKey: assetKeyOf(CHAIN_ID, input),
    outputAssetKey: assetKeyOf(CHAIN_ID, output),
    amountInRaw: quote.amountInRaw,
    policyId: "LAST_CLOSE",
    maxSlippageBps: 50,
  };
  const report = bareReport({ quote }, { side, registry: registryOf({ dollar, stock }), intent });
  return candidateOf(name, report);
}

function registryOf(tokens: { dollar: string; stock: string }): Registry {
  const assets = REGISTRY.assets.map((asset) => {
    const address = asset.kind === "stock" ? tokens.stock : tokens.dollar;
    return { ...asset, address, assetKey: assetKeyOf(CHAIN_ID, address) };
  });
  return parseRegistry({ ...REGISTRY, assets });
}
