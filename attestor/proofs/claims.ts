/** What evidence claims of the chain's state, slot by slot: all that its proofs have to prove. */
import type { Evidence } from "../evidence/evidence.ts";
import type { PoolState, UniswapV2State, UniswapV3State } from "../pools/poolState.ts";
import { factorAt, multiplierText, secondOf } from "../shares.ts";
import {
  guardSlots,
  readLiquidity,
  readReserves,
  readSignerAndPaused,
  readSlot0,
  readTick,
  type SlotKey,
  v2Slots,
  v3Slots,
} from "./layout.ts";
import type { Slots } from "./stateProofs.ts";

export const ABOUT = ["guard", "pool", "token"] as const;

export interface Claim {
  readonly about: (typeof ABOUT)[number];
  /** The contract, EIP-55. */
  readonly address: string;
  readonly key: SlotKey;
  /** What is claimed, as a reader calls it. */
  readonly what: string;
  /** Whether the word in the slot says so. */
  holds(word: bigint): boolean;
}

/** The parts of evidence that state proofs can prove. */
export type Provable = Pick<Evidence, "chain" | "guard" | "quote" | "intent" | "trade" | "token">;

export function claimsOf(evidence: Provable): Claim[] {
  const { chain, guard, quote, intent, token } = evidence;
  const claims = [
    guardClaim(guard, guardSlots.signerAndPaused, "the guard's signer", (word) => {
      return readSignerAndPaused(word).signer === guard.signer.toLowerCase();
    }),
    guardClaim(guard, guardSlots.signerAndPaused, "whether the guard is paused", (word) => {
      return readSignerAndPaused(word).paused === guard.paused;
    }),
  ];
  if (quote !== null)
    claims.push(
      guardClaim(
        guard,
        guardSlots.routeAllowed(quote.route, quote.selector),
        "whether the route is allowed",
        (word) => {
          return (word !== 0n) === guard.routeAllowed;
        },
      ),
    );
  // The guard pays every owner; it asks its list about others alone.
  if (intent.recipientAddress !== intent.ownerAddress)
    claims.push(
      guardClaim(
        guard,
        guardSlots.recipientAllowed(intent.recipientAddress),
        "whether the recipient is allowed",
        (word) => {
          return (word !== 0n) === guard.recipientAllowed;
        },
      ),
    );
  return [...claims, ...(quote?.pools ?? []).flatMap(poolClaims), ...tokenClaims(token, chain)];
}

function guardClaim(
  { address }: Evidence["guard"],
  key: SlotKey,
  what: string,
  holds: Claim["holds"],
): Claim {
  return { about: "guard", address, key, what, holds };
}

function poolClaims(pool: PoolState): Claim[] {
  return pool.kind === "uniswap-v2" ? v2Claims(pool) : v3Claims(pool);
}

function v2Claims(pool: UniswapV2State): Claim[] {
  const { address } = pool;
  return [
    {
      about: "pool",
      address,
      key: v2Slots.reserves,
      what: `the reserves of ${address}`,
      holds(word) {
        const { reserve0, reserve1 } = readReserves(word);
        return reserve0 === BigInt(pool.reserve0) && reserve1 === BigInt(pool.reserve1);
      },
    },
  ];
}

function v3Claims(pool: UniswapV3State): Claim[] {
  const { address } = pool;
  const claim = (key: SlotKey, what: string, holds: Claim["holds"]): Claim => ({
    about: "pool",
    address,
    key,
    what: `${what} of ${address}`,
    holds,
  });
  return [
    claim(v3Slots.slot0, "price and tick", (word) => {
      const { sqrtPriceX96, tick } = readSlot0(word);
      return sqrtPriceX96 === BigInt(pool.sqrtPriceX96) && tick === pool.tick;
    }),
    claim(v3Slots.liquidity, "the liquidity", (word) => readLiquidity(word) === BigInt(pool.liquidity)),
    ...pool.words.map(({ word: index, bitmap }) =>
      claim(v3Slots.bitmap(index), `word ${index} of the ticks`, (word) => word === BigInt(bitmap)),
    ),
    ...pool.ticks.map(({ tick, liquidityNet }) =>
      claim(v3Slots.tick(tick), `tick ${tick}`, (word) => {
        const seen = readTick(word);
        // A tick without liquidity is none: naming it would cross a tick that is not there.
        return seen.liquidityGross !== 0n && seen.liquidityNet === BigInt(liquidityNet);
      }),
    ),
  ];
}

/**
 * What the slots of a layout have to hold; none without one, or without a factor and an announcement of the token's own.
 * A change that matures by time alone is judged by the block's: so does the contract.
 */
export function tokenClaims(
  { layout, factor, announcement }: Evidence["token"],
  { blockTimestamp }: Pick<Evidence["chain"], "blockTimestamp">,
): Claim[] {
  if (layout === null || announcement === null || factor?.address == null) return [];
  const { address } = factor;
  const { change } = announcement;
  const claim = (key: SlotKey, what: string, holds: Claim["holds"]): Claim => ({
    about: "token",
    address,
    key,
    what,
    holds,
  });
  const { uiMultiplier: current, newUIMultiplier: next } = layout;
  const inEffect = factorAt({ current, next, effectiveAt: change?.effectiveAt ?? 0 }, blockTimestamp);
  const claims = [
    claim(layout.effectiveAt, "when the announced change takes effect", (word) =>
      change === null ? word === 0n : word !== 0n && secondOf(word) === change.effectiveAt,
    ),
    claim(inEffect, "the shares factor", (word) => multiplierText(word) === factor.value),
  ];
  if (change !== null)
    claims.push(claim(next, "the announced factor", (word) => multiplierText(word) === change.value));
  return claims;
}

/** The slots behind claims, by account. */
export function slotsOf(claims: readonly Claim[]): Slots {
  const slots = new Map<string, Set<SlotKey>>();
  for (const { address, key } of claims) slots.set(address, (slots.get(address) ?? new Set()).add(key));
  return slots;
}

/** What the evidence lists twice of a pool: words and ticks must ascend, so each appears once. */
export function listedTwice(pools: readonly PoolState[]): string[] {
  return pools.flatMap((pool) => {
    if (pool.kind !== "uniswap-v3") return [];
    const { address, words, ticks } = pool;
    return [
      ...(isAscending(words.map(({ word }) => word)) ? [] : [`the words of ${address}`]),
      ...(isAscending(ticks.map(({ tick }) => tick)) ? [] : [`the ticks of ${address}`]),
    ];
  });
}

const isAscending = (list: readonly number[]): boolean =>
  list.every((item, index) => index === 0 || (list[index - 1] as number) < item);
