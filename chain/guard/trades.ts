/** The guard's events in a range of blocks: its trades, and what its admin and pauser changed. */
import type { JsonRpcProvider } from "ethers";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { upstream } from "../rpc.ts";
import { describeEvent, GUARD_ABI, guardEvents } from "./events.ts";
import { MANAGER_ABI, type Operation, operationIn } from "./manager.ts";

/** What admins and pausers do, as the events of guard and manager call it. */
export const CHANGES = [
  ...["SignerRotated", "RouteSet", "RecipientSet", "ExecutorRenewed", "Paused", "Unpaused"],
  ...["AuthorityUpdated", "OperationScheduled", "OperationExecuted", "OperationCanceled"],
  ...["RoleGranted", "RoleRevoked", "RoleAdminChanged", "RoleGuardianChanged", "RoleGrantDelayChanged"],
  ...["TargetFunctionRoleUpdated", "TargetAdminDelayUpdated", "TargetClosed"],
] as const;

const topicOf = (event: string): string =>
  (GUARD_ABI.getEvent(event) ?? MANAGER_ABI.getEvent(event)!).topicHash;
const TRADE_EXECUTED = topicOf("TradeExecuted");

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

/** Something that an admin or a pauser changed or scheduled. */
export interface GuardChange {
  /** One of `CHANGES`. */
  readonly event: string;
  readonly transactionHash: string;
  readonly logIndex: number;
  readonly block: number;
  /** The event with its values. */
  readonly line: string;
  /** What it scheduled. */
  readonly operation: Operation | null;
}

export interface GuardHappenings {
  readonly trades: readonly ExecutedTrade[];
  readonly changes: readonly GuardChange[];
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
  const logs = await logsOf(provider, both, [TRADE_EXECUTED, ...CHANGES.map(topicOf)], from, to);
  const isTrade = ({ topics }: (typeof logs)[number]) => topics[0] === TRADE_EXECUTED;
  return {
    trades: logs
      .filter(isTrade)
      .flatMap(({ topics: [, jobId, , evidenceHash] }) =>
        jobId === undefined || evidenceHash === undefined ? [] : [{ jobId, evidenceHash }],
      ),
    changes: logs
      .filter((log) => !isTrade(log))
      .flatMap((log) =>
        guardEvents({ guard, manager }, [log]).map((event) => ({
          event: event.name,
          transactionHash: log.transactionHash.toLowerCase(),
          logIndex: log.index,
          block: log.blockNumber,
          line: describeEvent(event),
          operation: event.name === "OperationScheduled" ? operationIn(event.args) : null,
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
