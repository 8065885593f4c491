/** What the guard's events say about the trade of a report. A node's word alone never makes a document INVALID. */
import { z } from "zod";
import { jobIdHash } from "../attestor/certificate/certificate.ts";
import { certificateInCall } from "../attestor/certificate/guardCall.ts";
import type { Report } from "../attestor/report.ts";
import type { Steps } from "../attestor/steps.ts";
import type { UnixSeconds } from "../attestor/values/time.ts";
import { findLogs } from "./guardLogs.ts";
import { type Rpc, RpcContradicts } from "./jsonRpc.ts";
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

/**
 * @param head the newest block
 * @returns whether the guard executed this very trade, by evidence and intent
 */
export async function tradeStep(
  question: TradeQuestion,
  head: number,
  rpc: Rpc,
  steps: Steps,
): Promise<boolean> {
  const { report, intentHash, executed } = question;
  const { trades, searched } =
    executed === undefined ? await findTrades(report, head, rpc) : { trades: executed, searched: "" };
  const own = trades.find(({ evidenceHash }) => evidenceHash === report.evidenceHash);
  if (own !== undefined) {
    const faults = faultsOf(own, question, head);
    const named = `this evidence${intentHash === null ? "" : " and this trade intent"}`;
    if (faults.length === 0)
      steps.add("trade", "ok", `${told(own)} The event names ${named}, under its block's receipts root.`);
    else steps.add("trade", "unknown", `${told(own)} This trade cannot be so: ${faults.join("; ")}.`);
    return faults.length === 0 && own.intentHash === intentHash;
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

/** What a guard never does with this trade: the event or the document is not what it seems. */
function faultsOf(
  { owner, blockNumber, blockTimestamp, ...trade }: GuardTrade,
  { report, intentHash, executableUntil }: TradeQuestion,
  head: number,
): string[] {
  const { intent, figures, chain } = report.evidence;
  const due = figures.minAmountOutRaw;
  const faults: [boolean, string][] = [
    [intentHash !== null && trade.intentHash !== intentHash, `another trade intent, ${trade.intentHash}`],
    [owner !== intent.ownerAddress, `another owner, ${owner}`],
    [
      trade.amountSpent !== BigInt(intent.amountInRaw),
      `${intent.amountInRaw} are to be spent, no more or less`,
    ],
    [due === null || trade.amountOut < BigInt(due), `at least ${due} are due`],
    [blockNumber <= chain.blockNumber, `it was judged later, at block ${chain.blockNumber}`],
    [blockNumber > head, `the chain's newest block is ${head}`],
    [blockTimestamp < chain.blockTimestamp, `at ${blockTimestamp} it was not certified yet`],
    [
      executableUntil !== null && blockTimestamp > executableUntil,
      `at ${blockTimestamp} its certificate or deadline was over`,
    ],
  ];
  return faults.flatMap(([isSo, fault]) => (isSo ? [fault] : []));
}

/** A trade of this job on other evidence: another version of the report, or this one was changed. */
async function foreignTradeStep(
  trade: GuardTrade,
  report: Report,
  intentHash: string | null,
  rpc: Rpc,
  steps: Steps,
): Promise<void> {
  const version = await versionExecuted(trade, report, rpc);
  const other = `${told(trade)} The event names other evidence: ${trade.evidenceHash}.`;
  if (trade.intentHash === intentHash || version === String(report.version))
    steps.add("trade", "unknown", `${other} By the RPC this report is not what the trade was certified on.`);
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

function told({ transactionHash, blockNumber, amountSpent, amountOut }: GuardTrade): string {
  return `Executed in ${transactionHash}, block ${blockNumber}: ${amountSpent} spent, ${amountOut} received (raw units).`;
}

/** The guard's trades of this job, from the evidence's block on, each by its receipt. */
async function findTrades(
  report: Report,
  head: number,
  rpc: Rpc,
): Promise<{ trades: readonly GuardTrade[]; searched: string }> {
  const { chain, guard } = report.evidence;
  const job = jobIdHash(report.jobId);
  const from = chain.blockNumber;
  const search = { address: guard.address, topics: [TRADE_EXECUTED, job], from, to: head };
  const { logs, searchedTo } = await findLogs(search, rpc);
  const trades: GuardTrade[] = [];
  for (const hash of new Set(logs.map(({ transactionHash }) => transactionHash))) {
    const found = (await tradesOfTransaction(hash, rpc))?.trades ?? [];
    const own = found.filter((trade) => trade.guard === guard.address && trade.jobIdHash === job);
    if (own.length === 0)
      throw new RpcContradicts(`it shows an event of the guard in ${hash}, whose receipt has none`);
    trades.push(...own);
  }
  return {
    trades,
    searched: searchedTo < head ? `from block ${from} to ${searchedTo}` : `since block ${from}`,
  };
}
