/** A decision log on a database, without the rest of the service. */
import { randomBytes } from "node:crypto";
import { startLeasedTasks } from "../../api/leasedTasks.ts";
import { entryRow, type Logged } from "../../api/log/entries.ts";
import { developmentLogSigner } from "../../api/log/key.ts";
import { lastCheckpointsIn } from "../../api/log/lastCheckpoint.ts";
import { createLog, type DecisionLog, type LogDeps } from "../../api/log/log.ts";
import { PUBLISHING } from "../../api/log/state.ts";
import { createWitnesses } from "../../api/log/witnesses.ts";
import { createLogger } from "../../api/metrics/logger.ts";
import type { Fence } from "../../database/lease.ts";
import type { Database } from "../../database/open.ts";
import { ownCaches } from "./caches.ts";
import { addRows, changeRows, rowOf } from "./database.ts";
import { testFolder } from "./suite.ts";

export const TEST_ORIGIN = "test.localhost/log";

/** A folder for last words, gone after the suite. */
export const wordsFolder = (): string => testFolder("log");

/** What a log is opened with. */
export function logDeps(db: Database, folder: string, changes: Partial<LogDeps> = {}): LogDeps {
  return {
    db,
    origin: TEST_ORIGIN,
    signer: developmentLogSigner(),
    lastCheckpoints: lastCheckpointsIn(folder),
    witnesses: createWitnesses(fetch),
    asked: [],
    patienceMs: 20_000,
    caches: ownCaches(),
    now: Date.now,
    log: createLogger({ level: "silent" }),
    ...changes,
  };
}

/** With the task of who signs, which this process does where it gets the lease. One of a test's own is ended by `await using`. */
export function openLog(
  db: Database,
  folder: string,
  { holder = randomBytes(8).toString("hex"), ...changes }: Partial<LogDeps> & { holder?: string } = {},
): DecisionLog & AsyncDisposable & { stop(): Promise<void> } {
  const deps = logDeps(db, folder, changes);
  const log = createLog(deps);
  const publish = (_db: Database, fence: Fence) => log.publish(fence);
  const task = { name: PUBLISHING, start: publish, fault: log.fault };
  const by = { db, holder, now: Date.now, monotonic: () => performance.now(), log: deps.log };
  const tasks = startLeasedTasks(by, [task]);
  const stop = async (): Promise<void> => {
    // However early: what is there is signed, where that may be.
    await tasks.lookNow();
    await tasks.stop();
  };
  return { ...log, stop, [Symbol.asyncDispose]: stop };
}

/** Signs until nothing is left. @returns why it is refused, or null */
export async function signAll(db: Database, folder: string): Promise<string | null> {
  const log = openLog(db, folder);
  await log.stop();
  return (await log.state().catch(() => null))?.refused ?? null;
}

const hash = () => `0x${randomBytes(32).toString("hex")}`;

/** A judgement that nobody made. */
export function judgement(changes: Partial<Logged> = {}): Logged & { log: { salt: string } } {
  return {
    jobId: `job_${randomBytes(8).toString("hex")}`,
    version: 1,
    decision: "DENY",
    evidenceHash: hash(),
    policyHash: hash(),
    registryHash: hash(),
    evidence: { capturedAt: 1_763_000_000 },
    ...changes,
    log: { salt: `0x${randomBytes(16).toString("hex")}` },
  };
}

/** Behind the log's back. */
export async function rewriteEntry(db: Database, position: number, from: string, to: string): Promise<void> {
  const { entry } = await rowOf(db, "log_entries", { position });
  await changeRows(db, "log_entries", { entry: entry.replace(from, to) }, { position });
}

/** Stores the entry of a judgement. */
export const addEntry = (db: Database, report: Logged): Promise<void> =>
  addRows(db, "log_waiting", entryRow(report));

/** Stores the entries of new judgements, as their reports' transactions do. */
export async function addJudgements(db: Database, count: number) {
  const made = Array.from({ length: count }, () => judgement());
  await db.transaction().execute(async (trx) => {
    for (const each of made) await addEntry(trx, each);
  });
  return made;
}
