/**
 * A local chain ends with its process, and the database does not: payments and transactions in it may refer to a chain
 * that is gone. Nothing on the new chain could ever bring these to an end, so they end here, with that reason.
 */
import { markExpired } from "../api/payments/ledger.ts";
import type { Database } from "../database/open.ts";

/** `fault` of a payment that was still being settled on a local chain that is gone. */
const EARLIER_CHAIN = "earlier_chain";
const REASON = "It was sent to an earlier local chain, which ended before it was confirmed.";

export interface EarlierChainEnd {
  /** Payments that were still being settled. */
  readonly payments: number;
  /** Transactions that were submitted and not yet seen in a block. */
  readonly transactions: number;
}

/**
 * To be called before anything works on the database. A cursor that is named after the chain's first block tells whether
 * the database has seen this chain; it is written last, so that what a crash interrupts is done again.
 * @param genesisHash of the chain's first block
 * @returns null when the database has seen this chain before
 * @throws DatabaseUnavailable
 */
export async function endEarlierChain(
  db: Database,
  chainId: number,
  genesisHash: string,
): Promise<EarlierChainEnd | null> {
  const name = `genesis/${chainId}/${genesisHash}`;
  const genesisRow = await db
    .selectFrom("chain_cursors")
    .select("name")
    .where("name", "=", name)
    .executeTakeFirst();
  if (genesisRow !== undefined) return null;

  const payments = await endPayments(db, `eip155:${chainId}`);
  const transactions = await endExecutions(db);
  await db.transaction().execute(async (trx) => {
    // Events of this chain are read from its own beginning.
    await trx.deleteFrom("chain_cursors").where("name", "like", `%/${chainId}/%`).execute();
    await trx
      .insertInto("chain_cursors")
      .values({ name, block: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
  return { payments, transactions };
}

async function endPayments(db: Database, network: string): Promise<number> {
  const settling = await db
    .selectFrom("payments")
    .select(["network", "asset", "payer", "nonce", "job_id as jobId"])
    .where("network", "=", network)
    .where("state", "=", "settling")
    .execute();
  for (const payment of settling) await markExpired(db, payment, EARLIER_CHAIN);
  return settling.length;
}

/** What was confirmed stays so, and is not looked for any more. */
async function endExecutions(db: Database): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable("executions")
    .set({ state: "dropped", reason: REASON })
    .where("state", "=", "submitted")
    .executeTakeFirst();
  await db
    .updateTable("executions")
    .set({ next_look_at: null })
    .where("next_look_at", "is not", null)
    .execute();
  return Number(numUpdatedRows);
}
