/**
 * A log of many entries in minutes, to measure proofs in: the rows that the service's integration would leave, written
 * many at a time and indexed at the end.
 */
import { type Kysely, sql } from "kysely";
import { FAST_HASHER } from "../../../api/log/hasher.ts";
import { grown, storeGrowth } from "../../../api/log/placing.ts";
import { beginShard, newestShard } from "../../../api/log/shards.ts";
import { Frontier } from "../../../attestor/log/frontier.ts";
import type { Database } from "../../../database/open.ts";
import { counted, inMs, progress } from "../print.ts";
import { BASE } from "./deps.ts";
import { madeEntries } from "./leaves.ts";

/** Of one transaction; SQLite takes 32,766 values in a statement, four a row. */
const ROWS = 5_000;
const INDEX = "log_entries_evidence";
const REPORT_EVERY_MS = 10_000;

/**
 * @param make the next so many entries
 * @returns evidence hashes from all over the log
 */
export async function fillAtOnce(db: Database, leaves: number, make = madeEntries): Promise<string[]> {
  const schema = (db as unknown as Kysely<unknown>).schema;
  await schema.dropIndex(INDEX).execute();
  await beginShard(db, undefined, { base: BASE, nowMs: Date.now() });
  const shard = await newestShard(db);
  if (shard === undefined) throw new Error("no log has begun");
  const frontier = new Frontier(0, [], FAST_HASHER);
  const hashes: string[] = [];
  const began = performance.now();
  for (let saidAt = began; frontier.size < leaves; ) {
    const { size } = frontier;
    const made = make(Math.min(ROWS, leaves - size));
    hashes.push(made[0]?.evidenceHash ?? "");
    const growth = grown(shard.id, frontier, made);
    // They never waited.
    if ((await storeGrowth(db, { id: shard.id, size }, { ...growth, taken: [] })) === null)
      throw new Error("somebody else writes to this log");
    if (performance.now() - saidAt < REPORT_EVERY_MS) continue;
    saidAt = performance.now();
    progress(`${counted(frontier.size)} of ${counted(leaves)} after ${inMs(saidAt - began, 0)}`);
  }
  await schema.createIndex(INDEX).on("log_entries").column("evidence_key").execute();
  await sql`analyze`.execute(db);
  return hashes;
}
