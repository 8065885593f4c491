/** Pools in states that a chain could bring them into, and trades of all sizes, from a seed. */
import { sortedTokens, tickSpacingOf } from "../../../attestor/pools/create2.ts";
import {
  MAX_TICK,
  MIN_TICK,
  type UniswapV2State,
  type UniswapV3State,
} from "../../../attestor/pools/poolState.ts";
import { MAX_SQRT_RATIO, sqrtRatioAtTick } from "../../../attestor/pools/tickMath.ts";

export type Random = () => number;

/** A number of up to so many bits, small ones as often as large ones. */
export function bits(random: Random, most: number, least = 0): bigint {
  const length = least + Math.floor(random() * (most - least + 1));
  let value = 0n;
  for (let n = 0; n < length; n += 30) value = (value << 30n) | BigInt(Math.floor(random() * 2 ** 30));
  return (value & ((1n << BigInt(length)) - 1n)) | (length === 0 ? 0n : 1n << BigInt(length - 1));
}

const between = (random: Random, low: number, high: number) => low + Math.floor(random() * (high - low + 1));

export function randomPair(random: Random, address: string, a: string, b: string, feeBps = 30) {
  const [token0, token1] = sortedTokens(a, b);
  const [reserve0, reserve1] = [bits(random, 111).toString(), bits(random, 111).toString()];
  return { kind: "uniswap-v2", address, token0, token1, feeBps, reserve0, reserve1 } satisfies UniswapV2State;
}

/** A pool with one to ten positions around its price, and with gaps where nobody has any. */
export function randomPool(random: Random, address: string, a: string, b: string, fee: number) {
  const [token0, token1] = sortedTokens(a, b);
  const tickSpacing = tickSpacingOf(fee) as number;
  const reach = random() < 0.1 ? MAX_TICK - 1 : 100_000;
  const tick = between(random, -reach, reach);
  const nets = positions(random, tick, tickSpacing);
  const ticks = [...nets].sort(([one], [other]) => one - other);
  const liquidity = ticks.reduce((sum, [at, net]) => (at <= tick ? sum + net : sum), 0n);
  const words = new Map<number, bigint>();
  for (const [at] of ticks) {
    const place = at / tickSpacing;
    words.set(place >> 8, (words.get(place >> 8) ?? 0n) | (1n << BigInt(place & 255)));
  }
  return {
    kind: "uniswap-v3",
    address,
    token0,
    token1,
    fee,
    tickSpacing,
    sqrtPriceX96: priceIn(random, tick).toString(),
    tick,
    liquidity: liquidity.toString(),
    words: [...words]
      .sort(([one], [other]) => one - other)
      .map(([word, bitmap]) => ({ word, bitmap: bytes32(bitmap) })),
    ticks: ticks.map(([at, net]) => ({ tick: at, liquidityNet: net.toString() })),
  } satisfies UniswapV3State;
}

const bytes32 = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}`;

/** Somewhere in the tick, at its beginning, or where a trade that came down to its end left it. */
function priceIn(random: Random, tick: number): bigint {
  const low = sqrtRatioAtTick(tick);
  const high = sqrtRatioAtTick(tick + 1);
  const kind = random();
  if (kind < 0.1) return low;
  if (kind < 0.2 && high < MAX_SQRT_RATIO) return high;
  return low + ((high - low) * BigInt(Math.floor(random() * 1e9))) / 1_000_000_000n;
}

/** `liquidityNet` by tick. */
function positions(random: Random, tick: number, spacing: number): Map<number, bigint> {
  const nets = new Map<number, bigint>();
  const lowest = Math.ceil(MIN_TICK / spacing);
  const highest = Math.floor(MAX_TICK / spacing);
  const centre = Math.floor(tick / spacing);
  const scale = between(random, 20, 110);
  for (let n = between(random, 1, 10); n > 0; n--) {
    const width = 2 ** between(random, 0, 9);
    const from = centre + between(random, -2 * width, width);
    const lower = Math.max(lowest, Math.min(from, highest - 1));
    const upper = Math.max(lower + 1, Math.min(highest, from + between(random, 1, 2 * width)));
    const amount = bits(random, scale, Math.max(1, scale - 12));
    add(nets, lower * spacing, amount);
    add(nets, upper * spacing, -amount);
  }
  return nets;
}

function add(nets: Map<number, bigint>, tick: number, net: bigint): void {
  nets.set(tick, (nets.get(tick) ?? 0n) + net);
}

/** Raw units: sometimes anything, mostly something near what the pool's liquidity can bear. */
export function randomAmount(random: Random, state: UniswapV3State, zeroForOne: boolean): bigint {
  if (random() < 0.15) return bits(random, 120, 1);
  const price = BigInt(state.sqrtPriceX96);
  const liquidity = BigInt(state.liquidity) + bits(random, 60, 1);
  const virtual = zeroForOne ? (liquidity << 96n) / price : (liquidity * price) >> 96n;
  const size = virtual / (1n + bits(random, 14)) + bits(random, 20);
  return size === 0n ? 1n : size;
}
