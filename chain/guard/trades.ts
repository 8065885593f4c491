/** The guard's events in a range of blocks: its trades, and what was scheduled of it. */
import type { JsonRpcProvider } from "ethers";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { upstream } from "../rpc.ts";
import { GUARD_ABI, guardEvents } from "./events.ts";
import { MANAGER_ABI, type Operation, operationIn } from "./manager.ts";

const TRADE_EXECUTED = GUARD_ABI.getEvent("TradeExecuted")!.topicHash;
const OPERATION_SCHEDULED = MANAGER_ABI.getEvent("OperationScheduled")!.topicHash;

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
  const logs = await logsOf(provider, guard, [TRADE_EXECUTED], from, to);
  return [...new Set(logs.map(({ transactionHash }) => transactionHash.toLowerCase()))];
}

/** As the guard's event names a trade. */
export interface ExecutedTrade {
  /** `jobIdHash` of the job. */
  readonly jobId: string;
  readonly evidenceHash: string;
}

/** The event of the guard's manager that schedules a change. */
export interface ScheduledOperation {
  readonly transactionHash: string;
  readonly logIndex: number;
  readonly operation: Operation;
}

export interface GuardHappenings {
  readonly trades: readonly ExecutedTrade[];
  readonly scheduled: readonly ScheduledOperation[];
}

/**
 * @param from block, inclusive, as `to`
 * @throws UpstreamUnavailable when the node gives no events of such a range
 */
export async function guardHappenings(
  provider: JsonRpcProvider,
  guard: string,
  from: number,
  to: number,
): Promise<GuardHappenings> {
  const manager = await upstream("guard's manager", () =>
    TradeGuard__factory.connect(guard, provider).authority(),
  );
  const both = [guard, manager];
  const logs = await logsOf(provider, both, [TRADE_EXECUTED, OPERATION_SCHEDULED], from, to);
  const isTrade = ({ topics }: (typeof logs)[number]) => topics[0] === TRADE_EXECUTED;
  return {
    trades: logs
      .filter(isTrade)
      .flatMap(({ topics: [, jobId, , evidenceHash] }) =>
        jobId === undefined || evidenceHash === undefined ? [] : [{ jobId, evidenceHash }],
      ),
    scheduled: logs
      .filter((log) => !isTrade(log))
      .flatMap((log) =>
        guardEvents({ guard, manager }, [log]).map((event) => ({
          transactionHash: log.transactionHash.toLowerCase(),
          logIndex: log.index,
          operation: operationIn(event.args),
        })),
      ),
  };
}

const logsOf = (
  provider: JsonRpcProvider,
  address: string | string[],
  events: readonly string[],
  from: number,
  to: number,
) =>
  upstream("guard events", () =>
    provider.getLogs({ address, topics: [[...events]], fromBlock: from, toBlock: to }),
  );
