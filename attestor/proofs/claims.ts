/** What evidence claims of the chain's state, slot by slot: all that its proofs have to prove. */
import type { Evidence } from "../evidence/evidence.ts";
import { executorNumber } from "../evm/executors.ts";
import type { MandateName } from "../intent.ts";
import type { Mandate, MandateFacts } from "../mandates/mandate.ts";
import type { PoolState, UniswapV2State, UniswapV3State } from "../pools/poolState.ts";
import { factorAt, multiplierText, secondOf } from "../shares.ts";
import { addressOf } from "../values/primitives.ts";
import {
  guardSlots,
  moduleSlots,
  readAddressAnd,
  readExecutorNumber,
  readHalves,
  readLiquidity,
  readReserves,
  readSignerAndPaused,
  readSlot0,
  readTick,
  type SlotKey,
  safeSlots,
  v2Slots,
  v3Slots,
} from "./layout.ts";
import type { Slots } from "./stateProofs.ts";

export const ABOUT = ["guard", "mandate", "pool", "token"] as const;

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
export type Provable = Pick<Evidence, "chain" | "guard" | "mandate" | "quote" | "intent" | "trade" | "token">;

export function claimsOf(evidence: Provable): Claim[] {
  const { chain, guard, quote, intent, token } = evidence;
  const claims = [
    guardClaim(guard, guardSlots.signerAndPaused, "the guard's signer", (word) => {
      return readSignerAndPaused(word).signer === guard.signer.toLowerCase();
    }),
    guardClaim(guard, guardSlots.signerAndPaused, "whether the guard is paused", (word) => {
      return readSignerAndPaused(word).paused === guard.paused;
    }),
    // An account that can be no executor of the guard has no number, and no word says it.
    guardClaim(guard, guardSlots.signerAndPaused, "the guard's executor", (word) => {
      return readExecutorNumber(word) === executorNumber(guard.address, guard.executor);
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
  return [
    ...claims,
    ...mandateClaims(evidence),
    ...(quote?.pools ?? []).flatMap(poolClaims),
    ...tokenClaims(token, chain),
  ];
}

function guardClaim(
  { address }: Evidence["guard"],
  key: SlotKey,
  what: string,
  holds: Claim["holds"],
): Claim {
  return { about: "guard", address, key, what, holds };
}

/** All but the Safe's allowance, which tokens keep where they like. */
function mandateClaims({ intent, mandate, trade }: Pick<Evidence, "intent" | "mandate" | "trade">): Claim[] {
  if (intent.mandate === undefined || mandate === undefined) return [];
  const { safe } = intent.mandate;
  const { module, enabled } = mandate;
  const inModule = (key: SlotKey, what: string, holds: Claim["holds"]): Claim => ({
    about: "mandate",
    address: module,
    key,
    what,
    holds,
  });
  return [
    {
      about: "mandate",
      address: safe,
      key: safeSlots.module(module),
      what: "whether the Safe has enabled the module",
      holds: (word) => (word !== 0n) === enabled,
    },
    ...grantedClaims(intent.mandate, mandate.granted, inModule),
    ...windowClaims(intent.mandate, addressOf(trade.settlementAssetKey), mandate.window, inModule),
  ];
}

type InModule = (key: SlotKey, what: string, holds: Claim["holds"]) => Claim;

function grantedClaims(of: MandateName, granted: Mandate | null, claim: InModule): Claim[] {
  const { tokenAndExpiry } = moduleSlots;
  if (granted === null)
    return [claim(tokenAndExpiry(of), "that there is no mandate", (word) => expiryIn(word) === 0)];
  const { settlementToken, expiresAt, revoker, perTrade, perDay, budget, stocks, policies } = granted;
  const isCount = (count: number) => (word: bigint) => word === BigInt(count);
  return [
    claim(tokenAndExpiry(of), "the mandate's settlement token and expiry", (word) => {
      return isAddress(word, settlementToken) && expiryIn(word) === expiresAt;
    }),
    claim(moduleSlots.revoker(of), "who can revoke the mandate", (word) => isAddress(word, revoker)),
    claim(moduleSlots.perTradeAndDay(of), "the mandate's caps per trade and day", (word) => {
      const { low, high } = readHalves(word);
      return low === BigInt(perTrade) && high === BigInt(perDay);
    }),
    claim(moduleSlots.budget(of), "the mandate's budget", (word) => readHalves(word).low === BigInt(budget)),
    claim(moduleSlots.stockCount(of), "the number of the mandate's stocks", isCount(stocks.length)),
    ...stocks.map(({ token, sellable }, index) =>
      claim(moduleSlots.stock(of, index), `stock ${token} of the mandate`, (word) => {
        return isAddress(word, token) && readAddressAnd(word).above === BigInt(sellable);
      }),
    ),
    claim(moduleSlots.policyCount(of), "the number of the mandate's policies", isCount(policies.length)),
    ...policies.map((policy, index) =>
      claim(
        moduleSlots.policy(of, index),
        `policy ${policy} of the mandate`,
        (word) => word === BigInt(policy),
      ),
    ),
  ];
}

const isAddress = (word: bigint, address: string) => readAddressAnd(word).address === address.toLowerCase();
const expiryIn = (word: bigint) => secondOf(BigInt.asUintN(64, readAddressAnd(word).above));

function windowClaims(
  of: MandateName,
  token: string,
  { spent, firstHour, past }: MandateFacts["window"],
  claim: InModule,
): Claim[] {
  return [
    claim(moduleSlots.window(of, token), "what the agent spent within its last 25 hours", (word) => {
      const { low, high } = readHalves(word);
      return low === BigInt(spent) && BigInt.asUintN(64, high) === BigInt(firstHour);
    }),
    ...past.map((amount, index) =>
      claim(
        moduleSlots.spentInHour(of, token, firstHour + index),
        `what the agent spent in hour ${firstHour + index}`,
        (word) => word === BigInt(amount),
      ),
    ),
  ];
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
