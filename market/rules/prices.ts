/** What a token's price per share is, of several sources' prices and share ratios. Pure. */
import { factorAt } from "../../attestor/shares.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import {
  CONTINUITY_BOUND_BPS,
  PRICE_TOLERANCES,
  RATIO_TOLERANCE_BPS,
  SHARE_RATIO_BOUND_BPS,
  sessionFactor,
  WIDE_BOUND_BPS,
} from "../bounds.ts";
import { differenceBps, levelOf } from "../level.ts";
import type { LastShares } from "../series/shares.ts";
import { SeriesDecimal } from "../series/units.ts";
import type { ShareRatio, TokenPrice } from "../statement.ts";
import { type Judged, witnessOf } from "./judged.ts";

/** @returns US dollars per whole raw token */
export function choosePrice(rows: readonly TokenPrice[], session: string): Judged<TokenPrice> | null {
  return levelOf(
    rows.map((row) => witnessOf(row, PRICE_TOLERANCES[row.by])),
    sessionFactor(session),
  );
}

/** @returns shares per whole raw token, as announced changes have it by now */
export function chooseRatio(rows: readonly ShareRatio[], now: UnixSeconds): Judged<ShareRatio> | null {
  return levelOf(rows.map((row) => witnessOf(row, RATIO_TOLERANCE_BPS, factorNow(row, now))));
}

function factorNow({ figure: current, change }: ShareRatio, now: UnixSeconds): string {
  return change === null ? current : factorAt({ ...change, current }, now);
}

/**
 * Whether a price that stands alone may count beside the stock's: not a quarter away from it. Prices that agree with each
 * other may be further: that is a premium.
 */
export function isNearStock(price: Judged<unknown>, shares: string, referenceUsd: string | null): boolean {
  if (price.state !== "single" || price.figure === null || referenceUsd === null) return true;
  return differenceBps(perShare(price.figure, shares), referenceUsd).lte(WIDE_BOUND_BPS);
}

/**
 * Whether a share ratio that one source alone states may follow the last one. A dividend or a split changes the token's
 * price with it, so that the premium stays where it was.
 */
export function ratioFollows(
  ratio: Judged<unknown>,
  tokenPriceUsd: string | null,
  referenceUsd: string | null,
  last: LastShares | undefined,
): boolean {
  const { figure, state } = ratio;
  if (last === undefined || figure === null || state !== "single") return true;
  if (differenceBps(figure, last.sharesPerToken).lte(SHARE_RATIO_BOUND_BPS)) return true;
  if (tokenPriceUsd === null) return false;
  const before = perShare(last.tokenPriceUsd, last.sharesPerToken);
  const now = perShare(tokenPriceUsd, figure);
  // Against the stock's price, which may have moved since.
  const against = (usd: string, reference: string | null) =>
    referenceUsd === null || last.referenceUsd === null ? usd : perShare(usd, reference ?? "1");
  return differenceBps(against(now, referenceUsd), against(before, last.referenceUsd)).lte(
    CONTINUITY_BOUND_BPS,
  );
}

/** A price divided by a number of shares, rounded where it has no end. */
function perShare(usd: string, shares: string): string {
  return new SeriesDecimal(usd).dividedBy(shares).toDecimalPlaces(18).toFixed();
}
