/** The liquidity that a judgement uses, as the collector stored it. */
import type { Database } from "../../database/open.ts";
import { liquidityScores } from "../../market/queries.ts";
import { createSampleRoots } from "../../market/series/impacts.ts";
import type { JobDeps } from "./deps.ts";

/** @returns what {@link JobDeps.liquidityOf} asks; it throws DatabaseUnavailable */
export function createStoredLiquidity(db: Database): JobDeps["liquidityOf"] {
  const samplesRootOf = createSampleRoots(db);
  return async (assetKey, now) => {
    const [score] = await liquidityScores(db, [assetKey], now);
    if (score === undefined || score.source === null) return null;
    const { assetKey: _, source, updatedAt, ...figures } = score;
    if (updatedAt === null) return { source, updatedAt, ...figures, samplesRoot: null };
    const liquidity = { source, updatedAt, ...figures };
    return { ...liquidity, samplesRoot: await samplesRootOf(assetKey, liquidity) };
  };
}
