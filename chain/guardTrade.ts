/** What the guard's events say about the trade of a report. */
import { AbiCoder, id } from "ethers";
import { z } from "zod";
import { jobIdHash } from "../attestor/certificate/certificate.ts";
import { certificateInCall } from "../attestor/certificate/guardCall.ts";
import type { Report } from "../attestor/report.ts";
import type { Steps } from "../attestor/steps.ts";
import { findLogs, hexBytes, type Log } from "./guardLogs.ts";
import type { Rpc } from "./jsonRpc.ts";

/** Topic of the guard's event of a trade. */
export const TRADE_EXECUTED = id("TradeExecuted(bytes32,address,bytes32,bytes32,uint256,uint256)");
const Transaction = z.looseObject({ to: z.string().nullish(), input: z.string() }).nullable();

/** As the guard's event tells of it; amounts in raw units. */
export interface Trade {
  readonly evidenceHash: string;
  readonly intentHash: string;
  readonly amountSpent: bigint;
  readonly amountOut: bigint;
  readonly blockNumber: number;
  readonly transactionHash: string;
}

/**
 * @param intentHash of the trade intent in the document; null where it has none
 * @param head the newest block
 * @param seen the guard's trades of this job, where they are known already
 * @returns whether the guard executed this very trade, by evidence and intent
 */
export async function tradeStep(
  report: Report,
  intentHash: string | null,
  head: number,
  rpc: Rpc,
  steps: Steps,
  seen?: readonly Trade[],
): Promise<boolean> {
  const { trades, searched } =
    seen === undefined ? await findTrades(report, head, rpc) : { trades: seen, searched: "" };
  const own = trades.find(({ evidenceHash }) => evidenceHash === report.evidenceHash);
  if (own !== undefined) {
    steps.judge(
      "trade",
      intentHash === null || own.intentHash === intentHash,
      `${told(own)} The event names this evidence${intentHash === null ? "" : " and this trade intent"}.`,
      `${told(own)} The event names this evidence, but another trade intent: ${own.intentHash}.`,
    );
    return own.intentHash === intentHash;
  }
  if (trades.length === 0)
    steps.add(
      "trade",
      "absent",
      `The guard shows no trade of this job ${searched}: not executed, as far as seen.`,
    );
  for (const trade of trades) await foreignTradeStep(trade, report, intentHash, rpc, steps);
  return false;
}

/** A trade of this job on other evidence: another version of the report, or this one was changed. */
async function foreignTradeStep(
  trade: Trade,
  report: Report,
  intentHash: string | null,
  rpc: Rpc,
  steps: Steps,
): Promise<void> {
  const version = await versionExecuted(trade, report, rpc);
  const other = `${told(trade)} The event names other evidence: ${trade.evidenceHash}.`;
  if (trade.intentHash === intentHash || version === String(report.version))
    steps.add("trade", "wrong", `${other} This report is not what the trade was certified on.`);
  else if (version === null)
    steps.add(
      "trade",
      "unknown",
      `${other} Its transaction does not show which version of the report that was.`,
    );
  else
    steps.add(
      "trade",
      "absent",
      `${other} That was version ${version} of the report; this is version ${report.version}.`,
    );
}

/**
 * The report version in the transaction's certificate; null where the guard was called by another contract, whose call data
 * say what their sender likes.
 */
async function versionExecuted(trade: Trade, report: Report, rpc: Rpc): Promise<string | null> {
  const transaction = Transaction.parse(await rpc("eth_getTransactionByHash", [trade.transactionHash]));
  if (transaction?.to?.toLowerCase() !== report.evidence.guard.address.toLowerCase()) return null;
  const certificate = certificateInCall(transaction.input);
  const fits =
    certificate?.jobId === jobIdHash(report.jobId) && certificate.evidenceHash === trade.evidenceHash;
  return fits ? certificate.reportVersion : null;
}

function told({ transactionHash, blockNumber, amountSpent, amountOut }: Trade): string {
  return `Executed in ${transactionHash}, block ${blockNumber}: ${amountSpent} spent, ${amountOut} received (raw units).`;
}

/** The guard's trades of this job, from the evidence's block on. */
async function findTrades(
  report: Report,
  head: number,
  rpc: Rpc,
): Promise<{ trades: readonly Trade[]; searched: string }> {
  const { chain, guard } = report.evidence;
  const topics = [TRADE_EXECUTED, jobIdHash(report.jobId)];
  const from = chain.blockNumber;
  const { logs, searchedTo } = await findLogs({ guard: guard.address, topics, from, to: head }, rpc);
  const trades = logs.filter((log) => log.topics.length === 4).map(tradeIn);
  return {
    trades,
    searched: searchedTo < head ? `from block ${from} to ${searchedTo}` : `since block ${from}`,
  };
}

/** @param log of the event, with its four topics @throws ZodError for data of another length */
export function tradeIn(log: Log): Trade {
  const [intentHash, amountSpent, amountOut] = AbiCoder.defaultAbiCoder().decode(
    ["bytes32", "uint256", "uint256"],
    hexBytes(96).parse(log.data),
  );
  return {
    evidenceHash: log.topics[3] ?? "",
    intentHash,
    amountSpent,
    amountOut,
    blockNumber: Number(log.blockNumber),
    transactionHash: log.transactionHash,
  };
}
