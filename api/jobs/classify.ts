/** What an observed transaction is to a job: the rule alone, without database or network. */
import { jobIdHash } from "../../attestor/certificate/certificate.ts";
import type { Observation } from "../../chain/transactions.ts";
import type { Confirmed, ExecutionState } from "./schemas.ts";

/** A report version whose certificate could have been used. */
export interface PreparedVersion {
  readonly version: number;
  readonly evidenceHash: string;
}

export interface Classified {
  readonly state: ExecutionState;
  readonly reportVersion: number | null;
  readonly confirmed: Confirmed | null;
  readonly reason: string | null;
}

type Mined = Extract<Observation, { state: "mined" }>;

/**
 * The guard's own event confirms a trade, so that one through a contract wallet counts too. Without that event the guard
 * call determines the class.
 * @param versions the job's reports
 */
export function classify(
  job: { id: string; guard: string; versions: readonly PreparedVersion[] },
  mined: Mined,
): Classified {
  const jobHash = jobIdHash(job.id);
  const versionOf = (evidenceHash: string) =>
    job.versions.find((version) => version.evidenceHash === evidenceHash)?.version ?? null;
  const other = (reason: string): Classified => ({
    state: "mismatched",
    reportVersion: null,
    confirmed: null,
    reason,
  });

  const trade = mined.trades.find(({ jobId }) => jobId === jobHash);
  if (trade !== undefined) {
    const reportVersion = versionOf(trade.evidenceHash);
    if (reportVersion === null)
      return other(
        `The guard executed this job on evidence ${trade.evidenceHash}, which none of its reports has.`,
      );
    return { state: "confirmed", reportVersion, reason: null, confirmed: confirmation(mined, trade) };
  }
  const call = mined.guardCall;
  if (call === null || mined.trades.length > 0)
    return other(
      mined.trades.length > 0
        ? "The guard executed another job in this transaction."
        : mined.succeeded
          ? `The transaction does not call the guard ${job.guard}.`
          : `The transaction failed, so nothing was traded in it; it does not call the guard ${job.guard} itself.`,
    );
  if (call.jobId !== jobHash) return other("The transaction is a guard call for another job.");
  return {
    state: "reverted",
    reportVersion: versionOf(call.evidenceHash),
    confirmed: null,
    reason: "The guard call reverted; nothing was traded.",
  };
}

function confirmation(mined: Mined, trade: Mined["trades"][number]): Confirmed {
  return {
    blockNumber: mined.blockNumber,
    blockHash: mined.blockHash,
    confirmations: mined.confirmations,
    gasUsed: mined.gasUsed.toString(),
    amountInRaw: trade.amountSpent.toString(),
    amountOutRaw: trade.amountOut.toString(),
    evidenceHash: trade.evidenceHash,
    at: new Date(mined.blockTimestamp * 1000).toISOString(),
  };
}
