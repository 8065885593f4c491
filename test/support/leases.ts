/** Leases that a process has which is not there. */
import type { Database } from "../../database/open.ts";

/** From now on another has the lease, until a time in unix milliseconds. */
export async function leaseToAnother(db: Database, name: string, untilMs: number): Promise<void> {
  const term = { holder: "another", expires_at_ms: untilMs, renewed_at_ms: untilMs };
  await db
    .insertInto("leases")
    .values({ name, epoch: 1, ...term })
    .onConflict((conflict) =>
      conflict.column("name").doUpdateSet((eb) => ({ ...term, epoch: eb("leases.epoch", "+", 1) })),
    )
    .execute();
}
