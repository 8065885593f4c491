/** The guard's trades in one transaction, by a receipt that stands under its block's receipts root. */
import { AbiCoder, getAddress, id } from "ethers";
import { z } from "zod";
import { type Header, headerOf, readHeader } from "../attestor/proofs/header.ts";
import { receiptsRoot } from "../attestor/proofs/receipts.ts";
import type { UnixSeconds } from "../attestor/values/time.ts";
import { type Rpc, RpcContradicts, RpcRefused } from "./jsonRpc.ts";
import { hexBytes, Log, Quantity, quantity } from "./logs.ts";

/** Topic of the guard's event of a trade. */
export const TRADE_EXECUTED = id("TradeExecuted(bytes32,address,bytes32,bytes32,uint256,uint256)");

const Receipt = z
  .looseObject({
    transactionHash: hexBytes(32),
    status: Quantity,
    blockNumber: Quantity,
    blockHash: hexBytes(32),
    logs: z.array(Log),
  })
  .nullable();
type Receipt = NonNullable<z.infer<typeof Receipt>>;
const Block = z.looseObject({ hash: hexBytes(32), transactions: z.array(hexBytes(32)) }).nullable();

/** Receipts that are asked for at a time, of a node that does not give those of a block at once. */
const AT_ONCE = 20;

/** As an event tells of it; amounts in raw units. */
export interface GuardTrade {
  /** The contract whose event it is, EIP-55. Anybody's contract can emit such an event. */
  readonly guard: string;
  /** `jobIdHash` of the job. */
  readonly jobIdHash: string;
  /** EIP-55. */
  readonly owner: string;
  readonly evidenceHash: string;
  readonly intentHash: string;
  readonly amountSpent: bigint;
  readonly amountOut: bigint;
  readonly blockNumber: number;
  readonly blockTimestamp: UnixSeconds;
  readonly transactionHash: string;
}

export interface TransactionTrades {
  readonly chainId: number;
  /** false: it was reverted, and nothing was traded. */
  readonly succeeded: boolean;
  readonly trades: readonly GuardTrade[];
}

/**
 * @param hash lower case
 * @returns null where the node knows of no such transaction in a block
 * @throws RpcRefused, RpcUnreachable, RpcContradicts, ZodError for an invalid response
 */
export async function tradesOfTransaction(hash: string, rpc: Rpc): Promise<TransactionTrades | null> {
  const chainId = Number(Quantity.parse(await rpc("eth_chainId", [])));
  const answer = await rpc("eth_getTransactionReceipt", [hash]);
  const receipt = Receipt.parse(answer);
  if (receipt === null) return null;
  const header = await provedHeader(hash, receipt, answer, rpc);
  return {
    chainId,
    succeeded: receipt.status === "0x1",
    trades: receipt.logs
      .filter(({ topics }) => topics.length === 4 && topics[0] === TRADE_EXECUTED)
      .map((log) => tradeIn(log, hash, header)),
  };
}

/**
 * The header of the receipt's block, under whose receipts root it stands with all others of the block. The root is as good
 * as the header: that its block is the chain's is the node's word.
 */
async function provedHeader(hash: string, receipt: Receipt, answer: unknown, rpc: Rpc): Promise<Header> {
  const { blockHash, blockNumber } = receipt;
  const given = await rpc("eth_getBlockByHash", [blockHash, false]);
  const block = Block.parse(given);
  const rlp = headerOf(given);
  const header = rlp === null ? null : readHeader(rlp);
  if (block === null || header?.hash !== blockHash)
    throw new RpcContradicts(
      `the receipt of ${hash} is of block ${blockHash}, whose header is not there, or does not hash to that`,
    );
  const number = quantity(header.number);
  const atNumber = Block.parse(await rpc("eth_getBlockByNumber", [number, false]));
  if (number !== blockNumber || atNumber?.hash !== blockHash)
    throw new RpcContradicts(
      `block ${blockHash} is number ${header.number} by its header, ${Number(blockNumber)} by the receipt of ${hash}, and the block of its number is ${atNumber?.hash ?? "missing"}`,
    );
  const index = block.transactions.indexOf(hash);
  if (index < 0 || receipt.transactionHash !== hash)
    throw new RpcContradicts(`the receipt of ${hash} is another's, or its block does not list it`);
  const receipts = await receiptsOf(number, block.transactions, rpc);
  // The receipt that is used must itself be under the root.
  if (receiptsRoot(receipts.with(index, answer)) !== header.receiptsRoot)
    throw new RpcContradicts(
      `the receipt of ${hash} does not stand under the receipts root of its block ${header.number}`,
    );
  return header;
}

async function receiptsOf(block: string, hashes: readonly string[], rpc: Rpc): Promise<unknown[]> {
  try {
    const all = z.array(z.unknown()).parse(await rpc("eth_getBlockReceipts", [block]));
    if (all.length === hashes.length) return all;
    throw new RpcContradicts(
      `block ${Number(block)} has ${hashes.length} transactions, ${all.length} receipts`,
    );
  } catch (error) {
    if (!(error instanceof RpcRefused)) throw error;
  }
  const receipts: unknown[] = [];
  for (let from = 0; from < hashes.length; from += AT_ONCE) {
    const some = hashes.slice(from, from + AT_ONCE);
    receipts.push(...(await Promise.all(some.map((hash) => rpc("eth_getTransactionReceipt", [hash])))));
  }
  return receipts;
}

/** @throws ZodError for data of another length */
function tradeIn({ address, topics, data }: Log, transactionHash: string, header: Header): GuardTrade {
  const [, jobIdHash = "", owner, evidenceHash = ""] = topics;
  const [intentHash, amountSpent, amountOut] = AbiCoder.defaultAbiCoder().decode(
    ["bytes32", "uint256", "uint256"],
    hexBytes(96).parse(data),
  );
  const { number: blockNumber, timestamp: blockTimestamp } = header;
  return {
    guard: getAddress(address),
    jobIdHash,
    owner: getAddress(`0x${owner?.slice(26)}`),
    evidenceHash,
    intentHash,
    amountSpent,
    amountOut,
    blockNumber,
    blockTimestamp,
    transactionHash,
  };
}
