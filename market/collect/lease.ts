/** Of several processes one collects: who holds the lease, a row that expires unless its holder renews it. */
import type { UnixMs } from "../../attestor/time.ts";
import type { Database } from "../../database/open.ts";

export interface LeaseDeps {
  readonly db: Database;
  /** What may be done by one alone. */
  readonly name: string;
  /** Tells this process from the others. */
  readonly holder: string;
  /** How long the lease outlives its last renewal. Clocks of processes must agree to well within it. */
  readonly ttlMs: number;
  now(): UnixMs;
}

/**
 * Takes the lease where it is free or has expired, and renews it where it is held already.
 * @returns whether this holder has it for the next `ttlMs`
 * @throws DatabaseUnavailable
 */
export async function acquireLease({ db, name, holder, ttlMs, now }: LeaseDeps): Promise<boolean> {
  const at = now();
  const result = await db
    .insertInto("leases")
    .values({ name, holder, expires_at_ms: at + ttlMs })
    .onConflict((conflict) =>
      conflict
        .column("name")
        .doUpdateSet({ holder, expires_at_ms: at + ttlMs })
        .where((eb) => eb.or([eb("leases.holder", "=", holder), eb("leases.expires_at_ms", "<=", at)])),
    )
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Gives the lease back, if this holder has it. @throws DatabaseUnavailable */
export async function releaseLease({ db, name, holder }: LeaseDeps): Promise<void> {
  await db.deleteFrom("leases").where("name", "=", name).where("holder", "=", holder).execute();
}

/** Who has the lease now; null: nobody. @throws DatabaseUnavailable */
export async function leaseHolder({ db, name, now }: Omit<LeaseDeps, "holder" | "ttlMs">) {
  const row = await db
    .selectFrom("leases")
    .select("holder")
    .where("name", "=", name)
    .where("expires_at_ms", ">", now())
    .executeTakeFirst();
  return row?.holder ?? null;
}
