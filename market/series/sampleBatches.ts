/** Batches of samples: which samples a grade was computed from, so that evidence can commit to them. */
import {
  liquidityOfSamples,
  SAMPLES_SCHEMA,
  type SampleBatch,
  type SampledLiquidity,
  samplesRoot,
} from "../../attestor/evidence/samples.ts";
import type { Database } from "../../database/open.ts";
import { SAMPLE_COLUMNS } from "./samples.ts";

/**
 * An asset's newest samples up to a moment.
 * @param upTo unix seconds
 * @param count how many of them
 * @returns null where there are not so many
 * @throws DatabaseUnavailable
 */
export async function newestSamples(
  db: Database,
  assetKey: string,
  upTo: number,
  count: number,
): Promise<SampleBatch | null> {
  if (count === 0) return null;
  const rows = await db
    .selectFrom("impact_samples")
    .select(SAMPLE_COLUMNS)
    .where("asset_key", "=", assetKey)
    .where("sampled_at", "<=", upTo)
    .orderBy("sampled_at", "desc")
    .orderBy("source", "desc")
    .limit(count)
    .execute();
  if (rows.length < count) return null;
  return { schema: SAMPLES_SCHEMA, assetKey, samples: rows.reverse() };
}

export type RootOf = (assetKey: string, liquidity: SampledLiquidity) => Promise<string | null>;

/**
 * The roots of the batches that figures follow from; each batch is read and hashed once, however many ask.
 * @returns null where the figures do not follow from the stored samples, since one came or went meanwhile
 */
export function createSampleRoots(db: Database): RootOf {
  const known = new Map<string, { figures: string; root: string }>();
  return async (assetKey, liquidity) => {
    const figures = JSON.stringify(liquidity, Object.keys(liquidity).sort());
    const before = known.get(assetKey);
    if (before?.figures === figures) return before.root;
    const batch = await newestSamples(db, assetKey, liquidity.updatedAt, liquidity.sampleN);
    if (batch === null || !follows(liquidity, batch)) return null;
    const root = samplesRoot(batch);
    known.set(assetKey, { figures, root });
    return root;
  };
}

function follows(liquidity: SampledLiquidity, batch: SampleBatch): boolean {
  const again = liquidityOfSamples(batch);
  return (Object.keys(again) as (keyof SampledLiquidity)[]).every((name) => again[name] === liquidity[name]);
}
