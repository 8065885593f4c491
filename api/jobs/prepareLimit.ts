/**
 * The prepare limit: two calls per job in any five minutes, across restarts and processes.
 *
 * A job has as many slots as calls are allowed. A call takes a slot that was not taken within the window, in one
 * statement, so that two concurrent calls cannot take the same one. A working call only leases the slot. If its process
 * dies, the slot is free again: at once where the death is detectable, otherwise when the lease ends.
 *
 * A call that has judged keeps its slot with the version, even if a later step fails: there are never more versions than
 * slots. The next call leases that slot to continue with the version.
 */
import type { Database } from "../../database/open.ts";
import type { Limit } from "../http/limits.ts";
import type { ProcessIdentity } from "../settings/processIdentity.ts";

const PREPARE_LIMIT = { calls: 2, windowMs: 300_000 } as const;
/** The limit in the response headers. */
export const OF_PREPARING: Limit = {
  name: "prepare",
  quota: PREPARE_LIMIT.calls,
  windowSeconds: PREPARE_LIMIT.windowMs / 1_000,
  scope: "job",
};

/** Longer than any call works: `LOG_WAIT_MS` is half of it at most. */
export const PREPARE_LEASE_MS = 60_000;

export interface Slot {
  readonly jobId: string;
  readonly slot: number;
  readonly takenAtMs: number;
}

/** One whose report was judged and is not certified yet. */
export interface JudgedSlot extends Slot {
  readonly version: number;
}

/**
 * @param process whose call it is
 * @param nowMs unix milliseconds
 * @returns the slot, lent until `keepPrepareSlot`; or the milliseconds until one is free
 */
export async function takePrepareSlot(
  db: Database,
  process: ProcessIdentity,
  jobId: string,
  nowMs: number,
): Promise<Slot | { readonly waitMs: number }> {
  const cutoff = nowMs - PREPARE_LIMIT.windowMs;
  const lent = { ...lentTo(process, nowMs), taken_at_ms: nowMs, version: null };
  for (let slot = 0; slot < PREPARE_LIMIT.calls; slot++) {
    const taken = await db
      .insertInto("prepare_slots")
      .values({ job_id: jobId, slot, ...lent })
      .onConflict((conflict) =>
        conflict
          .columns(["job_id", "slot"])
          .doUpdateSet(lent)
          .where((eb) =>
            eb.or([
              eb("prepare_slots.taken_at_ms", "<=", cutoff),
              eb.and([
                eb("prepare_slots.lent_until_ms", "<=", nowMs),
                eb("prepare_slots.version", "is", null),
              ]),
            ]),
          ),
      )
      .returning("slot")
      .executeTakeFirst();
    if (taken !== undefined) return { jobId, slot, takenAtMs: nowMs };
  }
  const { oldest } = await db
    .selectFrom("prepare_slots")
    .select((eb) => eb.fn.min("taken_at_ms").as("oldest"))
    .where("job_id", "=", jobId)
    .executeTakeFirstOrThrow();
  return { waitMs: Math.max(1, Number(oldest) + PREPARE_LIMIT.windowMs - nowMs) };
}

/**
 * Lends a slot again whose version was judged and is not certified yet, the newest of several.
 * @param nowMs unix milliseconds
 * @returns null where there is none, or another call has it
 */
export async function resumePrepareSlot(
  db: Database,
  process: ProcessIdentity,
  jobId: string,
  nowMs: number,
): Promise<JudgedSlot | null> {
  await freeDeadSlots(db, process, jobId);
  const row = await db
    .updateTable("prepare_slots")
    .set(lentTo(process, nowMs))
    .where("job_id", "=", jobId)
    .where("version", "=", (eb) =>
      eb.selectFrom("prepare_slots").select(eb.fn.max("version").as("newest")).where("job_id", "=", jobId),
    )
    .where((eb) => eb.or([eb("lent_until_ms", "is", null), eb("lent_until_ms", "<=", nowMs)]))
    .returning(["slot", "taken_at_ms", "version"])
    .executeTakeFirst();
  if (row === undefined || row.version === null) return null;
  return { jobId, slot: row.slot, takenAtMs: row.taken_at_ms, version: row.version };
}

const lentTo = (process: ProcessIdentity, nowMs: number) => ({
  lent_until_ms: nowMs + PREPARE_LEASE_MS,
  owner: process.self,
});

/** Those that a process took which is dead. */
async function freeDeadSlots(db: Database, process: ProcessIdentity, jobId: string): Promise<void> {
  const rows = await db
    .selectFrom("prepare_slots")
    .select(["slot", "owner", "taken_at_ms"])
    .where("job_id", "=", jobId)
    .where("owner", "is not", null)
    .execute();
  for (const { slot, owner, taken_at_ms } of rows)
    if (owner !== null && process.isDead(owner))
      await releasePrepareSlot(db, { jobId, slot, takenAtMs: taken_at_ms });
}

const ofSlot = ({ jobId, slot, takenAtMs }: Slot) => ({ job_id: jobId, slot, taken_at_ms: takenAtMs });
const update = (db: Database, slot: Slot) =>
  db.updateTable("prepare_slots").where((eb) => eb.and(ofSlot(slot)));

/** The call has judged: the slot is its version's. In the transaction that stores the report. */
export async function judgedPrepareSlot(trx: Database, slot: Slot, version: number): Promise<void> {
  await update(trx, slot).set({ version }).execute();
}

/** The call has come to its end: the slot counts for the whole window. In the transaction that stores what it came to. */
export async function keepPrepareSlot(trx: Database, slot: Slot): Promise<void> {
  await update(trx, slot).set({ owner: null, lent_until_ms: null, version: null }).execute();
}

/** Gives a slot back whose call came to nothing through no fault of the caller; one with a version waits for the next call. */
export async function releasePrepareSlot(db: Database, slot: Slot): Promise<void> {
  await update(db, slot).set({ owner: null, lent_until_ms: null }).where("version", "is not", null).execute();
  await db
    .deleteFrom("prepare_slots")
    .where((eb) => eb.and(ofSlot(slot)))
    .where("version", "is", null)
    .execute();
}
