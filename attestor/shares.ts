/**
 * How many shares of the stock a unit of a token is. The collectors and the verifier both ask here, so that a premium
 * means the same in a series and in a report.
 *
 * Issuers publish a factor for each token, and it means three things:
 * - `rebasing` (xStocks on EVM chains): balances, transfers and so the amounts in a pool contain the factor already.
 *   One unit is one share, and a price must never be divided by it.
 * - `scaled` (ERC-8056 on EVM chains, Token-2022's scaled amounts on Solana): contracts and pools count raw units, wallets
 *   show them times the factor. A raw unit is as many shares as the factor says, a displayed one is one share.
 * - `price-bearing` (Ondo's sValue, a token-to-share ratio): wallets show raw units too, and each is as many shares as
 *   the factor says.
 */
import * as z from "zod";
import { EvidenceDecimal } from "./values/decimal.ts";
import { Bytes32, LAST_SECOND } from "./values/primitives.ts";
import type { UnixSeconds } from "./values/time.ts";
import { wholeUnits } from "./values/wholeUnits.ts";

export const TOKEN_KINDS = ["rebasing", "scaled", "price-bearing"] as const;
export const TokenKind = z
  .enum(TOKEN_KINDS)
  .describe("What the issuer's factor does: see attestor/shares.ts");
export type TokenKind = z.infer<typeof TokenKind>;

/** Whole units as contracts and pools count them, or as wallets (and some price lists) display them. */
export type Counting = "raw" | "displayed";

/**
 * Shares per whole unit, as decimal text.
 * @param factor the issuer's factor, decimal text; null where it is not known
 * @returns null where the kind needs a factor that is not known, or is no number above zero: one share would be a guess
 */
export function sharesPerUnit(kind: TokenKind, counting: Counting, factor: string | null): string | null {
  if (kind === "rebasing") return "1";
  if (kind === "scaled" && counting === "displayed") return "1";
  return factor !== null && new EvidenceDecimal(factor).greaterThan(0) ? factor : null;
}

/**
 * The multiplier in effect at a time: the new one from `effectiveAt` on, in every form of announcement (ERC-8056,
 * Token-2022, xStocks' API). A change without a value or a time never counts.
 * @param change `effectiveAt` in unix seconds; 0 where a contract never announced one
 * @param time unix seconds; of a chain's state the block's
 */
export function factorAt<T>(
  change: { readonly current: T; readonly next: T | null; readonly effectiveAt: UnixSeconds | null },
  time: UnixSeconds,
): T {
  const { current, next, effectiveAt } = change;
  return next === null || effectiveAt === null || time < effectiveAt ? current : next;
}

/**
 * Where an ERC-8056 token keeps the multiplier from before the last announced change, the announced one, and its
 * effective time. Each takes a whole word, with 18 decimals or in unix seconds. Only for tokens whose
 * `uiMultiplier()` is what `factorAt` makes of these words at the block's time.
 */
export const MultiplierLayout = z
  .strictObject({ uiMultiplier: Bytes32, newUIMultiplier: Bytes32, effectiveAt: Bytes32 })
  .describe("Storage slots of an ERC-8056 token's multiplier, of the announced one and of its time");
export type MultiplierLayout = z.infer<typeof MultiplierLayout>;

const MULTIPLIER_DECIMALS = 18;

/** A multiplier as contracts count it, as decimal text; null for zero, which says that there is none. */
export function multiplierText(word: bigint): string | null {
  return word === 0n ? null : wholeUnits(word, MULTIPLIER_DECIMALS);
}

/** A time as contracts count it. One that evidence cannot write is as good as never. */
export function secondOf(word: bigint): UnixSeconds {
  return word < LAST_SECOND ? Number(word) : LAST_SECOND;
}
