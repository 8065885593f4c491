/** The trades that a guard carried out in a range of blocks, by its events. */
import type { JsonRpcProvider } from "ethers";
import { GUARD_ABI } from "../abis.ts";
import { upstream } from "../rpc.ts";

const TRADE_EXECUTED = GUARD_ABI.getEvent("TradeExecuted")!.topicHash;

/** As the guard's event names a trade. */
export interface ExecutedTrade {
  readonly blockNumber: number;
  /** Lower case. A contract can have the guard carry out several trades in one transaction. */
  readonly transactionHash: string;
  /** `jobIdHash` of the job. */
  readonly jobId: string;
  readonly evidenceHash: string;
}

/**
 * @param from block, inclusive, as `to`
 * @throws UpstreamUnavailable when the node gives no events of such a range
 */
export async function executedTrades(
  provider: JsonRpcProvider,
  guard: string,
  from: number,
  to: number,
): Promise<ExecutedTrade[]> {
  const filter = { address: guard, topics: [TRADE_EXECUTED], fromBlock: from, toBlock: to };
  const logs = await upstream("guard events", () => provider.getLogs(filter));
  return logs.flatMap(({ blockNumber, transactionHash, topics: [, jobId, , evidenceHash] }) =>
    jobId === undefined || evidenceHash === undefined
      ? []
      : [{ blockNumber, transactionHash: transactionHash.toLowerCase(), jobId, evidenceHash }],
  );
}
