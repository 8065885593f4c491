/**
 * The state of a pool at the block of the evidence: all that its quote follows from, and nothing else. Amounts are raw
 * units of the pool's own tokens, whose order is the order of their addresses.
 */
import * as z from "zod";
import { Address, Bytes32, RawAmount } from "../values/primitives.ts";

/** The ticks that a V3 pool can have. */
export const MIN_TICK = -887_272;
export const MAX_TICK = 887_272;

const MAX_UINT112 = 2n ** 112n - 1n;
const MAX_UINT128 = 2n ** 128n - 1n;
const MAX_UINT160 = 2n ** 160n - 1n;

const upTo = (most: bigint, bits: number) =>
  RawAmount.refine((value) => BigInt(value) <= most, `must fit into ${bits} bits`);

const Tick = z.int().min(MIN_TICK).max(MAX_TICK);

/** An int128 as a decimal string. */
const LiquidityNet = z
  .string()
  .regex(/^(0|-?[1-9][0-9]{0,38})$/, { message: "must be a decimal integer", abort: true })
  .refine((value) => {
    const number = BigInt(value);
    return number < 2n ** 127n && number >= -(2n ** 127n);
  }, "must fit into 128 bits with sign");

const pool = { address: Address, token0: Address, token1: Address };

export const UniswapV2State = z.strictObject({
  kind: z.literal("uniswap-v2"),
  ...pool,
  feeBps: z
    .int()
    .min(0)
    .max(9_999)
    .describe("What the router takes of the input, in basis points: 30 (Uniswap), 25 (PancakeSwap)"),
  reserve0: upTo(MAX_UINT112, 112).describe("What the pair holds of token0 by its own account, raw units"),
  reserve1: upTo(MAX_UINT112, 112).describe("What the pair holds of token1 by its own account, raw units"),
});
export type UniswapV2State = z.infer<typeof UniswapV2State>;

/** More than any trade that a policy allows walks over; a trade beyond them is quoted by the route's own quoter. */
export const MAX_WORDS = 256;
const MAX_TICKS = 512;

export const UniswapV3State = z.strictObject({
  kind: z.literal("uniswap-v3"),
  ...pool,
  fee: z.int().min(0).max(999_999).describe("Fee tier in hundredths of a bip: 3000 is 0.3 %"),
  tickSpacing: z
    .int()
    .min(1)
    .max(16_383)
    .describe("Distance in ticks between places where liquidity may begin or end"),
  sqrtPriceX96: upTo(MAX_UINT160, 160).describe(
    "The square root of token1 per token0, raw units, times 2^96",
  ),
  tick: Tick.describe("The tick that the price is in: 1.0001 to its power is token1 per token0, raw units"),
  liquidity: upTo(MAX_UINT128, 128).describe("Liquidity in range, in the pool's own units"),
  /** The words of `tickBitmap` that the trade looks at: consecutive, ascending by their int16 index. */
  words: z
    .array(
      z.strictObject({
        word: z.int().min(-32_768).max(32_767).describe("Index of the word in `tickBitmap`"),
        bitmap: Bytes32,
      }),
    )
    .min(1)
    .max(MAX_WORDS),
  /** The initialized ticks that the trade crosses, ascending. */
  ticks: z
    .array(
      z.strictObject({
        tick: Tick.describe("An initialized tick that the trade crosses"),
        liquidityNet: LiquidityNet.describe(
          "What crossing it upwards adds to the liquidity, in the pool's own units",
        ),
      }),
    )
    .max(MAX_TICKS),
});
export type UniswapV3State = z.infer<typeof UniswapV3State>;

export const PoolState = z.discriminatedUnion("kind", [UniswapV2State, UniswapV3State]);
export type PoolState = z.infer<typeof PoolState>;
