/** Volume and liquidity of a token, of its pools. Pure. */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { MISSING_PART, TAPE_FACTOR, TAPE_FLOOR_USD } from "../bounds.ts";
import { DAY_SECONDS } from "../series/hours.ts";
import type { Rejection } from "../series/rejected.ts";
import { SeriesDecimal, sumOf } from "../series/units.ts";
import type { PoolState, VolumeState } from "../statement.ts";
import { excluded } from "./judged.ts";
import { countPools, type Measured } from "./pools.ts";

/** US dollars; null: not stated. */
export interface RecentVolume {
  readonly volume24hUsd: string | null;
  readonly liquidityUsd: string | null;
  readonly sampledAt: UnixSeconds;
}

/** The pools that counted in a token's volume, with their liquidity in US dollars. */
export interface RecentPools {
  readonly at: UnixSeconds;
  readonly liquidityUsd: ReadonlyMap<string, string>;
}

/** What is known of a token beside its pools. */
export interface VolumeBefore {
  /** Null: no buy was measured yet. */
  readonly measured: Measured | null;
  readonly last: RecentVolume | undefined;
  readonly pools: RecentPools | undefined;
}

export interface VolumeFindings {
  /** Null: none of its pools count, and its volume is not known. */
  readonly state: VolumeState | null;
  /** Whether its figures can follow those of before; without it there is no new one. */
  readonly counts: boolean;
  readonly counted: readonly PoolState[];
  readonly rejections: readonly Rejection[];
}

export function volumeOf(
  assetKey: string,
  rows: readonly PoolState[],
  { measured, last, pools }: VolumeBefore,
  now: UnixSeconds,
): VolumeFindings {
  const { counted, exclusions } = countPools(rows, measured);
  const rejections = excluded("pool", assetKey, exclusions);
  const state = summed(assetKey, counted, now);
  if (state === null) return { state, counts: false, counted, rejections };
  const reason = jump(state, last, now) ?? missingPools(pools, rows, now);
  if (reason !== null) rejections.push({ kind: "volume", subject: assetKey, reason, sample: state });
  return { state, counts: reason === null, counted, rejections };
}

/** Against what they were about an hour ago: figures of a whole day move slowly, and units slip by more. */
function jump(state: VolumeState, last: RecentVolume | undefined, now: UnixSeconds): string | null {
  if (last === undefined || now - last.sampledAt > DAY_SECONDS) return null;
  const jumps = (figure: string | null, before: string | null) => {
    if (figure === null || before === null) return false;
    const [less, more] = [SeriesDecimal.min(figure, before), SeriesDecimal.max(figure, before)];
    return more.gt(TAPE_FLOOR_USD) && more.gt(less.times(TAPE_FACTOR));
  };
  if (jumps(state.figure, last.volume24hUsd)) return "volume_jump";
  return jumps(state.liquidityUsd, last.liquidityUsd) ? "liquidity_jump" : null;
}

/** An answer without pools that held a good part of the liquidity before is not whole. */
function missingPools(
  before: RecentPools | undefined,
  rows: readonly PoolState[],
  now: UnixSeconds,
): string | null {
  if (before === undefined || now - before.at > DAY_SECONDS) return null;
  const here = new Set(rows.map(({ pool }) => pool));
  const all = sumOf([...before.liquidityUsd.values()]);
  const missing = sumOf([...before.liquidityUsd].flatMap(([pool, usd]) => (here.has(pool) ? [] : usd)));
  return new SeriesDecimal(missing).gt(new SeriesDecimal(all).times(MISSING_PART)) ? "pools_missing" : null;
}

/** Of different pools; nothing stated is not zero. */
function summed(assetKey: string, counted: readonly PoolState[], now: UnixSeconds): VolumeState | null {
  const [first] = counted;
  if (!first) return null;
  const sum = (figureOf: (pool: PoolState) => string | null): string | null => {
    const stated = counted.map(figureOf).filter((figure) => figure !== null);
    return stated.length === 0 ? null : sumOf(stated);
  };
  const { source, origin } = first;
  return {
    of: "volume",
    subject: assetKey,
    source,
    origin,
    figure: sum(({ volume24hUsd }) => volume24hUsd),
    liquidityUsd: sum(({ liquidityUsd }) => liquidityUsd),
    at: now,
    rawHash: null,
  };
}

export const liquidityByPool = (pools: readonly PoolState[]): ReadonlyMap<string, string> =>
  new Map(pools.map(({ pool, liquidityUsd }) => [pool, liquidityUsd ?? "0"]));
