/** How many shares a whole token stands for. One share would be a guess: what is not known is null. */

import { type Counting, sharesPerUnit, type TokenKind } from "../../attestor/shares.ts";
import type { Failure, Findings } from "../collect/sources.ts";
import { BINANCE_RWA, RATIO_CHAIN, type ShareRatio } from "../providers/binanceRwa.ts";
import { canonicalAddress } from "../providers/values.ts";
import type { LiveAsset } from "./assets.ts";
import { rejectionsOf } from "./findings.ts";
import type { LiveDeps, Upstreams } from "./upstreams.ts";

/** The listings' words for the kinds of tokens. */
const KINDS: Readonly<Record<LiveAsset["shares"], TokenKind>> = {
  rebasing: "rebasing",
  multiplier: "scaled",
  ratio: "price-bearing",
};

/** Whether anybody who is asked says how many shares a unit is. */
export function canBePriced({ shares, chain }: LiveAsset, keys: LiveDeps["keys"]): boolean {
  return shares !== "ratio" || (chain === RATIO_CHAIN && Boolean(keys?.binanceRwa));
}

export interface Shares {
  /** Decimal text, or null. @param counting what the price at hand is a price of */
  of(asset: LiveAsset, counting: Counting): string | null;
  /** What kept ratios from being known. */
  readonly troubles: Pick<Findings<never>, "failures" | "rejected">;
}

/** Never fails: without ratios the other tokens are priced all the same. */
export async function knownShares({ shareRatios }: Upstreams): Promise<Shares> {
  let rows: readonly ShareRatio[] = [];
  let troubles: Shares["troubles"] = {};
  try {
    const batch = await shareRatios();
    rows = batch.rows;
    troubles = { rejected: rejectionsOf("shares", BINANCE_RWA.name, batch.rejected) };
  } catch (error) {
    const failure: Failure = { subject: BINANCE_RWA.name, error };
    troubles = { failures: [failure] };
  }
  const ratios = new Map(rows.map(({ address, sharesPerToken }) => [address, sharesPerToken]));
  return {
    of: ({ shares, chain, address }, counting) => {
      const ratio = chain === RATIO_CHAIN ? ratios.get(canonicalAddress(chain, address) ?? "") : undefined;
      return sharesPerUnit(KINDS[shares], counting, ratio ?? null);
    },
    troubles,
  };
}
