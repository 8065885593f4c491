/**
 * Where the tokens stand, gathered from public token lists, and what they stand for. Match by address, never by symbol:
 * impostors are common.
 */

import { z } from "zod";
import { CHAIN_NAMES } from "../../attestor/chains.ts";
import { Text } from "../../attestor/values/primitives.ts";
import LISTED from "./listings.json" with { type: "json" };
import NAMED from "./underlyings.json" with { type: "json" };

/**
 * How many shares one token is; it is not simply one. `multiplier`: the issuer publishes a factor that grows with
 * dividends and splits. `rebasing`: balances and amounts on chain are scaled already. `ratio`: divide the price of
 * a token by the issuer's token-to-share ratio.
 */
export const Shares = z.enum(["multiplier", "rebasing", "ratio"]);

/**
 * How sure an address is. `high`: stated by the issuer's own list, or by two sources that do not copy each other;
 * `medium`: by one source. Such tokens are priced and say so, and no trade is verified by this list.
 */
export const Confidence = z.enum(["high", "medium"]);

export const ListedIssuer = z.enum(["xstocks", "ondo", "bstocks"]);

const Name = Text.trim().min(1).max(80);
export const Ticker = z.string().regex(/^[A-Z][A-Z.]{0,5}$/, "must be a ticker");

/** Tokens of one issuer on one chain. */
const Listing = z.strictObject({
  issuer: ListedIssuer,
  chain: z.enum(CHAIN_NAMES),
  decimals: z.int(),
  /** What the issuer appends to the ticker. */
  suffix: z.string().max(4),
  shares: Shares,
  confidence: Confidence,
  /** By ticker of the underlying. */
  addresses: z.record(Ticker, z.string()),
});
export type Listing = z.infer<typeof Listing>;

/** A stock or fund that tokens stand for. */
export const Underlying = z.strictObject({
  nameEn: Name,
  /** As commonly used; the English name where no Chinese one is in common use. */
  nameCn: Name,
  /** Sector or `etf` first, then what else tells it apart; `unclassified` where nobody has looked it up. */
  tags: z
    .array(z.string().regex(/^[a-z][a-z-]*$/, "must be lower-case words"))
    .min(1)
    .refine((tags) => new Set(tags).size === tags.length, "must not repeat a tag"),
});
export type Underlying = z.infer<typeof Underlying>;

const Listed = z.strictObject({
  listings: z.array(Listing),
  /** Tokens in the issuers' lists that are no stocks, and why they are excluded. */
  unlisted: z.array(z.strictObject({ symbol: z.string(), address: z.string(), reason: z.string() })),
});

/** @throws Error that names the file and each of its faults */
export function parseData<T>(file: string, schema: z.ZodType<T>, data: unknown): T {
  const { success, data: parsed, error } = schema.safeParse(data);
  if (!success) throw new Error(`market/registry/${file} cannot be used:\n${z.prettifyError(error)}`);
  return parsed;
}

export const { listings: LISTINGS, unlisted: UNLISTED } = parseData("listings.json", Listed, LISTED);

/** By ticker. */
export const UNDERLYINGS: ReadonlyMap<string, Underlying> = new Map(
  Object.entries(parseData("underlyings.json", z.record(Ticker, Underlying), NAMED)),
);
