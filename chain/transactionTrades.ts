/** The guard's trades in one transaction, as its receipt tells them. */
import { getAddress } from "ethers";
import { z } from "zod";
import { hexBytes, Log, Quantity } from "./guardLogs.ts";
import { TRADE_EXECUTED, type Trade, tradeIn } from "./guardTrade.ts";
import type { Rpc } from "./jsonRpc.ts";

const Receipt = z
  .looseObject({ transactionHash: hexBytes(32), status: Quantity, blockNumber: Quantity, logs: z.array(Log) })
  .nullable();

export interface GuardTrade extends Trade {
  /** The contract whose event it is, EIP-55. Anybody's contract can emit such an event. */
  readonly guard: string;
  /** `jobIdHash` of the job. */
  readonly jobIdHash: string;
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
 * @throws RpcRefused, RpcUnreachable, ZodError for an answer that makes no sense
 */
export async function tradesOfTransaction(hash: string, rpc: Rpc): Promise<TransactionTrades | null> {
  const chainId = Number(Quantity.parse(await rpc("eth_chainId", [])));
  const receipt = Receipt.parse(await rpc("eth_getTransactionReceipt", [hash]));
  if (receipt === null) return null;
  const { transactionHash, blockNumber, status, logs } = receipt;
  // A node's answer is checked like any other.
  const own = logs.filter((log) => log.transactionHash === hash && log.blockNumber === blockNumber);
  if (transactionHash !== hash || own.length !== logs.length)
    throw new Error("another transaction's receipt");
  return {
    chainId,
    succeeded: status === "0x1",
    trades: logs
      .filter(({ topics, removed }) => !removed && topics.length === 4 && topics[0] === TRADE_EXECUTED)
      .map((log) => ({
        ...tradeIn(log),
        guard: getAddress(log.address),
        jobIdHash: log.topics[1] ?? "",
      })),
  };
}
