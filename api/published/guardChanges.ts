/** Changes of the guard, compared with the record of its admins: a change in no record was decided by nobody here. */
import type { Deployment } from "../../chain/deployment.ts";
import { Operation } from "../../chain/guard/manager.ts";
import { CHANGES, type GuardChange } from "../../chain/guard/trades.ts";
import type { Database } from "../../database/open.ts";
import { type Family, gaugeFor } from "../metrics/instruments.ts";

export const GUARD_METRICS = ["assay_guard_unrecorded_changes", "assay_guard_unread_blocks"] as const;

export interface StoreChangesDeps {
  readonly db: Database;
  readonly chain: { readonly deployment: Pick<Deployment, "chainId" | "guard"> };
  /** Hashes of transactions, lower case; null: the deployment names none, and nothing is compared. */
  recorded(): ReadonlySet<string> | null;
  readonly log: { warn(details: object, message: string): void };
}

/** @param changes in blocks that are final @throws DatabaseUnavailable */
export async function storeChanges(
  { db, chain, recorded, log }: StoreChangesDeps,
  changes: readonly GuardChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const { chainId: chain_id, guard } = chain.deployment;
  const record = recorded();
  for (const { event, transactionHash: transaction, block, line } of changes)
    if (record !== null && !record.has(transaction))
      log.warn(
        { event, transaction, block, line },
        "the guard was changed outside of the deployment's record",
      );
  await db
    .insertInto("guard_changes")
    .values(
      changes.map(({ transactionHash: transaction_hash, logIndex: log_index, operation, ...change }) => ({
        ...{ chain_id, guard, transaction_hash, log_index, ...change },
        operation: operation && JSON.stringify(operation),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * What was ever scheduled of a guard, executed or not.
 * @throws DatabaseUnavailable
 */
export async function scheduledOperations(
  db: Database,
  { chainId, guard }: Pick<Deployment, "chainId" | "guard">,
): Promise<Operation[]> {
  const rows = await db
    .selectFrom("guard_changes")
    .select("operation")
    .distinct()
    .where("chain_id", "=", chainId)
    .where("guard", "=", guard)
    .where("operation", "is not", null)
    .execute();
  return rows.map(({ operation }) => Operation.parse(JSON.parse(operation as string)));
}

/** Names of the cursors: the last final block whose events were read, and the last one that was seen. */
export const followCursors = ({ chainId, guard }: Pick<Deployment, "chainId" | "guard">) => ({
  read: `final/${chainId}/${guard}`,
  seen: `seen/${chainId}/${guard}`,
});

/**
 * How many changes of each kind are in no record, and how many blocks nobody has read yet.
 * @param record as `StoreChangesDeps.recorded`
 * @throws DatabaseUnavailable
 */
export async function changeFamilies(
  db: Database,
  { chainId, guard }: Pick<Deployment, "chainId" | "guard">,
  record: ReadonlySet<string> | null,
): Promise<Family[]> {
  const names = followCursors({ chainId, guard });
  const cursors = await db
    .selectFrom("chain_cursors")
    .selectAll()
    .where("name", "in", Object.values(names))
    .execute();
  const blockOf = (name: string) => Number(cursors.find((cursor) => cursor.name === name)?.block ?? 0);
  const unread = Math.max(0, blockOf(names.seen) - blockOf(names.read));
  const rows = await db
    .selectFrom("guard_changes")
    .select(["event", "transaction_hash"])
    .where("chain_id", "=", chainId)
    .where("guard", "=", guard)
    .execute();
  const unrecorded = rows.filter(({ transaction_hash }) => record?.has(transaction_hash) === false);
  return [
    gaugeFor(
      "assay_guard_unrecorded_changes",
      record === null
        ? []
        : CHANGES.map((kind) => [{ kind }, unrecorded.filter(({ event }) => event === kind).length] as const),
    ),
    gaugeFor("assay_guard_unread_blocks", cursors.length === 0 ? [] : [[{}, unread]]),
  ];
}
