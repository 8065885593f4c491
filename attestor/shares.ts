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
