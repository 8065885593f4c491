/** The pools that indexes state, by token. What of them counts is judged where it is used. */
import { noted } from "./accepted.ts";
import type { PoolState } from "./sources.ts";
import { grouped, type Round } from "./types.ts";

export async function findPools(round: Round): Promise<ReadonlyMap<string, readonly PoolState[]>> {
  if (!round.sources.poolsOf) return new Map();
  try {
    const rows = await noted(round, await round.sources.poolsOf(round.assets));
    return grouped(rows, ({ assetKey }) => assetKey);
  } catch (error) {
    // Tokens have other witnesses.
    round.fail("pools", error);
    return new Map();
  }
}
