/** Which of several prices of a stock is the reference. Pure. */
import { SeriesDecimal } from "../series/units.ts";
import {
  LAST_PRICE_SECONDS,
  MAX_CONFIDENCE_BPS,
  REFERENCE_BOUND_BPS,
  RUNNING_SECONDS,
  WIDE_BOUND_BPS,
} from "./bounds.ts";
import type { Reference, StockPrice } from "./sources.ts";
import { type Comparison, compareWitnesses, type Witness } from "./witnesses.ts";

export interface ReferenceChoice {
  /** Null: nobody states one, or those who do disagree. */
  readonly chosen: Reference | null;
  readonly aside: readonly { readonly row: StockPrice; readonly reason: string }[];
}

type Testimony = Witness & { readonly row: StockPrice };

/**
 * Running prices are compared among each other; then a last price of hours ago with what is left of them, by a
 * wider bound. Of those that agree the freshest kind counts: a running price with a time of its own, then one
 * whose age is not known (the oracle of a perpetual's venue), then the newest last price; within a kind, the
 * order of trust in which the rows come.
 * @param session of the stock market; while it is `regular` an old price is no witness
 * @param now unix seconds
 */
export function chooseReference(rows: readonly StockPrice[], session: string, now: number): ReferenceChoice {
  const aside: { row: StockPrice; reason: string }[] = [];
  const sure = rows.filter((row) => {
    if (!isWide(row)) return true;
    aside.push({ row, reason: "wide_confidence" });
    return false;
  });
  const witnesses = onePerSource(sure).map((row) => ({ source: row.source, figure: row.priceUsd, row }));
  const isRunning = ({ row }: Testimony) =>
    row.publishedAt === null || now - row.publishedAt <= RUNNING_SECONDS;
  const isLast = (witness: Testimony) =>
    !isRunning(witness) &&
    session !== "regular" &&
    now - (witness.row.publishedAt ?? 0) <= LAST_PRICE_SECONDS;
  const note = ({ aside: left, reason }: Comparison<Testimony>) =>
    aside.push(...left.map(({ row }) => ({ row, reason })));

  const running = compareWitnesses(witnesses.filter(isRunning), REFERENCE_BOUND_BPS);
  note(running);
  // Who runs and disagrees is not outvoted by what the price was hours ago.
  if (running.agreed.length === 0 && running.aside.length > 0) return { chosen: null, aside };
  const all = compareWitnesses([...running.agreed, ...witnesses.filter(isLast)], WIDE_BOUND_BPS);
  note(all);
  const [best] = [...all.agreed].sort((one, other) => rankOf(one.row, now) - rankOf(other.row, now));
  return { chosen: best ? { ...best.row, witnesses: all.agreed.length } : null, aside };
}

/** Lower is better. */
function rankOf({ publishedAt }: StockPrice, now: number): number {
  if (publishedAt === null) return 1;
  return now - publishedAt <= RUNNING_SECONDS ? 0 : 2 + now - publishedAt;
}

function isWide({ confidenceUsd, priceUsd }: StockPrice): boolean {
  if (confidenceUsd == null) return false;
  return new SeriesDecimal(confidenceUsd)
    .times(10_000)
    .gt(new SeriesDecimal(priceUsd).times(MAX_CONFIDENCE_BPS));
}

/** The newest of each source, at the place of its first. */
function onePerSource(rows: readonly StockPrice[]): StockPrice[] {
  const newest = new Map<string, StockPrice>();
  for (const row of rows) {
    const known = newest.get(row.source);
    if (!known || (row.publishedAt ?? 0) > (known.publishedAt ?? 0)) newest.set(row.source, row);
  }
  return [...newest.values()];
}
