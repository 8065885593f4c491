/** What a hash of 32 bytes names, of what anybody may read. */
import type { Database } from "../../database/open.ts";

export type Named =
  | { readonly kind: "evidence"; readonly evidenceHashes: readonly string[] }
  | { readonly kind: "registry" | "policy" | "samples" };

/** Trades that one transaction may carry out and that are listed. */
const MOST_TRADES = 20;

/**
 * Evidence by its own hash or by the transaction of its trade, registries, policies and batches of samples by theirs.
 * What is not public has no name.
 * @param hash lower case
 * @param withEvidence false: the operator publishes none
 * @returns null: nothing public is known under it
 * @throws DatabaseUnavailable
 */
export async function whatIs(db: Database, hash: string, withEvidence: boolean): Promise<Named | null> {
  const evidenceHashes = withEvidence ? await publicEvidenceOf(db, hash) : [];
  if (evidenceHashes.length > 0) return { kind: "evidence", evidenceHashes };
  const definition = await db
    .selectFrom("definitions")
    .select("kind")
    .where("hash", "=", hash)
    .executeTakeFirst();
  if (definition !== undefined) return { kind: definition.kind };
  const batch = await db
    .selectFrom("sample_batches")
    .select("root")
    .where("root", "=", hash)
    .executeTakeFirst();
  return batch === undefined ? null : { kind: "samples" };
}

async function publicEvidenceOf(db: Database, hash: string): Promise<string[]> {
  const own = await db
    .selectFrom("public_evidence")
    .select("evidence_hash")
    .where("evidence_hash", "=", hash)
    .executeTakeFirst();
  if (own !== undefined) return [own.evidence_hash];
  const rows = await db
    .selectFrom("executions")
    .innerJoin("public_evidence", (join) =>
      join
        .onRef("public_evidence.job_id", "=", "executions.job_id")
        .onRef("public_evidence.version", "=", "executions.report_version"),
    )
    .select("public_evidence.evidence_hash")
    .where("executions.transaction_hash", "=", hash)
    .where("executions.state", "=", "confirmed")
    .limit(MOST_TRADES)
    .execute();
  return [...new Set(rows.map(({ evidence_hash }) => evidence_hash))];
}
