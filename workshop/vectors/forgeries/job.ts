/** A job as the service answers it, around a report and its execution. */
import { id } from "ethers";
import { copy } from "../../../test/attestor/fixtures.ts";
import { answerOf } from "./service.ts";

export async function job(): Promise<any> {
  const { report, execution } = await answerOf();
  const { evidenceHash, createdAt } = report;
  const confirmed = {
    blockNumber: 4_203,
    blockHash: id("block 4203"),
    confirmations: 3,
    gasUsed: "150000",
    amountInRaw: "1000000000",
    amountOutRaw: "3990000000000000000",
    evidenceHash,
    at: "2026-09-21T14:14:00.000Z",
  };
  return copy({
    jobId: report.jobId,
    clientRequestId: "order-1",
    createdAt: "2026-09-21T14:00:00.000Z",
    expiresAt: "2026-09-22T14:00:00.000Z",
    intent: report.evidence.intent,
    payment: { phase: "paid", state: "settled", transaction: id("payment") },
    entitlement: { granted: true, reason: "paid" },
    reports: [
      { version: 1, kind: "initial", decision: "ALLOW", evidenceHash: id("version 1"), createdAt },
      { version: 2, kind: "prepare", decision: "ALLOW", evidenceHash, createdAt },
    ],
    report,
    execution,
    executions: [
      {
        executionId: "exe_1",
        transactionHash: id("transaction"),
        reportVersion: 2,
        state: "confirmed",
        confirmed,
        submittedAt: "2026-09-21T14:13:40.000Z",
      },
    ],
    // As beside a trade that the client carried out.
    confirmed,
    receipt: null,
  });
}
