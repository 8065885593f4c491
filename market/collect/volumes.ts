/** Volume and liquidity of each token. */

import { chunksOf, DAY_SECONDS, HOUR_SECONDS } from "../series/buckets.ts";
import type { Rejection } from "../series/rejected.ts";
import { newestVolumes, recordVolumes } from "../series/totals.ts";
import { SeriesDecimal, sumOf } from "../series/units.ts";
import { noted } from "./accepted.ts";
import { MISSING_PART, TAPE_FACTOR, TAPE_FLOOR_USD } from "../bounds.ts";
import { countPools } from "./choosePools.ts";
import { excluded } from "./chooseReference.ts";
import { noteStated } from "./exclusions.ts";
import { measuredImpacts } from "./measured.ts";
import { inOrder } from "./order.ts";
import { TOKENS_AT_ONCE } from "./premiums.ts";
import type { PoolState, VolumeState } from "./sources.ts";
import { NOTHING, type RecentPools, type RecentVolume, type Round, type Step, seconds } from "./types.ts";

export const collectVolumes: Step = async (round) => {
  const { volumesOf, poolsOf } = round.sources;
  if (!volumesOf && !poolsOf) return NOTHING;
  const found = [
    ...(volumesOf ? await noted(round, await volumesOf(round.assets)) : []),
    ...(poolsOf ? await summedPools(round) : []),
  ];
  const samples = found.map(({ at, ...row }) => ({
    ...row,
    sampledAt: at,
    session: round.sessionAt(at),
    halted: round.memory.halted?.has(row.assetKey) === true,
  }));
  const { stored, rejected } = await recordVolumes(round.db, samples, seconds(round));
  round.countRejected(rejected.length);
  return stored;
};

/** A token none of whose pools count is left out: its volume is not known. So is one whose figures cannot follow its last. */
async function summedPools(round: Round): Promise<VolumeState[]> {
  const own = new Set(round.assets.map(({ assetKey }) => assetKey));
  for (const some of chunksOf(await inOrder(round), TOKENS_AT_ONCE)) await round.pools(some);
  const pools = await round.pools([]);
  const measured = await measuredImpacts(round);
  const tape = await newestVolumes(round.db, seconds(round));
  const states: VolumeState[] = [];
  const rejections: Rejection[] = [];
  for (const [assetKey, rows] of pools) {
    if (!own.has(assetKey)) continue;
    const { counted, aside } = countPools(rows, measured.get(assetKey) ?? null);
    rejections.push(...excluded("pool", assetKey, aside));
    const state = summed(assetKey, counted);
    if (state === null) continue;
    noteStated(round, "volume", [state]);
    const last = round.memory.volumes.get(assetKey) ?? tape.get(assetKey);
    const reason = jump(round, state, last) ?? missingPools(round, assetKey, rows);
    if (reason === null) {
      states.push(state);
      const isOld = last === undefined || seconds(round) - last.sampledAt >= HOUR_SECONDS;
      round.memory.volumes.set(assetKey, isOld ? { ...state, sampledAt: seconds(round) } : last);
      round.memory.pools.set(assetKey, poolsNow(round, counted));
    } else rejections.push({ kind: "volume", subject: assetKey, reason, sample: state });
  }
  await round.reject(rejections);
  return states;
}

/** Against what they were about an hour ago: figures of a whole day move slowly, and units slip by more. */
function jump(round: Round, state: VolumeState, last: RecentVolume | undefined): string | null {
  if (last === undefined || seconds(round) - last.sampledAt > DAY_SECONDS) return null;
  const jumps = (now: string | null, before: string | null) => {
    if (now === null || before === null) return false;
    const [less, more] = [SeriesDecimal.min(now, before), SeriesDecimal.max(now, before)];
    return more.gt(TAPE_FLOOR_USD) && more.gt(less.times(TAPE_FACTOR));
  };
  if (jumps(state.volume24hUsd, last.volume24hUsd)) return "volume_jump";
  return jumps(state.liquidityUsd, last.liquidityUsd) ? "liquidity_jump" : null;
}

/** An answer without pools that held a good part of the liquidity before is not whole. */
function missingPools(round: Round, assetKey: string, rows: readonly PoolState[]): string | null {
  const before = round.memory.pools.get(assetKey);
  if (before === undefined || seconds(round) - before.at > DAY_SECONDS) return null;
  const here = new Set(rows.map(({ poolAddress }) => poolAddress));
  const all = sumOf([...before.liquidityUsd.values()]);
  const missing = sumOf([...before.liquidityUsd].flatMap(([address, usd]) => (here.has(address) ? [] : usd)));
  return new SeriesDecimal(missing).gt(new SeriesDecimal(all).times(MISSING_PART)) ? "pools_missing" : null;
}

const poolsNow = (round: Round, counted: readonly PoolState[]): RecentPools => ({
  at: seconds(round),
  liquidityUsd: new Map(counted.map(({ poolAddress, liquidityUsd }) => [poolAddress, liquidityUsd ?? "0"])),
});

/** Of different pools; nothing stated is not zero. */
function summed(assetKey: string, counted: readonly PoolState[]): VolumeState | null {
  const [first] = counted;
  if (!first) return null;
  const sum = (figureOf: (pool: PoolState) => string | null): string | null => {
    const distinct = new Map(counted.map((pool) => [pool.poolAddress, figureOf(pool)]));
    const stated = [...distinct.values()].filter((figure) => figure !== null);
    if (stated.length === 0) return null;
    return sumOf(stated);
  };
  return {
    assetKey,
    source: first.source,
    volume24hUsd: sum(({ volume24hUsd }) => volume24hUsd),
    liquidityUsd: sum(({ liquidityUsd }) => liquidityUsd),
    at: counted.reduce((at, row) => Math.max(at, row.at), 0),
  };
}
