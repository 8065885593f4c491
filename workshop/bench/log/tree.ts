/** A log alone: its entries get their places by the service's own function; then its proofs. */
import { sql } from "kysely";
import { createIntegrator } from "../../../api/log/integrate.ts";
import { migrate } from "../../../database/migrate.ts";
import { type Database, engineOf, openDatabase } from "../../../database/open.ts";
import { withFolder } from "../given.ts";
import { milliseconds } from "../measure.ts";
import { counted, inMs, printTable, progress } from "../print.ts";
import { fillAtOnce } from "./bulk.ts";
import { BASE, signAll } from "./deps.ts";
import { addWaiting, assertCanonical } from "./leaves.ts";
import { benchProofs } from "./proofs.ts";

/** Entries that wait at once. */
const CHUNK = 20_480;
const REPORT_EVERY_MS = 10_000;

/** @param isBulk to measure proofs alone: the entries are there in minutes, and not by the service's integration */
export async function benchTree(title: string, url: string, leaves: number, isBulk: boolean): Promise<void> {
  assertCanonical();
  await using db = openDatabase(url, { patienceMs: null });
  await migrate(db);
  const before = await bytesOf(db);
  const { hashes, rates } = isBulk
    ? { hashes: await fillAtOnce(db, leaves), rates: [] }
    : await fill(db, leaves);
  const bytes = (await bytesOf(db)) - before;
  const signing = await milliseconds(() => withFolder((words) => signAll(db, words)));
  printTable(
    [`${title}: a log of ${counted(leaves)} entries`, "value"],
    [
      ...rates,
      ["size", `${(bytes / leaves).toFixed(0)} bytes an entry, ${(bytes / 1e6).toFixed(0)} MB in all`],
      ["first checkpoint of a process, the newest 16,384 entries hashed again", inMs(signing, 0)],
    ],
  );
  await benchProofs(title, url, leaves, hashes);
}

/** @returns evidence hashes from all over the log, and how fast it grew */
async function fill(db: Database, leaves: number) {
  const integrator = createIntegrator({ db, base: BASE, clock: Date.now });
  const hashes: string[] = [];
  const began = performance.now();
  let [placed, ms, saidAt] = [0, 0, performance.now()];
  let last = { placed: 0, ms: 0 };
  while (placed < leaves) {
    hashes.push(...(await addWaiting(db, Math.min(CHUNK, leaves - placed))));
    // What the last tenth takes shows whether the log's size counts.
    if (placed < leaves * 0.9) last = { placed, ms };
    const from = performance.now();
    for (let step = await integrator.step(); step.count > 0; step = await integrator.step())
      placed += step.count;
    ms += performance.now() - from;
    if (performance.now() - saidAt < REPORT_EVERY_MS) continue;
    saidAt = performance.now();
    const seconds = ((saidAt - began) / 1_000).toFixed(0);
    progress(`${counted(placed)} of ${counted(leaves)} after ${seconds} s`);
  }
  const rate = (count: number, time: number) => `${counted((count * 1_000) / time)}/s`;
  const rates = [
    ["entries that get their places", rate(placed, ms)],
    ["the last tenth of them", rate(placed - last.placed, ms - last.ms)],
  ];
  return { hashes, rates };
}

/** What the log's tables take, with their indexes. */
async function bytesOf(db: Database): Promise<number> {
  const query =
    engineOf(db) === "sqlite"
      ? sql<{ bytes: number }>`select (page_count - freelist_count) * page_size as bytes
          from pragma_page_count(), pragma_freelist_count(), pragma_page_size()`
      : sql<{
          bytes: number;
        }>`select pg_total_relation_size('log_entries') + pg_total_relation_size('log_nodes') as bytes`;
  const { rows } = await query.execute(db);
  return Number(rows[0]?.bytes);
}
