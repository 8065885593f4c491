/** What was changed of the guard, held against the record of its admins: what is in no record, nobody here decided. */
import type { Deployment } from "../../chain/deployment.ts";
import { CHANGES, type GuardChange } from "../../chain/guard/trades.ts";
import type { Database } from "../../database/open.ts";
import { type Family, gaugeFor } from "../metrics/instruments.ts";

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
      changes.map(({ event, transactionHash: transaction_hash, logIndex: log_index, block, line }) => ({
        ...{ chain_id, guard, transaction_hash, log_index, block, event, line },
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * How many changes of each kind stand in no record.
 * @param record as `StoreChangesDeps.recorded`
 * @throws DatabaseUnavailable
 */
export async function changeFamilies(
  db: Database,
  { chainId, guard }: Pick<Deployment, "chainId" | "guard">,
  record: ReadonlySet<string> | null,
): Promise<Family[]> {
  if (record === null) return [gaugeFor("assay_guard_unrecorded_changes", [])];
  const rows = await db
    .selectFrom("guard_changes")
    .select(["event", "transaction_hash"])
    .where("chain_id", "=", chainId)
    .where("guard", "=", guard)
    .execute();
  const unrecorded = rows.filter(({ transaction_hash }) => !record.has(transaction_hash));
  return [
    gaugeFor(
      "assay_guard_unrecorded_changes",
      CHANGES.map((kind) => [{ kind }, unrecorded.filter(({ event }) => event === kind).length] as const),
    ),
  ];
}
