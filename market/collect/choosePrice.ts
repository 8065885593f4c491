/** What a token's price per share is, of several sources' prices and share ratios. Pure. */
import type { LastShares } from "../series/shares.ts";
import { SeriesDecimal } from "../series/units.ts";
import {
  CONTINUITY_BOUND_BPS,
  PRICE_TOLERANCES,
  RATIO_TOLERANCE_BPS,
  SHARE_RATIO_BOUND_BPS,
  sessionFactor,
  WIDE_BOUND_BPS,
} from "../bounds.ts";
import type { Aside } from "./chooseReference.ts";
import type { ShareRatio, TokenPrice } from "./sources.ts";
import { differenceBps, type Level, levelOf, type Witness } from "../level.ts";

/** Of what a price is: a pool's is a witness beside lists and quotes. */
export type AnyPrice = Omit<TokenPrice, "kind"> & { readonly kind: keyof typeof PRICE_TOLERANCES };

export type Judged<T> = Level<Witness & { readonly row: T }>;

const DISPUTED = { figure: null, state: "disputed", spreadBps: null, agreed: [] } as const;

/** @returns US dollars per whole raw token */
export function choosePrice(rows: readonly AnyPrice[], session: string): Judged<AnyPrice> | null {
  return levelOf(
    rows.map((row) => ({
      source: row.source,
      origin: row.origin,
      figure: row.tokenPriceUsd,
      publishedAt: row.publishedAt,
      toleranceBps: PRICE_TOLERANCES[row.kind],
      row,
    })),
    sessionFactor(session),
  );
}

/** @returns shares per whole raw token */
export function chooseRatio(rows: readonly ShareRatio[]): Judged<ShareRatio> | null {
  return levelOf(
    rows.map((row) => ({
      source: row.source,
      origin: row.origin,
      figure: row.sharesPerToken,
      publishedAt: row.publishedAt,
      toleranceBps: RATIO_TOLERANCE_BPS,
      row,
    })),
  );
}

/** Why the rows of a level do not count: a majority is against them, or there is none. */
export function asideOf<T>({ aside, state }: Judged<T>): Aside<T>[] {
  return aside.map(({ row }) => ({ row, reason: state === "disputed" ? "disputed" : "outlier" }));
}

/** The same level, turned down: what stood for it is aside for a reason of its own. */
export function turnedDown<T>(level: Judged<T>): Judged<T> {
  return { ...DISPUTED, aside: [...level.agreed, ...level.aside] };
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
