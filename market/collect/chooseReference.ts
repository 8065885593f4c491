/** What the price of a stock is, of several sources' words. Pure. */
import type { Rejection } from "../series/rejected.ts";
import { SeriesDecimal } from "../series/units.ts";
import {
  LAST_PRICE_SECONDS,
  MAX_CONFIDENCE_BPS,
  RUNNING_SECONDS,
  referenceTolerance,
  sessionFactor,
  WIDE_BOUND_BPS,
} from "../bounds.ts";
import type { Reference, StockPrice } from "./sources.ts";
import { differenceBps, levelOf, type Witness } from "../level.ts";

export interface Aside<T> {
  readonly row: T;
  readonly reason: string;
}

/** What does not count of a subject, for the record. */
export const excluded = (kind: string, subject: string, aside: readonly Aside<unknown>[]): Rejection[] =>
  aside.map(({ row: sample, reason }) => ({ kind, subject, reason, sample }));

export interface ReferenceChoice {
  /** Null: nobody states a price that could count. */
  readonly level: Reference | null;
  readonly aside: readonly Aside<StockPrice>[];
}

type Testimony = Witness & { readonly row: StockPrice };

/**
 * The median of the running prices that agree. Where none runs, which the stock's own trading rules out, that of the
 * last prices; a running price that stands alone must not be far from all of them.
 * @param session of the stock market; while it is `regular` an old price is no witness
 * @param now unix seconds
 */
export function chooseReference(rows: readonly StockPrice[], session: string, now: number): ReferenceChoice {
  const aside: Aside<StockPrice>[] = [];
  const testimonies = rows.flatMap((row): Testimony[] => {
    const reason = isWide(row) ? "wide_confidence" : ageFault(row, session, now);
    if (reason !== null) aside.push({ row, reason });
    const { source, origin, priceUsd: figure, publishedAt } = row;
    const toleranceBps = referenceTolerance(source);
    return reason === null ? [{ source, origin, figure, publishedAt, toleranceBps, row }] : [];
  });
  const isRunning = ({ publishedAt }: Testimony) =>
    publishedAt === null || now - publishedAt <= RUNNING_SECONDS;
  const running = testimonies.filter(isRunning);
  const last = testimonies.filter((testimony) => !isRunning(testimony));
  const level = levelOf(running.length > 0 ? running : last, sessionFactor(session));
  if (level === null) return { level, aside };
  const { figure, state } = level;
  const isFar = ({ figure: other }: Witness) =>
    figure !== null && differenceBps(figure, other).gt(WIDE_BOUND_BPS);
  if (state === "single" && running.length > 0 && last.length > 0 && last.every(isFar)) {
    for (const { row } of level.agreed) aside.push({ row, reason: "far_from_last" });
    return { level: { figure: null, state: "disputed", spreadBps: null, agreed: [], aside: running }, aside };
  }
  for (const { row } of level.aside)
    aside.push({ row, reason: level.state === "disputed" ? "disputed" : "outlier" });
  return { level, aside };
}

/** Too old to be a running price while the stock trades, or a last price at any time. */
function ageFault({ publishedAt }: StockPrice, session: string, now: number): string | null {
  if (publishedAt === null) return null;
  const most = session === "regular" ? RUNNING_SECONDS : LAST_PRICE_SECONDS;
  return now - publishedAt > most ? "stale" : null;
}

function isWide({ confidenceUsd, priceUsd }: StockPrice): boolean {
  if (confidenceUsd == null) return false;
  return new SeriesDecimal(confidenceUsd)
    .times(10_000)
    .gt(new SeriesDecimal(priceUsd).times(MAX_CONFIDENCE_BPS));
}
