/**
 * The ledger of refunds: every way in which it changes. A payment has one row at most, so it is refunded once at most.
 *
 * - (none) → proposed: a possible sender knows of it
 * - proposed → confirmed: the chain has the transfer, deep enough, and it belongs to no other refund
 * - proposed → (none): withdrawn; nobody will send it
 */

import { getAddress, type JsonRpcProvider, type Log } from "ethers";
import type { Selectable } from "kysely";
import { eventsBetween, sameAddress, TRANSFER, topicOf } from "../../api/payments/chainEvents.ts";
import { upstream } from "../../chain/rpc.ts";
import { isUniqueViolation } from "../../database/errors.ts";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import type { PaymentRecord } from "./ledger.ts";
import type { PaymentsDeps } from "./open.ts";

export type RefundRow = Selectable<Schema["refunds"]>;
export type RefundKey = Pick<RefundRow, "network" | "asset" | "payer" | "nonce">;

interface Transfer {
  readonly transactionHash: string;
  readonly blockNumber: number;
  readonly logIndex: number;
  /** EIP-55. */
  readonly from: string;
}

export async function findRefund(db: Database, key: RefundKey): Promise<RefundRow | null> {
  const row = await db.selectFrom("refunds").selectAll().where(matches(key)).executeTakeFirst();
  return row ?? null;
}

/** Transfers to a payer that are refunds already, by `transferName`. */
async function findTaken(
  db: Database,
  { network, payer }: Pick<RefundRow, "network" | "payer">,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom("refunds")
    .select(["transaction_hash", "log_index"])
    .where((eb) => eb.and({ network, payer, state: "confirmed" }))
    .execute();
  return new Set(rows.map(({ transaction_hash, log_index }) => `${transaction_hash} ${log_index}`));
}

const transferName = ({ transactionHash, logIndex }: Transfer): string => `${transactionHash} ${logIndex}`;

/** Oldest first. */
export function listRefunds(db: Database): Promise<RefundRow[]> {
  return db.selectFrom("refunds").selectAll().orderBy("created_at").orderBy("nonce").execute();
}

/** @param now unix seconds @returns the row, or the one that stood there already */
export async function propose(
  db: Database,
  payment: PaymentRecord,
  given: { sender: string; fromBlock: number; actor: string; reason: string | null; now: number },
): Promise<RefundRow> {
  const { network, asset, payer, nonce, jobId, amount } = payment;
  await db
    .insertInto("refunds")
    .values({
      network,
      asset,
      payer,
      nonce,
      job_id: jobId,
      state: "proposed",
      amount,
      sender: given.sender,
      from_block: given.fromBlock,
      actor: given.actor,
      reason: given.reason,
      created_at: given.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await findRefund(db, { network, asset, payer, nonce });
  if (row === null) throw new Error("the refund was withdrawn at this very moment");
  return row;
}

/** @param now unix seconds @returns false when the transfer is another refund's */
export async function confirm(
  db: Database,
  key: RefundKey,
  { transactionHash, blockNumber, logIndex, from }: Transfer,
  now: number,
): Promise<boolean> {
  try {
    const { numUpdatedRows } = await db
      .updateTable("refunds")
      .set({
        state: "confirmed",
        sender: from,
        transaction_hash: transactionHash,
        block_number: blockNumber,
        log_index: logIndex,
        confirmed_at: now,
      })
      .where(matches(key))
      .where("state", "<>", "confirmed")
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

/** @returns false when it is not only proposed */
export async function withdraw(db: Database, key: RefundKey): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("refunds")
    .where(matches(key))
    .where("state", "=", "proposed")
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

const matches =
  ({ network, asset, payer, nonce }: RefundKey) =>
  // biome-ignore lint/suspicious/noExplicitAny: the expression builder of three kinds of statements
  (eb: any) =>
    eb.and({ network, asset, payer, nonce });

/** `proposed`: nothing of it is on the chain; `shallow`: not deep enough. */
export interface Seen {
  readonly row: RefundRow;
  readonly is: "proposed" | "shallow" | "confirmed";
}

/** Looks, and writes down what is certain. @param now unix milliseconds @throws UpstreamUnavailable, DatabaseUnavailable */
export async function lookAtRefund(
  { db, confirmationsOf }: Pick<PaymentsDeps, "db" | "confirmationsOf">,
  node: JsonRpcProvider,
  now: () => number,
  row: RefundRow,
): Promise<Seen> {
  if (row.state === "confirmed") return { row, is: "confirmed" };
  const head = await upstream("block", () => node.getBlockNumber());
  const deep = head - confirmationsOf(row.network) + 1;
  let isShallow = false;
  const taken = await findTaken(db, row);
  for (const transfer of await transfersOf(node, row, row.from_block, head)) {
    if (taken.has(transferName(transfer))) continue;
    if (transfer.blockNumber > deep) isShallow = true;
    else if (await confirm(db, row, transfer, Math.floor(now() / 1_000)))
      return { row: (await findRefund(db, row)) ?? row, is: "confirmed" };
  }
  return { row, is: isShallow ? "shallow" : "proposed" };
}

/** The transfers of a transaction that can be this refund, by any sender but the payer. */
export async function transfersIn(
  node: JsonRpcProvider,
  { asset, payer, amount }: Pick<RefundRow, "asset" | "payer" | "amount">,
  transactionHash: string,
): Promise<Transfer[]> {
  const receipt = await upstream("receipt", () => node.getTransactionReceipt(transactionHash));
  return (receipt?.logs ?? [])
    .filter(
      ({ address, topics }) =>
        sameAddress(address, asset) &&
        topics[0] === TRANSFER &&
        topics[1] !== topicOf(payer) &&
        topics[2] === topicOf(payer),
    )
    .filter(({ data }) => isAmount(data, amount))
    .map(transferOf);
}

/** Whether the chain still has a confirmed refund's transfer. */
export async function isStillThere(node: JsonRpcProvider, row: RefundRow): Promise<boolean> {
  if (row.block_number === null) return false;
  const found = await transfersOf(node, row, row.block_number, row.block_number);
  return found.some(
    ({ transactionHash, logIndex }) => transactionHash === row.transaction_hash && logIndex === row.log_index,
  );
}

async function transfersOf(
  node: JsonRpcProvider,
  { asset, sender, payer, amount }: RefundRow,
  fromBlock: number,
  toBlock: number,
): Promise<Transfer[]> {
  const found: Transfer[] = [];
  const topics = [TRANSFER, topicOf(sender), topicOf(payer)];
  for await (const log of eventsBetween(node, fromBlock, toBlock, { address: asset, topics }))
    if (isAmount(log.data, amount)) found.push(transferOf(log));
  return found;
}

const isAmount = (data: string, amount: string) => data.length === 66 && BigInt(data) === BigInt(amount);

const transferOf = ({ transactionHash, blockNumber, index, topics }: Log): Transfer => ({
  transactionHash,
  blockNumber,
  logIndex: index,
  from: getAddress(`0x${topics[1]?.slice(26)}`),
});
