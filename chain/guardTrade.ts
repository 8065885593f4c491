/** What the guard's events say about the trade of a report. */
import { z } from "zod";
import { jobIdHash } from "../attestor/certificate/certificate.ts";
import { certificateInCall } from "../attestor/certificate/guardCall.ts";
import type { Report } from "../attestor/report.ts";
import type { Fault } from "../attestor/values/fault.ts";
import type { UnixSeconds } from "../attestor/values/time.ts";
import type { ExecutedTrade } from "../attestor/verify/trust.ts";
import { type Rpc, RpcContradicts } from "./jsonRpc.ts";
import { findLogs } from "./logs.ts";
import { type GuardTrade, TRADE_EXECUTED, tradesOfTransaction } from "./transactionTrades.ts";

const Transaction = z.looseObject({ to: z.string().nullish(), input: z.string() }).nullable();

export interface TradeQuestion {
  /** As judged again. */
  readonly report: Report;
  /** Of the trade intent in the document; null where it has none. */
  readonly intentHash: string | null;
  /** Until when the guard carries it out; null where the document has no execution. */
  readonly executableUntil: UnixSeconds | null;
  /** The guard's trades of this job, where a receipt has told them: they are not searched for then. */
  readonly executed?: readonly GuardTrade[];
}

export interface TradeOnChain {
  readonly faults: Fault[];
  readonly trusted: Fault[];
  /** This very trade, by evidence and intent; null: the guard shows none. */
  readonly executed: ExecutedTrade | null;
}

/** @param head the newest block */
export async function tradeOnChain(question: TradeQuestion, head: number, rpc: Rpc): Promise<TradeOnChain> {
  const { report, intentHash, executed } = question;
  const { trades, searchedTo } =
    executed === undefined ? await findTrades(report, head, rpc) : { trades: executed, searchedTo: head };
  const reportsTrade = trades.find(({ evidenceHash }) => evidenceHash === report.evidenceHash);
  if (reportsTrade !== undefined) return ownTrade(reportsTrade, question, head);
  const answer: TradeOnChain = { faults: [], trusted: [], executed: null };
  for (const trade of trades) await foreignTrade(trade, report, intentHash, rpc, answer);
  if (trades.length === 0 && searchedTo < head) {
    const from = report.evidence.chain.blockNumber;
    answer.trusted.push({ code: "trade_searched_in_part", params: { from, to: searchedTo } });
  }
  return answer;
}

function ownTrade(own: GuardTrade, question: TradeQuestion, head: number): TradeOnChain {
  const { transactionHash, blockNumber, amountSpent, amountOut } = own;
  const contradictions = contradictionsOf(own, question, head);
  if (contradictions.length > 0) {
    const params = { transactionHash, contradictions: contradictions.join(", ") };
    return { faults: [{ code: "trade_contradicts", params }], trusted: [], executed: null };
  }
  const amounts = { amountSpent: String(amountSpent), amountOut: String(amountOut) };
  return { faults: [], trusted: [], executed: { transactionHash, blockNumber, ...amounts } };
}

/** What a guard never does with this trade: the event or the document is not what it seems. */
function contradictionsOf(
  { owner, blockNumber, blockTimestamp, ...trade }: GuardTrade,
  { report, intentHash, executableUntil }: TradeQuestion,
  head: number,
): string[] {
  const { intent, figures, chain } = report.evidence;
  const due = figures.minAmountOutRaw;
  const contradictions: [string, boolean][] = [
    ["intentHash", intentHash !== null && trade.intentHash !== intentHash],
    ["owner", owner !== intent.ownerAddress],
    ["amountSpent", trade.amountSpent !== BigInt(intent.amountInRaw)],
    ["amountOut", due === null || trade.amountOut < BigInt(due)],
    ["before its judgement", blockNumber <= chain.blockNumber || blockTimestamp < chain.blockTimestamp],
    ["beyond the newest block", blockNumber > head],
    ["after its end", executableUntil !== null && blockTimestamp > executableUntil],
  ];
  return contradictions.filter(([, isSo]) => isSo).map(([what]) => what);
}

/** A trade of this job on other evidence: of another version of the report, or this one was changed. */
async function foreignTrade(
  trade: GuardTrade,
  report: Report,
  intentHash: string | null,
  rpc: Rpc,
  { faults, trusted }: TradeOnChain,
): Promise<void> {
  const { transactionHash, evidenceHash } = trade;
  const version = await versionExecuted(trade, report, rpc);
  if (trade.intentHash === intentHash || version === String(report.version))
    faults.push({ code: "trade_on_other_evidence", params: { transactionHash, evidenceHash } });
  else if (version === null)
    faults.push({ code: "trade_of_unknown_version", params: { transactionHash, evidenceHash } });
  else trusted.push({ code: "trade_of_other_version", params: { transactionHash, version } });
}

/**
 * The report version in the transaction's certificate; null where neither guard nor module was called, but another contract,
 * whose call data say what their sender likes.
 */
async function versionExecuted(trade: GuardTrade, report: Report, rpc: Rpc): Promise<string | null> {
  const transaction = Transaction.parse(await rpc("eth_getTransactionByHash", [trade.transactionHash]));
  const guard = report.evidence.guard.address.toLowerCase();
  if (transaction === null || transaction.to?.toLowerCase() !== guard) return null;
  const certificate = certificateInCall(transaction.input);
  const fits =
    certificate?.jobId === jobIdHash(report.jobId) && certificate.evidenceHash === trade.evidenceHash;
  return fits ? certificate.reportVersion : null;
}

/** The guard's trades of this job, from the evidence's block on, each by its receipt. */
async function findTrades(
  report: Report,
  head: number,
  rpc: Rpc,
): Promise<{ trades: readonly GuardTrade[]; searchedTo: number }> {
  const { chain, guard } = report.evidence;
  const job = jobIdHash(report.jobId);
  const from = chain.blockNumber;
  const search = { address: guard.address, topics: [TRADE_EXECUTED, job], from, to: head };
  const { logs, searchedTo } = await findLogs(search, rpc);
  const trades: GuardTrade[] = [];
  for (const hash of new Set(logs.map(({ transactionHash }) => transactionHash))) {
    const found = (await tradesOfTransaction(hash, rpc))?.trades ?? [];
    const tradesOfJob = found.filter((trade) => trade.guard === guard.address && trade.jobIdHash === job);
    if (tradesOfJob.length === 0)
      throw new RpcContradicts(`it shows an event of the guard in ${hash}, whose receipt has none`);
    trades.push(...tradesOfJob);
  }
  return { trades, searchedTo };
}
