/**
 * What a report rests on and names by its hash: proofs of state and samples of liquidity. Each is stored once, with the
 * first report that names it, and goes with the last.
 */
import { sql } from "kysely";
import { samplesRoot } from "../../attestor/evidence/samples.ts";
import { Proofs } from "../../attestor/proofs/stateProofs.ts";
import type { Report } from "../../attestor/report.ts";
import { compiledOnce } from "../../database/compiled.ts";
import type { Database } from "../../database/open.ts";
import { newestSamples } from "../../market/series/impacts.ts";
import { packed, unpacked } from "./packed.ts";

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

/** Stores what is not there yet. In the transaction that stores the report. */
export async function storeAttachments(trx: Database, report: Report): Promise<void> {
  const named = namedBy(report);
  if (named.proofs_hash !== null && report.proofs) await storeProofs(trx, named.proofs_hash, report.proofs);
  if (named.samples_root !== null) await storeSamples(trx, named.samples_root, report);
}

const knownProofs = compiledOnce((db, { hash }: { hash: string }) =>
  db.selectFrom("proofs").select("hash").where("hash", "=", hash),
);

const knownBatches = compiledOnce((db, { root }: { root: string }) =>
  db.selectFrom("sample_batches").select("root").where("root", "=", root),
);

async function storeProofs(trx: Database, hash: string, proofs: Proofs): Promise<void> {
  if ((await knownProofs(trx, { hash })).length > 0) return;
  await trx
    .insertInto("proofs")
    .values({ hash, body: packed(proofs) })
    .onConflict((conflict) => conflict.column("hash").doNothing())
    .execute();
}

/** A batch that changed since it was named (a sample was retracted, or came late) can no longer be stored. */
async function storeSamples(trx: Database, root: string, { evidence }: Report): Promise<void> {
  const { liquidity, trade } = evidence;
  if (liquidity?.updatedAt == null || (await knownBatches(trx, { root })).length > 0) return;
  const batch = await newestSamples(trx, trade.stockAssetKey, liquidity.updatedAt, liquidity.sampleN);
  if (batch === null || samplesRoot(batch) !== root) return;
  await trx
    .insertInto("sample_batches")
    .values({ root, asset_key: trade.stockAssetKey, body: packed(batch) })
    .onConflict((conflict) => conflict.column("root").doNothing())
    .execute();
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
  const of = (column: keyof Named) => [
    ...new Set(named.flatMap((names) => (names[column] === null ? [] : [names[column]]))),
  ];
  const [hashes, roots] = [of("proofs_hash"), of("samples_root")];
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
