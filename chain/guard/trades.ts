/** The trades that a guard carried out in a range of blocks, by its events. */
import type { JsonRpcProvider } from "ethers";
import { upstream } from "../rpc.ts";
import { GUARD_ABI } from "./events.ts";

const TRADE_EXECUTED = GUARD_ABI.getEvent("TradeExecuted")!.topicHash;

/**
 * @param from block, inclusive, as `to`
 * @returns hashes of the transactions in which the guard carried out a trade, lower case
 * @throws UpstreamUnavailable when the node gives no events of such a range
 */
export async function tradeTransactions(
  provider: JsonRpcProvider,
  guard: string,
  from: number,
  to: number,
): Promise<string[]> {
  const logs = await tradeLogs(provider, guard, from, to);
  return [...new Set(logs.map(({ transactionHash }) => transactionHash.toLowerCase()))];
}

/** As the guard's event names a trade. */
export interface ExecutedTrade {
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
  const logs = await tradeLogs(provider, guard, from, to);
  return logs.flatMap(({ topics: [, jobId, , evidenceHash] }) =>
    jobId === undefined || evidenceHash === undefined ? [] : [{ jobId, evidenceHash }],
  );
}

const tradeLogs = (provider: JsonRpcProvider, guard: string, from: number, to: number) =>
  upstream("guard events", () =>
    provider.getLogs({ address: guard, topics: [TRADE_EXECUTED], fromBlock: from, toBlock: to }),
  );
