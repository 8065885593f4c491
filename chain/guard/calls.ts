/** The call of the guard in a transaction's data. */
import type { Result } from "ethers";
import type { VerificationCertificate } from "../../attestor/certificate/certificate.ts";
import type { TradeIntent } from "../../attestor/intent.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";

const guard = TradeGuard__factory.createInterface();

/** A trade that a transaction has the guard execute. */
export interface GuardCall {
  readonly tradeIntent: Pick<TradeIntent, "owner">;
  readonly certificate: Pick<VerificationCertificate, "jobId" | "evidenceHash" | "reportVersion">;
}

/** The trade in a transaction's data; null where the data calls no `execute`. */
export function decodeGuardCall(data: string): GuardCall | null {
  try {
    const call = guard.parseTransaction({ data });
    return call?.name === "execute" ? guardCallOf(call.args) : null;
  } catch {
    // Data that starts like a guard call and does not decode is none.
    return null;
  }
}

function guardCallOf([intent, certificate]: Result): GuardCall {
  return {
    tradeIntent: { owner: intent.owner },
    certificate: {
      jobId: certificate.jobId,
      evidenceHash: certificate.evidenceHash,
      reportVersion: certificate.reportVersion.toString(),
    },
  };
}
