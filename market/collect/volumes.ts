/** Volume and liquidity of each token. */
import { recordVolumes } from "../series/totals.ts";
import { noted } from "./accepted.ts";
import { NOTHING, type Step, seconds } from "./types.ts";

export const collectVolumes: Step = async (round) => {
  if (!round.sources.volumesOf) return NOTHING;
  const found = await noted(round, await round.sources.volumesOf(round.assets));
  const samples = found.map(({ at, ...row }) => ({
    ...row,
    sampledAt: at,
    session: round.sessionAt(at),
  }));
  const { stored, rejected } = await recordVolumes(round.db, samples, seconds(round));
  round.countRejected(rejected.length);
  return stored;
};
