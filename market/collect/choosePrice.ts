/** Which of several prices of a token counts. Pure. */
import { SeriesDecimal } from "../series/units.ts";
import { PRICE_BOUND_BPS, WIDE_BOUND_BPS } from "./bounds.ts";
import type { TokenPrice } from "./sources.ts";
import { compareWitnesses, differenceBps, type Witness } from "./witnesses.ts";

export interface PriceChoice {
  /** Null: there is none, or those there are disagree. */
  readonly chosen: TokenPrice | null;
  /** How many sources agree on it, itself included. */
  readonly witnesses: number;
  readonly aside: readonly { readonly row: TokenPrice; readonly reason: string }[];
}

/** US dollars per share, rounded where it has no end. */
export function perShare({ tokenPriceUsd, sharesPerToken }: TokenPrice): string {
  return new SeriesDecimal(tokenPriceUsd).dividedBy(sharesPerToken).toDecimalPlaces(18).toFixed();
}

/**
 * The stock's reference has a say by a wide bound: against a price that stands alone, and between prices that
 * disagree. Prices that agree with each other may be further from it: that is a premium.
 * @param rows in the order in which they are preferred
 * @param referenceUsd per share; null: there is none
 */
export function choosePrice(rows: readonly TokenPrice[], referenceUsd: string | null): PriceChoice {
  const prices = rows
    .map((row): Testimony => ({ source: row.source, figure: perShare(row), row }))
    .filter(({ figure }) => new SeriesDecimal(figure).gt(0));
  const stock = { source: STOCK, figure: referenceUsd ?? "", row: null };
  const wide =
    referenceUsd === null
      ? { agreed: prices, aside: [], reason: "odd_one_out" }
      : compareWitnesses<Testimony>([...prices, stock], WIDE_BOUND_BPS);
  const near = compareWitnesses(
    wide.agreed.filter(({ row }) => row !== null),
    PRICE_BOUND_BPS,
  );
  const left = [
    ...wide.aside.map(({ row }) => ({ row, reason: wide.reason })),
    ...near.aside.map(({ row }) => ({ row, reason: near.reason })),
  ];
  return {
    chosen: near.agreed[0]?.row ?? null,
    witnesses: near.agreed.length,
    aside: left.flatMap(({ row, reason }) => (row === null ? [] : [{ row, reason }])),
  };
}

const STOCK = "the stock";
type Testimony = Witness & { readonly row: TokenPrice | null };

/** What a token's share ratio and price were when they last counted. */
export interface LastShares {
  readonly sharesPerToken: string;
  /** US dollars per share. */
  readonly perShareUsd: string;
}

/**
 * Whether a share ratio may follow the last one. One that has moved by more than a dividend must have taken the
 * price with it: a split changes both, and leaves the price of a share where it was.
 */
export function ratioFollows(
  row: TokenPrice,
  last: LastShares | undefined,
  referenceUsd: string | null,
  bounds: { readonly ratioBps: number; readonly continuityBps: number },
): boolean {
  if (last === undefined) return true;
  if (differenceBps(row.sharesPerToken, last.sharesPerToken).lte(bounds.ratioBps)) return true;
  const share = perShare(row);
  if (!new SeriesDecimal(share).gt(0)) return false;
  const near = (usd: string) => differenceBps(share, usd).lte(bounds.continuityBps);
  // The last price tells nothing of a stock that has moved since: then the reference does.
  return near(last.perShareUsd) || (referenceUsd !== null && near(referenceUsd));
}
