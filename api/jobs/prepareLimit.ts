/**
 * The prepare limit: two calls per job in any five minutes, across restarts and processes.
 *
 * A job has as many slots as calls are allowed. A call takes a slot that was not taken within the
 * window, in one statement, so that two calls at once cannot take the same.
 */
import type { Database } from "../../database/open.ts";

export const PREPARE_LIMIT = { calls: 2, windowMs: 300_000 } as const;

export interface Slot {
  readonly jobId: string;
  readonly slot: number;
  readonly takenAtMs: number;
}

/**
 * @param nowMs unix milliseconds
 * @returns the slot, or the milliseconds until one is free
 */
export async function takePrepareSlot(
  db: Database,
  jobId: string,
  nowMs: number,
): Promise<Slot | { readonly waitMs: number }> {
  const cutoff = nowMs - PREPARE_LIMIT.windowMs;
  for (let slot = 0; slot < PREPARE_LIMIT.calls; slot++) {
    const taken = await db
      .insertInto("prepare_slots")
      .values({ job_id: jobId, slot, taken_at_ms: nowMs })
      .onConflict((conflict) =>
        conflict
          .columns(["job_id", "slot"])
          .doUpdateSet({ taken_at_ms: nowMs })
          .where("prepare_slots.taken_at_ms", "<=", cutoff),
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

/** Gives a slot back whose call came to nothing through no fault of the caller. */
export async function releasePrepareSlot(db: Database, { jobId, slot, takenAtMs }: Slot): Promise<void> {
  await db
    .deleteFrom("prepare_slots")
    .where("job_id", "=", jobId)
    .where("slot", "=", slot)
    .where("taken_at_ms", "=", takenAtMs)
    .execute();
}
