/** What the chain says of a refund. The token's own event decides that one was made, by any sender and in any way. */
import { getAddress, type JsonRpcProvider, type Log, zeroPadValue } from "ethers";
import { eventsBetween, sameAddress, TRANSFER } from "../../../api/payments/chainEvents.ts";
import { upstream } from "../../../chain/rpc.ts";
import type { Database } from "../../../database/open.ts";
import { confirm, findRefund, findTaken, type RefundRow, type Transfer, transferName } from "./rows.ts";

export interface LookDeps {
  readonly db: Database;
  readonly node: JsonRpcProvider;
  /** Blocks, its own included, from which on a transfer counts. */
  readonly confirmations: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** `proposed`: nothing of it is on the chain; `shallow`: not deep enough. */
export interface Seen {
  readonly row: RefundRow;
  readonly is: "proposed" | "shallow" | "confirmed";
}

/** Looks, and writes down what is certain. @throws UpstreamUnavailable, DatabaseUnavailable */
export async function lookAtRefund(deps: LookDeps, row: RefundRow): Promise<Seen> {
  const { db, node, confirmations, now } = deps;
  if (row.state === "confirmed") return { row, is: "confirmed" };
  const head = await upstream("block", () => node.getBlockNumber());
  const deep = head - confirmations + 1;
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
  const topics = [TRANSFER, zeroPadValue(sender, 32), zeroPadValue(payer, 32)];
  for await (const log of eventsBetween(node, fromBlock, toBlock, { address: asset, topics }))
    if (isAmount(log.data, amount)) found.push(transferOf(log));
  return found;
}

const topicOf = (account: string) => zeroPadValue(account, 32).toLowerCase();
const isAmount = (data: string, amount: string) => data.length === 66 && BigInt(data) === BigInt(amount);

const transferOf = ({ transactionHash, blockNumber, index, topics }: Log): Transfer => ({
  transactionHash,
  blockNumber,
  logIndex: index,
  from: getAddress(`0x${topics[1]?.slice(26)}`),
});
