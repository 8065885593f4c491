/** Entries of judgements that nobody made, in numbers. */
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { evidenceKey } from "../../../api/log/entries.ts";
import { ENTRY_SCHEMA, entryText, LogEntry } from "../../../attestor/log/entry.ts";
import { type Database, engineOf } from "../../../database/open.ts";

const HASHES = 4;

/** The text of an entry by hand, since the canonical form of ten million takes longer than their places in the tree. */
function madeUp(): { entry: string; evidenceHash: string } {
  const digits = randomBytes(32 * HASHES).toString("hex");
  const hash = (n: number) => `0x${digits.slice(64 * n, 64 * (n + 1))}`;
  const entry = `{"capturedAt":1763000000,"decision":"DENY","evidenceHash":"${hash(0)}","jobIdHash":"${hash(1)}","kind":"judgement","policyHash":"${hash(2)}","registryHash":"${hash(3)}","schema":"${ENTRY_SCHEMA}","version":1}`;
  return { entry, evidenceHash: hash(0) };
}

/** @throws Error where these entries are not those of the service */
export function assertCanonical(): void {
  const { entry } = madeUp();
  if (entryText(LogEntry.parse(JSON.parse(entry))) !== entry)
    throw new Error("the bench's entries are no entries");
}

/** Entries with what they are looked up by. */
export function madeEntries(count: number) {
  return Array.from({ length: count }, (_, id) => {
    const { entry, evidenceHash } = madeUp();
    return { id, entry, evidence_key: evidenceKey(evidenceHash), evidenceHash };
  });
}

/**
 * Puts entries where reports put theirs, many by one statement.
 * @returns evidence hashes of some of them
 */
export async function addWaiting(db: Database, count: number): Promise<string[]> {
  const made = Array.from({ length: count }, madeUp);
  const rows = made.map(({ entry, evidenceHash }) => [entry, evidenceKey(evidenceHash)] as const);
  await (engineOf(db) === "sqlite"
    ? sql`insert into log_waiting (entry, evidence_key)
        select json_extract(value, '$[0]'), json_extract(value, '$[1]') from json_each(${JSON.stringify(rows)})`
    : sql`insert into log_waiting (entry, evidence_key)
        select * from unnest(${rows.map(([entry]) => entry)}::text[], ${rows.map(([, key]) => key)}::bigint[])`
  ).execute(db);
  return made.slice(0, 2).map(({ evidenceHash }) => evidenceHash);
}
