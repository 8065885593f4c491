/** What evidence says of the chain's state, slot by slot: all that its proofs have to prove. */
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

export interface ProofRow {
  /** The contract, EIP-55. */
  readonly address: string;
  readonly slot: SlotKey;
  /** What the slot decides: `guard.signer`, `pool.ticks.120`, `token.factor`. */
  readonly what: string;
  /** Whether the word in the slot says what the evidence says. */
  holds(word: bigint): boolean;
}

/** The parts of evidence that state proofs can prove. */
export type Provable = Pick<Evidence, "chain" | "guard" | "quote" | "intent" | "trade" | "token">;

export function rowsOf({ chain, guard, quote, intent, token }: Provable): ProofRow[] {
  return [
    ...guardRows(guard, quote, intent),
    ...(quote?.pools ?? []).flatMap(poolRows),
    ...tokenRows(token, chain),
  ];
}

function guardRows(
  guard: Provable["guard"],
  quote: Provable["quote"],
  intent: Pick<Provable["intent"], "ownerAddress" | "recipientAddress">,
): ProofRow[] {
  const { address } = guard;
  const { signerAndPaused, routeAllowed, recipientAllowed } = guardSlots;
  const rows: ProofRow[] = [
    {
      address,
      slot: signerAndPaused,
      what: "guard.signer",
      holds: (word) => readSignerAndPaused(word).signer === guard.signer.toLowerCase(),
    },
    {
      address,
      slot: signerAndPaused,
      what: "guard.paused",
      holds: (word) => readSignerAndPaused(word).paused === guard.paused,
    },
  ];
  if (quote !== null)
    rows.push({
      address,
      slot: routeAllowed(quote.route, quote.selector),
      what: "guard.routeAllowed",
      holds: (word) => (word !== 0n) === guard.routeAllowed,
    });
  // The guard pays every owner; it asks its list about others alone.
  if (intent.recipientAddress !== intent.ownerAddress)
    rows.push({
      address,
      slot: recipientAllowed(intent.recipientAddress),
      what: "guard.recipientAllowed",
      holds: (word) => (word !== 0n) === guard.recipientAllowed,
    });
  return rows;
}

function poolRows(pool: PoolState): ProofRow[] {
  return pool.kind === "uniswap-v2" ? v2Rows(pool) : v3Rows(pool);
}

function v2Rows({ address, ...pool }: UniswapV2State): ProofRow[] {
  return [
    {
      address,
      slot: v2Slots.reserves,
      what: "pool.reserves",
      holds(word) {
        const { reserve0, reserve1 } = readReserves(word);
        return reserve0 === BigInt(pool.reserve0) && reserve1 === BigInt(pool.reserve1);
      },
    },
  ];
}

function v3Rows({ address, ...pool }: UniswapV3State): ProofRow[] {
  return [
    {
      address,
      slot: v3Slots.slot0,
      what: "pool.price",
      holds(word) {
        const { sqrtPriceX96, tick } = readSlot0(word);
        return sqrtPriceX96 === BigInt(pool.sqrtPriceX96) && tick === pool.tick;
      },
    },
    {
      address,
      slot: v3Slots.liquidity,
      what: "pool.liquidity",
      holds: (word) => readLiquidity(word) === BigInt(pool.liquidity),
    },
    ...pool.words.map(({ word: index, bitmap }) => ({
      address,
      slot: v3Slots.bitmap(index),
      what: `pool.words.${index}`,
      holds: (word: bigint) => word === BigInt(bitmap),
    })),
    ...pool.ticks.map(({ tick, liquidityNet }) => ({
      address,
      slot: v3Slots.tick(tick),
      what: `pool.ticks.${tick}`,
      holds(word: bigint) {
        const { liquidityGross, liquidityNet: net } = readTick(word);
        // A tick without liquidity is none: naming it would cross a tick that is not there.
        return liquidityGross !== 0n && net === BigInt(liquidityNet);
      },
    })),
  ];
}

/**
 * What the slots of a layout have to hold; none without one, or without a factor and an announcement of the token's own.
 * A change that matures by time alone is judged by the block's: so does the contract.
 */
export function tokenRows(
  { layout, factor, announcement }: Evidence["token"],
  { blockTimestamp }: Pick<Evidence["chain"], "blockTimestamp">,
): ProofRow[] {
  if (layout === null || announcement === null || factor?.address == null) return [];
  const { address, value } = factor;
  const { change } = announcement;
  const { uiMultiplier: current, newUIMultiplier: next } = layout;
  const rows: ProofRow[] = [
    {
      address,
      slot: layout.effectiveAt,
      what: "token.changeTime",
      holds: (word) => (word === 0n ? change === null : secondOf(word) === change?.effectiveAt),
    },
    {
      address,
      slot: factorAt({ current, next, effectiveAt: change?.effectiveAt ?? 0 }, blockTimestamp),
      what: "token.factor",
      holds: (word) => multiplierText(word) === value,
    },
  ];
  if (change !== null)
    rows.push({
      address,
      slot: next,
      what: "token.announcedFactor",
      holds: (word) => multiplierText(word) === change.value,
    });
  return rows;
}

/** The slots of rows, by account. */
export function slotsOf(rows: readonly ProofRow[]): Slots {
  const slots = new Map<string, Set<SlotKey>>();
  for (const { address, slot } of rows) slots.set(address, (slots.get(address) ?? new Set()).add(slot));
  return slots;
}
