/**
 * Where the tokens stand, gathered from public token lists. Match by address, never by symbol: impostors are common.
 */
import { BSTOCKS } from "./listings/bstocks.ts";
import type { Listing } from "./listings/listing.ts";
import { ONDO } from "./listings/ondo.ts";
import { XSTOCKS } from "./listings/xstocks.ts";

export type { Listing } from "./listings/listing.ts";

export const LISTINGS: readonly Listing[] = [...XSTOCKS, ...ONDO, ...BSTOCKS];

/** Tokens that stand in the issuers' lists beside stocks, and why they are none of ours. */
export const UNLISTED: readonly {
  readonly symbol: string;
  readonly address: string;
  readonly reason: string;
}[] = [
  {
    symbol: "USDY",
    address: "0x608593d17A2decBbc4399e4185bE4922F97eD32E",
    reason: "a note on the dollar's yield: it stands for no stock",
  },
];
