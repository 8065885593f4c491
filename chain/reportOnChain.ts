/** What the chain says about a report: its guard's signers, and the event of its trade. */
import { AbiCoder, getAddress, id } from "ethers";
import { z } from "zod";
import { jobIdHash } from "../attestor/certificate.ts";
import { certificateInCall } from "../attestor/guardCall.ts";
import type { Report } from "../attestor/report.ts";
import { type Step, Steps } from "../attestor/steps.ts";
import { type Rpc, RpcRefused, RpcUnreachable } from "./jsonRpc.ts";

const TRADE_EXECUTED = id("TradeExecuted(bytes32,address,bytes32,bytes32,uint256,uint256)");
const hex = (bytes: number) => z.string().regex(new RegExp(`^0x[0-9a-f]{${bytes * 2}}$`));
const Quantity = z.string().regex(/^0x[0-9a-f]{1,16}$/);
const Log = z.looseObject({
  address: z.string(),
  topics: z.array(hex(32)),
  data: hex(96),
  blockNumber: Quantity,
  transactionHash: hex(32),
  removed: z.boolean().default(false),
});
const Transaction = z.looseObject({ input: z.string() }).nullable();

interface Trade {
  readonly evidenceHash: string;
  readonly intentHash: string;
  readonly amountSpent: bigint;
  readonly amountOut: bigint;
  readonly blockNumber: number;
  readonly transactionHash: string;
}

/** A node that limits how many blocks one search may cover is asked in spans of this many. */
const SPAN = 2_000;
const SMALLEST_SPAN = 50;
/** A day of the fastest chain: a job lives no longer. */
const MOST_SPANS = 100;

/**
 * @param report as judged again
 * @param intentHash of the trade intent in the document; null where it has none
 * @returns steps to go with those of the offline verification
 */
export async function stepsOnChain(
  report: Report,
  intentHash: string | null,
  rpc: Rpc,
): Promise<readonly Step[]> {
  const steps = new Steps();
  try {
    if (await chainStep(report, rpc, steps)) {
      await signerStep(report, rpc, steps);
      await tradeStep(report, intentHash, rpc, steps);
    }
  } catch (error) {
    if (error instanceof RpcUnreachable)
      steps.add("rpc", "unknown", `The RPC cannot be reached: ${error.message}.`);
    else if (error instanceof RpcRefused) steps.add("rpc", "unknown", `The RPC refuses: ${error.message}.`);
    else steps.add("rpc", "unknown", "The RPC answers nonsense.");
  }
  return steps.conclude().steps;
}

async function chainStep({ evidence: { chain } }: Report, rpc: Rpc, steps: Steps): Promise<boolean> {
  const seen = Number(Quantity.parse(await rpc("eth_chainId", [])));
  const fits = seen === chain.chainId;
  steps.add(
    "chain",
    fits ? "ok" : "unknown",
    fits
      ? `The RPC serves chain ${seen}.`
      : `The RPC serves chain ${seen}, the report is about chain ${chain.chainId}.`,
  );
  return fits;
}

/** A rotated key is no fault of a report that it signed before, so this is said and not judged. */
async function signerStep({ evidence: { guard } }: Report, rpc: Rpc, steps: Steps): Promise<void> {
  const read = async (view: string) => {
    const answer = await rpc("eth_call", [
      { to: guard.address, data: id(`${view}()`).slice(0, 10) },
      "latest",
    ]);
    return answer === "0x" ? null : getAddress(`0x${hex(32).parse(answer).slice(26)}`);
  };
  const signer = await read("signer");
  if (signer === null) {
    steps.add("guard", "unknown", `There is no guard at ${guard.address} on this chain.`);
    return;
  }
  const previous = await read("previousSigner");
  if (signer === guard.signer)
    steps.add("guard", "ok", `The guard's signer is ${signer}, as in the evidence.`);
  else if (previous === guard.signer)
    steps.add(
      "guard",
      "ok",
      `The guard's signer is ${signer} now; the one in the evidence is its previous one.`,
    );
  else
    steps.add(
      "guard",
      "absent",
      `The guard's signer is ${signer} now; the one in the evidence, ${guard.signer}, is neither it nor the previous one.`,
    );
}

