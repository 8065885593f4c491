/** The steps around the samples: totals of ended days, scores, and clearing. */
import { writeScores } from "../series/liquidity.ts";
import { closeDays } from "../series/totals.ts";
import { clearOld, DEFAULT_RETENTION } from "./retention.ts";
import { NOTHING, type Step, seconds } from "./types.ts";

const CLEAR_EVERY_SECONDS = 3_600;

export const closeEndedDays: Step = async (round) => {
  const days = await closeDays(round.db, round.assets, seconds(round));
  return days.length;
};

export const computeScores: Step = async (round) => {
  const keys = round.assets.map(({ assetKey }) => assetKey);
  await writeScores(round.db, keys, seconds(round));
  return keys.length;
};

export const clearWhatIsOld: Step = async (round) => {
  const now = seconds(round);
  const { clearedAt } = round.memory;
  if (clearedAt !== null && now - clearedAt < CLEAR_EVERY_SECONDS) return NOTHING;
  await clearOld(round.db, round.retention ?? DEFAULT_RETENTION, now);
  round.memory.clearedAt = now;
  return NOTHING;
};
