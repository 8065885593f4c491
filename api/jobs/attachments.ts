/**
 * What a report rests on and names by its hash: proofs of state and samples of liquidity. Each is stored once, with the
 * first report that names it, and goes with the last.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { sql } from "kysely";
import { samplesRoot } from "../../attestor/evidence/samples.ts";
import { Proofs } from "../../attestor/proofs/stateProofs.ts";
import type { Report } from "../../attestor/report.ts";
import type { Caches } from "../../chain/caches.ts";
import { type NewRow, newRow } from "../../database/insertTogether.ts";
import type { Database } from "../../database/open.ts";
import { newestSamples } from "../../market/series/impacts.ts";

export interface Named {
  readonly proofs_hash: string | null;
  readonly samples_root: string | null;
}

/** The hashes of a report's attachments. */
export function namedBy({ evidence }: Pick<Report, "evidence">): Named {
  return {
    proofs_hash: evidence.proofs?.hash ?? null,
    samples_root: evidence.liquidity?.samplesRoot ?? null,
  };
}

export type Attachments = ReturnType<typeof createAttachments>;

/** Retention deletes nothing that is younger than days, so what was stored within the hour is still there. */
const STORED = { maxBytes: 1024 * 1024, lifetimeMs: 3_600_000, sizeOf: () => 8 };

/** Many reports of a block name the same: what this process has stored it neither packs nor sends again. */
export function createAttachments(caches: Caches) {
  const stored = caches.open<number>("stored attachments", STORED);
  return {
    /** The rows that have to be stored with a report. */
    async rowsFor(db: Database, report: Report): Promise<NewRow[]> {
      const { proofs_hash, samples_root } = namedBy(report);
      const rows: NewRow[] = [];
      if (proofs_hash !== null && report.proofs && !stored.has(proofs_hash))
        rows.push(newRow("proofs", { hash: proofs_hash, body: packed(report.proofs) }));
      if (samples_root !== null && !stored.has(samples_root))
        rows.push(...(await rowOfSamples(db, samples_root, report)));
      return rows;
    },
    /** Call it once these rows are committed. */
    committed(rows: readonly NewRow[]): void {
      for (const { table, row } of rows) stored.set(String(table === "proofs" ? row.hash : row.root), 1);
    },
  };
}

/** A batch that changed since it was named (a sample was retracted, or came late) can no longer be stored. */
async function rowOfSamples(db: Database, root: string, { evidence }: Report): Promise<NewRow[]> {
  const { liquidity, trade } = evidence;
  if (liquidity?.updatedAt == null) return [];
  const batch = await newestSamples(db, trade.stockAssetKey, liquidity.updatedAt, liquidity.sampleN);
  if (batch === null || samplesRoot(batch) !== root) return [];
  return [newRow("sample_batches", { root, asset_key: trade.stockAssetKey, body: packed(batch) })];
}

/** The member `proofs` of a stored report. */
export async function proofsOf(db: Database, hash: string | null): Promise<Pick<Report, "proofs">> {
  if (hash === null) return {};
  const row = await db.selectFrom("proofs").select("body").where("hash", "=", hash).executeTakeFirst();
  // Without its row the report itself says what is missing.
  return row === undefined ? {} : { proofs: Proofs.parse(unpacked(row.body)) };
}

/** Deletes those that no report names any longer. Reports of other blocks name other proofs: nobody adds to old ones. */
export async function clearAttachments(trx: Database, named: readonly Named[]): Promise<void> {
  const hashes = distinct(named.map(({ proofs_hash }) => proofs_hash));
  const roots = distinct(named.map(({ samples_root }) => samples_root));
  if (hashes.length > 0)
    await trx
      .deleteFrom("proofs")
      .where("hash", "in", hashes)
      .where(sql<boolean>`not exists (select 1 from reports where reports.proofs_hash = proofs.hash)`)
      .execute();
  if (roots.length > 0)
    await trx
      .deleteFrom("sample_batches")
      .where("root", "in", roots)
      .where(sql<boolean>`not exists (select 1 from reports where samples_root = sample_batches.root)`)
      .execute();
}

const distinct = (names: readonly (string | null)[]): string[] => [
  ...new Set(names.filter((name) => name !== null)),
];

/** Beyond this nothing of ours goes; what inflates to more did not come from here. */
const MAX_BYTES = 8 * 1024 * 1024;

/** JSON as it is stored where it is large: deflated, in base64, so that both databases hold it as text. */
function packed(value: unknown): string {
  return deflateRawSync(JSON.stringify(value)).toString("base64");
}

/** @throws Error for text that `packed` did not make */
export function unpacked(text: string): unknown {
  return JSON.parse(inflateRawSync(Buffer.from(text, "base64"), { maxOutputLength: MAX_BYTES }).toString());
}
