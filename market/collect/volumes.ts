/** Volume and liquidity of each token. */

import type { Rejection } from "../series/rejected.ts";
import { recordVolumes } from "../series/totals.ts";
import { SeriesDecimal } from "../series/units.ts";
import { noted } from "./accepted.ts";
import { countPools } from "./choosePools.ts";
import { measuredImpacts } from "./measured.ts";
import type { PoolState, VolumeState } from "./sources.ts";
import { NOTHING, type Round, type Step, seconds } from "./types.ts";

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
  }));
  const { stored, rejected } = await recordVolumes(round.db, samples, seconds(round));
  round.countRejected(rejected.length);
  return stored;
};

/** A token none of whose pools count is left out: its volume is not known. */
async function summedPools(round: Round): Promise<VolumeState[]> {
  const pools = await round.pools(round.assets);
  const measured = await measuredImpacts(round);
  const states: VolumeState[] = [];
  const rejections: Rejection[] = [];
  for (const [assetKey, rows] of pools) {
    const { counted, aside } = countPools(rows, measured.get(assetKey) ?? null);
    for (const { row, reason } of aside)
      rejections.push({ kind: "pool", subject: assetKey, reason, sample: row });
    const [first] = counted;
    if (first)
      states.push({
        assetKey,
        source: first.source,
        volume24hUsd: sumOf(counted, ({ volume24hUsd }) => volume24hUsd),
        liquidityUsd: sumOf(counted, ({ liquidityUsd }) => liquidityUsd),
        at: counted.reduce((at, row) => Math.max(at, row.at), 0),
      });
  }
  await round.reject(rejections);
  return states;
}

/** Of different pools; nothing stated is not zero. */
function sumOf(pools: readonly PoolState[], figureOf: (pool: PoolState) => string | null): string | null {
  const distinct = new Map(pools.map((pool) => [pool.poolAddress, figureOf(pool)]));
  const stated = [...distinct.values()].filter((figure) => figure !== null);
  if (stated.length === 0) return null;
  return stated.reduce((sum, figure) => sum.plus(figure), new SeriesDecimal(0)).toFixed();
}
