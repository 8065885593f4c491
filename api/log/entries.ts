/** The log in the database: its one tree, and its entries, which are written beside their report and found again by it. */
import type { Selectable } from "kysely";
import { entryOf, entryText, type Judgement } from "../../attestor/log/entry.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import type { LogTreeTable } from "../../database/schema.ts";

/** What the log is called, how far it has grown, and what was signed of it. */
export type LogTree = Selectable<LogTreeTable>;

/** Undefined before the log has begun. */
export async function findLogTree(db: Database): Promise<LogTree | undefined> {
  return await db.selectFrom("log_tree").selectAll().executeTakeFirst();
}

/** Begins the log. Where another process was first, it is that one's. */
export async function beginLog(db: Database, origin: string, now: UnixMs): Promise<void> {
  await db
    .insertInto("log_tree")
    .values({
      id: 1,
      origin,
      size: 0,
      signed_size: 0,
      checkpoint: null,
      signed_at: null,
      cosigned_size: 0,
      cosigned: null,
      refused: null,
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Hexadecimal digits of an evidence hash that make a number which every engine and language holds. */
const KEY_DIGITS = 12;

/** What an entry is looked up by: a part of the evidence's hash, which leaves little to choose from. */
export function evidenceKey(evidenceHash: string): number {
  return Number.parseInt(evidenceHash.slice(2, 2 + KEY_DIGITS), 16);
}

/** A report that goes into the log. */
export interface Logged extends Judgement {
  readonly log?: { readonly salt: string } | undefined;
}

/** The text of a report's entry; null for a report that has none. */
export const entryOfReport = (report: Logged): string | null =>
  report.log === undefined ? null : entryText(entryOf(report, report.log.salt));

/** The entry of a report. Both are stored in one transaction, so that neither is ever without the other. */
export function entryRow(report: Logged) {
  const entry = entryOfReport(report);
  if (entry === null) throw new Error(`the report of ${report.jobId} has no salt for its log entry`);
  return { entry, evidence_key: evidenceKey(report.evidenceHash) };
}

/** Lets the log have the entries of these jobs that were withheld until somebody paid. Call it in the payment's transaction. */
export async function logWithheld(trx: Database, jobIds: readonly string[]): Promise<void> {
  const rows = await trx
    .deleteFrom("log_withheld")
    .where("job_id", "in", jobIds)
    .returning(["entry", "evidence_key"])
    .execute();
  if (rows.length > 0) await trx.insertInto("log_waiting").values(rows).execute();
}

const AT_ONCE = 500;

/** The same of every job, for a service that shows each report free of charge. @throws DatabaseUnavailable */
export async function logAllWithheld(db: Database): Promise<void> {
  for (;;) {
    const rows = await db.selectFrom("log_withheld").select("job_id").limit(AT_ONCE).execute();
    if (rows.length === 0) return;
    const jobIds = rows.map(({ job_id }) => job_id);
    await db.transaction().execute((trx) => logWithheld(trx, jobIds));
  }
}

/** Where an entry stands, from 0; null while it waits. @param hash of its evidence */
export async function placeOf(db: Database, hash: string, entry: string): Promise<number | null> {
  const rows = await entriesOfEvidence(db, hash);
  return rows.find((row) => row.entry === entry)?.position ?? null;
}

/** Entries of an evidence hash, in their order. */
export async function entriesOfEvidence(
  db: Database,
  evidenceHash: string,
): Promise<{ readonly position: number; readonly entry: string }[]> {
  const rows = await db
    .selectFrom("log_entries")
    .select(["position", "entry"])
    .where("evidence_key", "=", evidenceKey(evidenceHash))
    .execute();
  return rows.filter(({ entry }) => entry.includes(evidenceHash)).sort((a, b) => a.position - b.position);
}

/** The texts of entries one after the other. @param count at most so many */
export async function readEntries(db: Database, from: number, count: number): Promise<string[]> {
  const rows = await db
    .selectFrom("log_entries")
    .select("entry")
    .where("position", ">=", from)
    .where("position", "<", from + count)
    .orderBy("position")
    .execute();
  return rows.map(({ entry }) => entry);
}
