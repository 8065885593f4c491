/** The steps around the samples: snapshots of ended days, scores that readers find ready, and clearing. */
import { scoresOf } from "../series/liquidity.ts";
import { closeDays } from "../series/totals.ts";
import { clearOld, DEFAULT_RETENTION } from "./retention.ts";
import { NOTHING, type Step, seconds } from "./types.ts";

const CLEAR_EVERY_SECONDS = 3_600;

export const closeEndedDays: Step = async (round) => {
  const days = await closeDays(round.db, round.assets, seconds(round));
  return days.length;
};

export const refreshScores: Step = async (round) => {
  const keys = round.assets.map(({ assetKey }) => assetKey);
  return (await scoresOf(round.db, keys, seconds(round))).size;
};

export const clearWhatIsOld: Step = async (round) => {
  const now = seconds(round);
  const { clearedAt } = round.memory;
  if (clearedAt !== null && now - clearedAt < CLEAR_EVERY_SECONDS) return NOTHING;
  await clearOld(round.db, round.retention ?? DEFAULT_RETENTION, now);
  round.memory.clearedAt = now;
  return NOTHING;
};