async function tradeStep(report: Report, intentHash: string | null, rpc: Rpc, steps: Steps): Promise<void> {
  const { trades, searched } = await findTrades(report, rpc);
  const own = trades.find(({ evidenceHash }) => evidenceHash === report.evidenceHash);
  if (own !== undefined) {
    steps.judge(
      "trade",
      intentHash === null || own.intentHash === intentHash,
      `${told(own)} The event names this evidence${intentHash === null ? "" : " and this trade intent"}.`,
      `${told(own)} The event names this evidence, but another trade intent: ${own.intentHash}.`,
    );
    return;
  }
  if (trades.length === 0)
    steps.add(
      "trade",
      "absent",
      `The guard shows no trade of this job ${searched}: not executed, as far as seen.`,
    );
  for (const trade of trades) await foreignTradeStep(trade, report, intentHash, rpc, steps);
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

/** The report version in the transaction's certificate; null where the guard was called by another contract. */
async function versionExecuted(trade: Trade, report: Report, rpc: Rpc): Promise<string | null> {
  const transaction = Transaction.parse(await rpc("eth_getTransactionByHash", [trade.transactionHash]));
  const certificate = certificateInCall(transaction?.input ?? "");
  const fits =
    certificate?.jobId === jobIdHash(report.jobId) && certificate.evidenceHash === trade.evidenceHash;
  return fits ? certificate.reportVersion : null;
}

function told({ transactionHash, blockNumber, amountSpent, amountOut }: Trade): string {
  return `Executed in ${transactionHash}, block ${blockNumber}: ${amountSpent} spent, ${amountOut} received (raw units).`;
}

/** The guard's trades of this job, from the evidence's block on. */
async function findTrades(report: Report, rpc: Rpc): Promise<{ trades: Trade[]; searched: string }> {
  const first = report.evidence.chain.blockNumber;
  try {
    return { trades: await tradesIn(report, first, "latest", rpc), searched: `since block ${first}` };
  } catch (error) {
    if (!(error instanceof RpcRefused)) throw error;
  }
  // Too many blocks at once, for most nodes that refuse.
  const head = Number(Quantity.parse(await rpc("eth_blockNumber", [])));
  let span = SPAN;
  let from = first;
  for (let searches = 0; from <= head && searches < MOST_SPANS; searches++) {
    const to = Math.min(head, from + span - 1);
    try {
      const trades = await tradesIn(report, from, to, rpc);
      if (trades.length > 0) return { trades, searched: "" };
      from = to + 1;
    } catch (error) {
      if (!(error instanceof RpcRefused) || span <= SMALLEST_SPAN) throw error;
      span = Math.max(SMALLEST_SPAN, span >> 2);
    }
  }
  return { trades: [], searched: `from block ${first} to ${from - 1}` };
}

async function tradesIn(report: Report, from: number, to: number | "latest", rpc: Rpc): Promise<Trade[]> {
  const guard = report.evidence.guard.address;
  const topics = [TRADE_EXECUTED, jobIdHash(report.jobId)];
  const block = (number: number | "latest") => (number === "latest" ? number : `0x${number.toString(16)}`);
  const filter = { address: guard, topics, fromBlock: block(from), toBlock: block(to) };
  const logs = z.array(Log).parse(await rpc("eth_getLogs", [filter]));
  return logs
    .filter(
      (log) =>
        // A node's answer is checked like any other: its filter is no proof.
        !log.removed &&
        log.address.toLowerCase() === guard.toLowerCase() &&
        log.topics.length === 4 &&
        topics.every((topic, index) => log.topics[index] === topic),
    )
    .map((log) => {
      const [intentHash, amountSpent, amountOut] = AbiCoder.defaultAbiCoder().decode(
        ["bytes32", "uint256", "uint256"],
        log.data,
      );
      return {
        evidenceHash: log.topics[3] ?? "",
        intentHash,
        amountSpent,
        amountOut,
        blockNumber: Number(log.blockNumber),
        transactionHash: log.transactionHash,
      };
    });
}
