/** The splits of stocks, by which prices from before one are made comparable with those from after it. */
import { Decimal } from "decimal.js";
import type { PremiumInputs } from "../../attestor/points/point.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { CorporateAction } from "./corporateActions.ts";
import { SeriesDecimal } from "./units.ts";

export interface StockSplit {
  /** When it took effect by its sources; where none tells that, when it was first seen. */
  readonly at: UnixSeconds;
  /** Shares after it for a share before, decimal text; null: its sources or its tokens disagree. */
  readonly factor: string | null;
  /** That it was a split, or when it took effect, no source says. */
  readonly inferred: boolean;
}

/** Splits of a stock that its tokens tell of no further apart are one. */
const SAME_SECONDS = 7 * 86_400;
/** Beside a split, the shares of a token may grow by a dividend. */
const NEAR = "0.005";
/** So many decimals prices have. */
const PLACES = 12;

/** @param actions of all tokens that stand for one stock @returns oldest first */
export function stockSplits(actions: readonly CorporateAction[]): StockSplit[] {
  const splits: StockSplit[] = [];
  const applied = actions
    .filter(({ kind, status }) => kind === "split" && status === "applied")
    .map((action) => ({
      at: action.effectiveAt ?? action.at,
      factor: factorOf(action),
      inferred: action.inferred || action.effectiveAt === null,
    }))
    .sort((one, other) => one.at - other.at);
  for (const split of applied) {
    const last = splits.at(-1);
    if (last === undefined || split.at - last.at > SAME_SECONDS) splits.push(split);
    else
      splits[splits.length - 1] = {
        at: last.at,
        factor: last.factor === split.factor ? last.factor : null,
        inferred: last.inferred && split.inferred,
      };
  }
  return splits;
}

function factorOf({ state, before, after }: CorporateAction): string | null {
  if (state === "disputed" || before === null || after === null) return null;
  const exact = new SeriesDecimal(after).dividedBy(before);
  const ratio = exact.gt(1) ? exact : new SeriesDecimal(1).dividedBy(exact);
  const simple = [ratio.toDecimalPlaces(0), new SeriesDecimal("1.5")].find((one) =>
    ratio.dividedBy(one).minus(1).abs().lte(NEAR),
  );
  if (simple === undefined) return exact.toFixed();
  return (exact.gt(1) ? simple : new SeriesDecimal(1).dividedBy(simple)).toFixed();
}

/** Prices of a point in shares of today. US dollars and shares as decimal text, rounded to 12 places. */
export interface Adjusted {
  /** Shares of today for a share of then. */
  readonly factor: string;
  readonly inferred: boolean;
  readonly tokenPriceUsd: string | null;
  readonly sharesPerToken: string | null;
  readonly pricePerShareUsd: string | null;
  readonly referencePriceUsd: string | null;
}

/**
 * The premium of adjusted prices is that of the prices: both sides are divided by the same.
 * @param sampledAt when the prices were sampled: splits after that count
 * @returns null where a split since then is disputed
 */
export function adjusted(
  inputs: Pick<PremiumInputs, "tokenPriceUsd" | "sharesPerToken" | "referencePriceUsd" | "stated">,
  sampledAt: UnixSeconds,
  splits: readonly StockSplit[],
): Adjusted | null {
  const since = splits.filter(({ at }) => at > sampledAt);
  let factor = new SeriesDecimal(1);
  for (const split of since) {
    if (split.factor === null) return null;
    factor = factor.times(split.factor);
  }
  const { tokenPriceUsd, sharesPerToken, referencePriceUsd, stated } = inputs;
  // Units of a token that is always a share are split with it. Of others the shares per unit are.
  const isShare = stated.some(([of, source]) => of === "ratio" && source === "registry");
  const perShare =
    tokenPriceUsd === null || sharesPerToken === null
      ? null
      : new SeriesDecimal(tokenPriceUsd).dividedBy(sharesPerToken);
  return {
    factor: textOf(factor) as string,
    inferred: since.some(({ inferred }) => inferred),
    tokenPriceUsd: isShare ? dividedBy(tokenPriceUsd, factor) : tokenPriceUsd,
    sharesPerToken:
      isShare || sharesPerToken === null ? sharesPerToken : textOf(factor.times(sharesPerToken)),
    pricePerShareUsd: dividedBy(perShare, factor),
    referencePriceUsd: dividedBy(referencePriceUsd, factor),
  };
}

/** Untouched where there is nothing to divide by. */
function dividedBy(price: Decimal.Value | null, factor: Decimal): string | null {
  if (price === null) return null;
  return typeof price === "string" && factor.eq(1)
    ? price
    : textOf(new SeriesDecimal(price).dividedBy(factor));
}

const textOf = (value: Decimal): string | null =>
  value.toDecimalPlaces(PLACES, Decimal.ROUND_HALF_UP).toFixed();
