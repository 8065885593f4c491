/** What the chain knows of a transaction: not found, pending, or mined with the guard's events. */
import type { JsonRpcProvider, Log, TransactionReceipt } from "ethers";
import { certificateInCall } from "../attestor/certificate/guardCall.ts";
import type { UnixSeconds } from "../attestor/values/time.ts";
import { GUARD_ABI } from "./abis.ts";
import { UpstreamUnavailable } from "./chainErrors.ts";
import type { Deployment } from "./deployment.ts";
import { upstream } from "./rpc.ts";

/** The guard's `TradeExecuted`; amounts in raw units. */
export interface TradeExecuted {
  readonly jobId: string;
  readonly evidenceHash: string;
  readonly amountSpent: bigint;
  readonly amountOut: bigint;
}

export type Observation =
  | { readonly state: "unknown" }
  | { readonly state: "pending" }
  | {
      readonly state: "mined";
      readonly blockNumber: number;
      readonly blockHash: string;
      readonly blockTimestamp: UnixSeconds;
      /** Blocks from its own on, itself included. */
      readonly confirmations: number;
      readonly gasUsed: bigint;
      readonly succeeded: boolean;
      /** The certificate of a trade that the transaction calls the guard with itself; null where it is something else. */
      readonly guardCall: ReturnType<typeof certificateInCall>;
      /** Trades that the guard carried out in it, however it was called. */
      readonly trades: readonly TradeExecuted[];
    };

/**
 * @param transactionHash 32 bytes, lower case
 * @throws UpstreamUnavailable when the node does not answer
 */
export async function observeTransaction(
  provider: JsonRpcProvider,
  { guard }: Pick<Deployment, "guard">,
  transactionHash: string,
): Promise<Observation> {
  const [transaction, receipt] = await upstream("transaction", () =>
    Promise.all([provider.getTransaction(transactionHash), provider.getTransactionReceipt(transactionHash)]),
  );
  if (receipt === null) return { state: transaction === null ? "unknown" : "pending" };
  if (transaction === null)
    throw new UpstreamUnavailable("The chain's RPC has a receipt without its transaction.");
  const [block, head] = await upstream("block", () =>
    Promise.all([provider.getBlock(receipt.blockNumber), provider.getBlockNumber()]),
  );
  // Between the two reads the block may have been reorganized away; the next look will tell.
  if (block === null || block.hash !== receipt.blockHash) return { state: "pending" };
  return {
    state: "mined",
    blockNumber: receipt.blockNumber,
    blockHash: receipt.blockHash,
    blockTimestamp: block.timestamp,
    confirmations: Math.max(1, head - receipt.blockNumber + 1),
    gasUsed: receipt.gasUsed,
    succeeded: receipt.status === 1,
    guardCall: transaction.to === guard ? certificateInCall(transaction.data) : null,
    trades: tradesIn(receipt, guard),
  };
}

function tradesIn(receipt: TransactionReceipt, guard: string): TradeExecuted[] {
  return receipt.logs.flatMap((log) => (log.address === guard ? tradeExecuted(log) : []));
}

function tradeExecuted(log: Log): TradeExecuted[] {
  const event = GUARD_ABI.parseLog(log);
  if (event?.name !== "TradeExecuted") return [];
  const { jobId, evidenceHash, amountSpent, amountOut } = event.args;
  return [{ jobId, evidenceHash, amountSpent, amountOut }];
}
