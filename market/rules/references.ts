/** What the price of a stock is, of several sources' words. Pure. */
import {
  LAST_PRICE_SECONDS,
  MAX_CONFIDENCE_BPS,
  RUNNING_SECONDS,
  referenceTolerance,
  sessionFactor,
  WIDE_BOUND_BPS,
} from "../bounds.ts";
import { differenceBps, levelOf, type Witness } from "../level.ts";
import { SeriesDecimal } from "../series/units.ts";
import type { StockPrice } from "../statement.ts";
import { type Exclusion, type Judged, outliersOf, turnedDown, witnessOf } from "./judged.ts";

/** The price of a stock in a round, as its sources agree on it. */
export type Reference = Judged<StockPrice>;

/**
 * The median of the running prices that agree. Where none runs, which the stock's own trading rules out, that of the
 * last prices; a running price that stands alone must not be far from all of them.
 * @param session of the stock market; while it is `regular` an old price is no witness
 * @param now unix seconds
 */
export function chooseReference(
  rows: readonly StockPrice[],
  session: string,
  now: number,
): { readonly level: Reference | null; readonly exclusions: readonly Exclusion<StockPrice>[] } {
  const exclusions: Exclusion<StockPrice>[] = [];
  const witnesses = rows.flatMap((row) => {
    const reason = isWide(row) ? "wide_confidence" : ageFault(row, session, now);
    if (reason !== null) exclusions.push({ row, reason });
    return reason === null ? [witnessOf(row, referenceTolerance(row.source))] : [];
  });
  const isRunning = ({ publishedAt }: Witness) =>
    publishedAt === null || now - publishedAt <= RUNNING_SECONDS;
  const running = witnesses.filter(isRunning);
  const last = witnesses.filter((witness) => !isRunning(witness));
  const level = levelOf(running.length > 0 ? running : last, sessionFactor(session));
  if (level === null) return { level, exclusions: exclusions };
  const { figure, state } = level;
  const isFar = ({ figure: other }: Witness) =>
    figure !== null && differenceBps(figure, other).gt(WIDE_BOUND_BPS);
  if (state === "single" && running.length > 0 && last.length > 0 && last.every(isFar)) {
    for (const { row } of level.agreed) exclusions.push({ row, reason: "far_from_last" });
    return { level: turnedDown({ ...level, agreed: [], outliers: running }), exclusions: exclusions };
  }
  return { level, exclusions: [...exclusions, ...outliersOf(level)] };
}

/** Too old to be a running price while the stock trades, or a last price at any time. */
function ageFault({ at }: StockPrice, session: string, now: number): string | null {
  if (at === null) return null;
  const most = session === "regular" ? RUNNING_SECONDS : LAST_PRICE_SECONDS;
  return now - at > most ? "stale" : null;
}

function isWide({ confidence, figure }: StockPrice): boolean {
  if (confidence === null) return false;
  return new SeriesDecimal(confidence).times(10_000).gt(new SeriesDecimal(figure).times(MAX_CONFIDENCE_BPS));
}
