/** What the dollar token is worth that buys are quoted in, and prices by it. Pure. */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { DOLLAR_TOLERANCE_BPS, RUNNING_SECONDS } from "../bounds.ts";
import { levelOf, type State } from "../level.ts";
import type { Rejection } from "../series/rejected.ts";
import { SeriesDecimal } from "../series/units.ts";
import type { DollarPrice, TokenPrice } from "../statement.ts";
import { outliersOf, witnessOf } from "./judged.ts";

/** A price outside of this is a slip of units, and no dollar. */
const [LEAST, MOST] = ["0.5", "1.5"];
const DOLLAR = "USDT";
const PRICE_PLACES = 18;

export interface Dollar {
  /** US dollars, as those agree who say it; null: they do not, or nobody says it. */
  readonly usd: string | null;
  readonly state: State | null;
}

/** A dollar token that counts as a dollar. */
const ONE: Dollar = { usd: "1", state: null };

export function chooseDollar(
  stated: readonly DollarPrice[],
  now: UnixSeconds,
): { readonly dollar: Dollar; readonly rejections: readonly Rejection[] } {
  const oldest = now - RUNNING_SECONDS;
  const isFaulty = ({ figure, at }: DollarPrice) =>
    (at ?? oldest) < oldest || new SeriesDecimal(figure).lt(LEAST) || new SeriesDecimal(figure).gt(MOST);
  const level = levelOf(
    stated.filter((one) => !isFaulty(one)).map((one) => witnessOf(one, DOLLAR_TOLERANCE_BPS)),
  );
  const rejection = (reason: string, sample: unknown): Rejection => {
    return { kind: "dollar", subject: DOLLAR, reason, sample };
  };
  const disputed = level?.state === "disputed" ? outliersOf(level).map(({ row }) => row) : [];
  return {
    dollar: { usd: level?.figure ?? null, state: level?.state ?? null },
    rejections: [
      ...stated.filter(isFaulty).map((one) => rejection("no_running_dollar", one)),
      ...(level === null ? [rejection("missing", {})] : []),
      ...(disputed.length > 0 ? [rejection("disputed", disputed)] : []),
    ],
  };
}

/**
 * US dollars for an amount of what was paid; null: nobody says what the dollar token is worth.
 * @param dollar null: not known
 */
export function inUsd(amount: string, paidIn: TokenPrice["paidIn"], dollar: Dollar | null): string | null {
  const { usd } = paidIn === "usd" ? ONE : (dollar ?? { usd: null });
  return usd === null ? null : new SeriesDecimal(amount).times(usd).toDecimalPlaces(PRICE_PLACES).toFixed();
}

/** The price in US dollars; none where nobody says what it was paid in. */
export function pricedInUsd(price: TokenPrice, dollar: Dollar | null): TokenPrice[] {
  if (price.paidIn === "usd") return [price];
  const figure = inUsd(price.figure, price.paidIn, dollar);
  return figure === null ? [] : [{ ...price, figure, paidIn: "usd", converted: dollar?.state ?? null }];
}
