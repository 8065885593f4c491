/** What the chain says of a refund. The token's own event decides that one was made, by any sender and in any way. */
import { getAddress, type JsonRpcProvider, type Log, zeroPadValue } from "ethers";
import { eventsBetween, REORG_MARGIN, sameAddress, TRANSFER } from "../../../api/payments/chainEvents.ts";
import { UpstreamUnavailable } from "../../../chain/chainErrors.ts";
import { upstream } from "../../../chain/rpc.ts";
import type { Database } from "../../../database/open.ts";
import {
  confirm,
  findRefund,
  findSentBy,
  findTaken,
  forgetSent,
  type RefundRow,
  type Transfer,
  transferName,
} from "./rows.ts";

/** Nodes behind one address may lag behind each other: a nonce that is used for so long has shown its events, too. */
const LAG_BLOCKS = 20;

export interface LookDeps {
  readonly db: Database;
  readonly node: JsonRpcProvider;
  /** Blocks, its own included, from which on a transfer counts. */
  readonly confirmations: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** `proposed`: nothing of it is on the chain; `out`: signed, and may be mined at any time; `shallow`: not deep enough. */
export interface Seen {
  readonly row: RefundRow;
  readonly is: "proposed" | "out" | "shallow" | "confirmed";
}

/**
 * Looks, and writes down what is certain. A transaction that was replaced, by its owner for a higher fee perhaps, is
 * given up only where no transfer came of what took its place.
 * @throws UpstreamUnavailable, DatabaseUnavailable
 */
export async function lookAtRefund(deps: LookDeps, row: RefundRow): Promise<Seen> {
  const { db, node, confirmations, now } = deps;
  if (row.state === "confirmed") return { row, is: "confirmed" };
  const head = await upstream("block", () => node.getBlockNumber());
  const deep = head - confirmations + 1;
  // Before the events: what is used at this block has its events up to it, too.
  const used = row.state === "sent" ? await nonceAt(node, row.sender, Math.max(0, deep - LAG_BLOCKS)) : null;
  let isShallow = false;
  const taken = await findTaken(db, row);
  for (const transfer of await transfersOf(node, row, firstBlockOf(row), head)) {
    if (taken.has(transferName(transfer))) continue;
    if (!(await canBe(deps, row, transfer))) continue;
    if (transfer.blockNumber > deep) isShallow = true;
    else if (await confirm(db, row, transfer, Math.floor(now() / 1_000)))
      return { row: (await findRefund(db, row)) ?? row, is: "confirmed" };
  }
  if (isShallow) return { row, is: "shallow" };
  if (row.state === "proposed" || used === null) return { row, is: "proposed" };
  if (row.sender_nonce === null || row.transaction_hash === null || used <= row.sender_nonce)
    return { row, is: "out" };
  await forgetSent(db, row, row.transaction_hash);
  return { row: (await findRefund(db, row)) ?? row, is: "proposed" };
}

/** After a reorganization a sent refund may be in an earlier block than before; its nonce identifies it. */
const firstBlockOf = ({ state, from_block }: RefundRow): number =>
  Math.max(0, state === "sent" ? from_block - REORG_MARGIN : from_block);

/**
 * Two refunds of one amount to one payer look alike. So a transaction signed for one counts only for that one, and so
 * does its replacement under the same nonce.
 */
export async function canBe({ db, node }: LookDeps, row: RefundRow, transfer: Transfer): Promise<boolean> {
  const transaction = await upstream("transaction", () => node.getTransaction(transfer.transactionHash));
  if (transaction === null)
    throw new UpstreamUnavailable("The chain's RPC gives an event and does not know its transaction.");
  const owners = await findSentBy(db, row.network, transaction.from, transaction.nonce);
  if (owners.length === 0) return row.state !== "sent";
  const exact = owners.filter(({ transaction_hash }) => transaction_hash === transfer.transactionHash);
  return (exact.length > 0 ? exact : owners).some(
    ({ asset, payer, nonce }) => asset === row.asset && payer === row.payer && nonce === row.nonce,
  );
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
  const topics = [TRANSFER, zeroPadValue(sender, 32), zeroPadValue(payer, 32)];
  for await (const log of eventsBetween(node, fromBlock, toBlock, { address: asset, topics }))
    if (isAmount(log.data, amount)) found.push(transferOf(log));
  return found;
}

export const nonceAt = (node: JsonRpcProvider, account: string, block: number | "latest" | "pending") =>
  upstream("nonce", () => node.getTransactionCount(account, block));

const topicOf = (account: string) => zeroPadValue(account, 32).toLowerCase();
const isAmount = (data: string, amount: string) => data.length === 66 && BigInt(data) === BigInt(amount);

const transferOf = ({ transactionHash, blockNumber, index, topics }: Log): Transfer => ({
  transactionHash,
  blockNumber,
  logIndex: index,
  from: getAddress(`0x${topics[1]?.slice(26)}`),
});
