/**
 * The prepare limit: two calls per job in any five minutes, across restarts and processes.
 *
 * A job has as many slots as calls are allowed. A call takes a slot that was not taken within the
 * window, in one statement, so that two calls at once cannot take the same. While it works the slot is only lent: should
 * its process die, the slot is free again, at once where the death can be seen, and otherwise when the lease ends.
 */
import type { Database } from "../../database/open.ts";
import type { ProcessIdentity } from "../settings/processIdentity.ts";

const PREPARE_LIMIT = { calls: 2, windowMs: 300_000 } as const;

/** Longer than any call works. */
export const PREPARE_LEASE_MS = 60_000;

export interface Slot {
  readonly jobId: string;
  readonly slot: number;
  readonly takenAtMs: number;
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
  await freeDeadSlots(db, process, jobId);
  const cutoff = nowMs - PREPARE_LIMIT.windowMs;
  const lent = { taken_at_ms: nowMs, lent_until_ms: nowMs + PREPARE_LEASE_MS, owner: process.self };
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
              eb("prepare_slots.lent_until_ms", "<=", nowMs),
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

/** The call has come to its report: the slot counts for the whole window. In the transaction that stores the report. */
export async function keepPrepareSlot(trx: Database, slot: Slot): Promise<void> {
  await trx
    .updateTable("prepare_slots")
    .set({ owner: null, lent_until_ms: null })
    .where((eb) => eb.and(ofSlot(slot)))
    .execute();
}

/** Gives a slot back whose call came to nothing through no fault of the caller. */
export async function releasePrepareSlot(db: Database, slot: Slot): Promise<void> {
  await db
    .deleteFrom("prepare_slots")
    .where((eb) => eb.and(ofSlot(slot)))
    .execute();
}
