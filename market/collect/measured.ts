/** What buys of each token were measured to cost: in the last hour, and as the median of a week. */
import type { Measured } from "../rules/pools.ts";
import { chunksOf } from "../series/hours.ts";
import { scoresOf } from "../series/liquidity.ts";
import { type RecentImpact, type Round, seconds } from "./types.ts";

/** A figure of impact that is older says nothing of the price beside it. */
export const IMPACT_COUNTS_SECONDS = 3_600;

/** By asset key; those that nobody has measured are absent. @throws DatabaseUnavailable */
export async function measuredImpacts(round: Round): Promise<Map<string, Measured>> {
  const keys = round.assets.map(({ assetKey }) => assetKey);
  const scores = await scoresOf(round.db, keys, seconds(round));
  return new Map([...scores].filter(([, { sampleN }]) => sampleN > 0));
}

/** The newest of the last hour by asset key; after a restart, those that the process before it measured. */
export async function recentImpacts(round: Round): Promise<Map<string, RecentImpact>> {
  const { memory } = round;
  memory.impacts ??= await storedImpacts(round);
  return memory.impacts;
}

async function storedImpacts(round: Round): Promise<Map<string, RecentImpact>> {
  const found = new Map<string, RecentImpact>();
  for (const chunk of chunksOf(round.assets)) {
    const rows = await round.db
      .selectFrom("impact_samples")
      .select(["asset_key", "sampled_at", "impact_1k_bps"])
      .where(
        "asset_key",
        "in",
        chunk.map(({ assetKey }) => assetKey),
      )
      .where("sampled_at", ">", seconds(round) - IMPACT_COUNTS_SECONDS)
      .where("sampled_at", "<=", seconds(round))
      .orderBy("sampled_at")
      .execute();
    for (const { asset_key, sampled_at, impact_1k_bps } of rows)
      found.set(asset_key, { at: sampled_at, impact1kBps: impact_1k_bps });
  }
  return found;
}
