/** What was scheduled of the guard, by its manager's events in final blocks, and how far those blocks were read. */
import type { Deployment } from "../../chain/deployment.ts";
import { Operation } from "../../chain/guard/manager.ts";
import type { ScheduledOperation } from "../../chain/guard/trades.ts";
import type { Database } from "../../database/open.ts";
import { type Family, gaugeFor } from "../metrics/instruments.ts";

type Guard = Pick<Deployment, "chainId" | "guard">;

/** @param scheduled in blocks that are final @throws DatabaseUnavailable */
export async function storeScheduled(
  db: Database,
  { chainId: chain_id, guard }: Guard,
  scheduled: readonly ScheduledOperation[],
): Promise<void> {
  if (scheduled.length === 0) return;
  await db
    .insertInto("scheduled_operations")
    .values(
      scheduled.map(({ transactionHash: transaction_hash, logIndex: log_index, operation }) => ({
        chain_id,
        guard,
        transaction_hash,
        log_index,
        operation: JSON.stringify(operation),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * What was ever scheduled of a guard, executed or not.
 * @throws DatabaseUnavailable
 */
export async function scheduledOperations(db: Database, { chainId, guard }: Guard): Promise<Operation[]> {
  const rows = await db
    .selectFrom("scheduled_operations")
    .select("operation")
    .distinct()
    .where("chain_id", "=", chainId)
    .where("guard", "=", guard)
    .execute();
  return rows.map(({ operation }) => Operation.parse(JSON.parse(operation)));
}

/** Names of the cursors: the last final block whose events were read, and the last one that was seen. */
export const followCursors = ({ chainId, guard }: Guard) => ({
  read: `final/${chainId}/${guard}`,
  seen: `seen/${chainId}/${guard}`,
});

/**
 * How many blocks nobody has read yet; null: nobody has begun.
 * @throws DatabaseUnavailable
 */
export async function unreadBlocks(db: Database, guard: Guard): Promise<number | null> {
  const names = followCursors(guard);
  const cursors = await db
    .selectFrom("chain_cursors")
    .selectAll()
    .where("name", "in", Object.values(names))
    .execute();
  if (cursors.length === 0) return null;
  const blockOf = (name: string) => Number(cursors.find((cursor) => cursor.name === name)?.block ?? 0);
  return Math.max(0, blockOf(names.seen) - blockOf(names.read));
}

/** No value where it is not known. */
export const unreadFamily = (blocks: number | null): Family =>
  gaugeFor("assay_guard_unread_blocks", blocks === null ? [] : [[{}, blocks]]);
