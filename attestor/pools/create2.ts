/** The address of the pool of two tokens, computed from the registry alone. */
import { checksumAddress } from "../evm/address.ts";
import { keccak256, keccakOf } from "../evm/hash.ts";
import { memo } from "../memo.ts";
import type { Route } from "../registry.ts";

/** The spacing of ticks by fee tier (hundredths of a bip), as every V3 factory begins with. */
const TICK_SPACINGS: ReadonlyMap<number, number> = new Map([
  [100, 1],
  [500, 10],
  [3_000, 60],
  [10_000, 200],
]);

/** @returns undefined for a tier that a factory's owner has to add: its spacing is then that owner's word */
export function tickSpacingOf(fee: number): number | undefined {
  return TICK_SPACINGS.get(fee);
}

/** The order in which a pool has two tokens. */
export function sortedTokens(a: string, b: string): [string, string] {
  return BigInt(a) < BigInt(b) ? [a, b] : [b, a];
}

const hex = (value: string | number, bytes: number): string =>
  BigInt(value)
    .toString(16)
    .padStart(bytes * 2, "0");

/** An address costs three hashes, and every judgement asks for the same few. */
const poolAddresses = new WeakMap<NonNullable<Route["pools"]>, Map<string, string>>();

/**
 * The pool of two tokens behind a route.
 * @param fee hundredths of a bip; null for V2, which has one pool a pair
 * @returns EIP-55; null where the registry does not say how it follows
 */
export function poolAddress(route: Route, a: string, b: string, fee: number | null): string | null {
  const { pools } = route;
  if (pools === undefined) return null;
  const found = poolAddresses.get(pools) ?? new Map<string, string>();
  poolAddresses.set(pools, found);
  return memo(found, `${a} ${b} ${fee}`, () => create2(pools, a, b, fee));
}

function create2(pools: NonNullable<Route["pools"]>, a: string, b: string, fee: number | null): string {
  const [token0, token1] = sortedTokens(a, b);
  // V2 packs the two addresses, V3 encodes them and the fee as words.
  const salt =
    fee === null
      ? `0x${hex(token0, 20)}${hex(token1, 20)}`
      : `0x${[token0, token1, fee].map((v) => hex(v, 32)).join("")}`;
  const hash = keccakOf(["0xff", pools.deployer, keccak256(salt), pools.initCodeHash]);
  return checksumAddress(`0x${hash.slice(26)}`);
}
