/** The samples behind a liquidity grade, by the root that evidence names. They are measurements, and nobody's secret. */

import { SampleBatch } from "../../attestor/evidence/samples.ts";
import { canonicalJson } from "../../attestor/values/canonical.ts";
import type { Database } from "../../database/open.ts";
import { unpacked } from "../jobs/packed.ts";

/** The canonical JSON that hashes to the root; null where no report that is kept rests on such a batch. */
export async function findSamples(db: Database, root: string): Promise<string | null> {
  const row = await db
    .selectFrom("sample_batches")
    .select("body")
    .where("root", "=", root)
    .executeTakeFirst();
  return row === undefined ? null : canonicalJson(SampleBatch.parse(unpacked(row.body)));
}
