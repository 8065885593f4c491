/** Executed trades whose evidence anybody may read. */
import type { Database } from "../../database/open.ts";
import type { StoredReport } from "../jobs/schemas.ts";
import { findStoredReport } from "../jobs/store.ts";
import { type ExecutedTrade, findExecutedTrade } from "./executedTrades.ts";

export interface PublicTrade {
  readonly report: StoredReport;
  /** null: nobody told this service of the transaction. */
  readonly executed: ExecutedTrade | null;
}

/** Of these hashes those whose evidence is public. @throws DatabaseUnavailable */
export async function publicTradesAmong(
  db: Database,
  evidenceHashes: readonly string[],
): Promise<PublicTrade[]> {
  if (evidenceHashes.length === 0) return [];
  const rows = await db
    .selectFrom("public_evidence")
    .select(["job_id", "version"])
    .where("evidence_hash", "in", evidenceHashes)
    .execute();
  return tradesOf(db, rows);
}

/**
 * The newest trades of a wallet.
 * @param owner EIP-55
 * @throws DatabaseUnavailable
 */
export async function publicTradesOfOwner(
  db: Database,
  owner: string,
  limit: number,
): Promise<PublicTrade[]> {
  const rows = await db
    .selectFrom("public_evidence")
    .select(["job_id", "version"])
    .where("owner", "=", owner)
    .orderBy("judged_at", "desc")
    .limit(limit)
    .execute();
  return tradesOf(db, rows);
}

async function tradesOf(
  db: Database,
  rows: readonly { readonly job_id: string; readonly version: number }[],
): Promise<PublicTrade[]> {
  const found = await Promise.all(
    rows.map(async ({ job_id, version }) => {
      const report = await findStoredReport(db, job_id, version);
      return report && { report, executed: await findExecutedTrade(db, report) };
    }),
  );
  return found.filter((trade) => trade !== null);
}
