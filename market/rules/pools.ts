/**
 * Which pools of a token count, and with what. What an index states of a pool sets nothing by itself: a pool that
 * nobody trades in can state any price and any liquidity. Pure.
 */
import type { Decimal } from "decimal.js";
import {
  POOL_FLOOR_USD,
  PRICE_TOLERANCES,
  SMALLEST_IMPACT_BPS,
  STATED_PER_MEASURED_DEPTH,
  TURNOVERS_A_DAY,
  WIDE_BOUND_BPS,
} from "../bounds.ts";
import { differenceBps, levelOf } from "../level.ts";
import { SeriesDecimal } from "../series/units.ts";
import type { PoolState } from "../statement.ts";
import { type Exclusion, witnessOf } from "./judged.ts";

/** Between a pool's price and a quote. */
const QUOTED_BPS = PRICE_TOLERANCES.pool + PRICE_TOLERANCES.quote;

export interface PoolsChoice {
  readonly counted: readonly PoolState[];
  /** Those that look like what they are not; small and idle ones are left out without a word. */
  readonly exclusions: readonly Exclusion<PoolState>[];
}

/** Measured impacts of buying, basis points as decimal text; null: no route. */
export interface Measured {
  readonly impact1kBps: string | null;
  readonly impact10kBps: string | null;
}

/**
 * The liquidity that a constant-product pool would hold in which buys cost what was measured: 2 * size / impact.
 * @returns US dollars; 0 where nobody quotes a buy
 */
function measuredDepthUsd({ impact1kBps, impact10kBps }: Measured): Decimal {
  const [usd, impact] = impact10kBps === null ? [1_000, impact1kBps] : [10_000, impact10kBps];
  if (impact === null) return new SeriesDecimal(0);
  return new SeriesDecimal(2 * usd * 10_000).dividedBy(SeriesDecimal.max(SMALLEST_IMPACT_BPS, impact));
}

/** Large enough, and with a trade in the last day. Where an index counts no trades its volume tells. */
function isAlive({ liquidityUsd, volume24hUsd, trades24h }: PoolState): boolean {
  if (liquidityUsd === null || new SeriesDecimal(liquidityUsd).lt(POOL_FLOOR_USD)) return false;
  return trades24h === null ? new SeriesDecimal(volume24hUsd ?? 0).gt(0) : trades24h > 0;
}

/**
 * The pools whose volume and liquidity count: alive, with a depth and a turnover that measured buys confirm. The bounds
 * hold for all of them together, so that many small inventions come to no more than one: the smaller pool counts first.
 * @param measured of the token; null: no buy was measured yet, and no pool counts
 */
export function countPools(pools: readonly PoolState[], measured: Measured | null): PoolsChoice {
  if (measured === null) return { counted: [], exclusions: [] };
  const depth = measuredDepthUsd(measured);
  const alive = pools.filter(isAlive);
  const deep = within(alive, depth.times(STATED_PER_MEASURED_DEPTH), ({ liquidityUsd }) => liquidityUsd);
  const busy = within(deep, depth.times(TURNOVERS_A_DAY), ({ volume24hUsd }) => volume24hUsd);
  return {
    counted: busy,
    exclusions: [
      ...alive.filter((row) => !deep.includes(row)).map((row) => ({ row, reason: "depth_not_confirmed" })),
      ...deep.filter((row) => !busy.includes(row)).map((row) => ({ row, reason: "volume_beyond_depth" })),
    ],
  };
}

/** The rows whose figures fit under a sum, smallest first, in the order in which they came. */
function within(
  rows: readonly PoolState[],
  most: Decimal,
  figureOf: (row: PoolState) => string | null,
): PoolState[] {
  const figure = (row: PoolState) => new SeriesDecimal(figureOf(row) ?? 0);
  const fitting = new Set<PoolState>();
  let sum = new SeriesDecimal(0);
  for (const row of [...rows].sort((one, other) => figure(one).comparedTo(figure(other)))) {
    sum = sum.plus(figure(row));
    if (sum.gt(most)) break;
    fitting.add(row);
  }
  return rows.filter((row) => fitting.has(row));
}

/**
 * The pool that prices a token: of those whose price a quote of this round confirms, or without a quote of those
 * that agree with each other, the deepest.
 * @param quoteUsd per whole raw token; null: nobody quotes
 * @param referenceUsd of as many shares as a token is; null: there is none
 */
export function pricingPool(
  pools: readonly PoolState[],
  quoteUsd: string | null,
  referenceUsd: string | null,
): { readonly pool: PoolState | null; readonly exclusions: readonly Exclusion<PoolState>[] } {
  const priced = pools.filter(
    (row) => isAlive(row) && row.figure !== null && new SeriesDecimal(row.figure).gt(0),
  );
  // Each pool is a witness of its own here; beside other sources their index is one.
  const witnesses = priced.map((row) => {
    const identity = { source: row.pool, origin: row.pool, publishedAt: null };
    return { ...witnessOf(row, PRICE_TOLERANCES.pool), ...identity };
  });
  const near = witnesses.filter(
    ({ figure }) => referenceUsd === null || differenceBps(figure, referenceUsd).lte(WIDE_BOUND_BPS),
  );
  // All of them far from the stock is a premium, if a quote says so too.
  const candidates = near.length > 0 ? near : witnesses;
  const agreed =
    quoteUsd === null
      ? (levelOf(candidates)?.agreed ?? [])
      : candidates.filter(({ figure }) => differenceBps(figure, quoteUsd).lte(QUOTED_BPS));
  // Where a quote confirms none, the deepest is heard as the quote's opponent.
  const heard = agreed.length > 0 || quoteUsd === null ? agreed : candidates;
  const pool = heard.reduce<PoolState | null>(
    (best, { row }) =>
      best === null || new SeriesDecimal(row.liquidityUsd ?? 0).gt(best.liquidityUsd ?? 0) ? row : best,
    null,
  );
  const exclusions = witnesses
    .filter((witness) => !heard.includes(witness))
    .map(({ row }) => ({ row, reason: "price_not_confirmed" }));
  return { pool, exclusions };
}
