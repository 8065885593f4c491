/** Vectors of jobs: what stands around a report, above all the list of what was executed of it. */
import type { Report } from "../../attestor/report.ts";
import { soundReport } from "../../test/attestor/fixtures.ts";
import { type Candidate, candidateOf } from "./candidate.ts";

type Members = Record<string, unknown>;

export function jobDocuments(): Candidate[] {
  const report = soundReport();
  const job = jobOf(report);
  const jobs: [string, Members][] = [
    ["a job", job],
    ...executions(report).map(([name, list]): [string, Members] => [name, { ...job, executions: list }]),
    ...reports(report).map(([name, list]): [string, Members] => [name, { ...job, reports: list }]),
    ["another intent", { ...job, intent: { ...report.evidence.intent, maxSlippageBps: 51 } }],
    ["a payment that is open", { ...job, payment: { phase: "paid", state: "open" } }],
    ["a payment that is settled", { ...job, payment: { phase: "paid", state: "settled", amount: "1" } }],
    ["nobody entitled", { ...job, entitlement: { granted: false, reason: "free" } }],
    ["a report's decision beside it", { ...job, decision: report.decision }],
    ["another decision beside it", { ...job, decision: "DENY" }],
    ["proofs beside it", { ...job, proofs: null }],
    ["a log beside it", { ...job, log: null }],
    ["a member that nobody reads", { ...job, note: "hello" }],
    ["a member of the report that nobody reads", { ...job, report: { ...report, note: "hello" } }],
  ];
  return jobs.map(([name, document]) => candidateOf(`jobs: ${name}`, document));
}

function jobOf(report: Report): Members {
  return {
    jobId: report.jobId,
    clientRequestId: "request-1",
    createdAt: report.createdAt,
    expiresAt: report.createdAt,
    intent: report.evidence.intent,
    payment: { phase: "free", state: "not_required" },
    entitlement: { granted: true, reason: "free" },
    reports: [versionOf(report)],
    report,
    executions: [],
  };
}

const versionOf = ({ version, decision, evidenceHash, createdAt }: Report) => ({
  version,
  kind: version === 1 ? "initial" : "prepare",
  decision,
  evidenceHash,
  createdAt,
});

function executions({ version, evidenceHash, evidence }: Report): [string, unknown][] {
  const { amountInRaw } = evidence.intent;
  const least = evidence.figures.minAmountOutRaw!;
  const confirmed = { blockNumber: 4_300, evidenceHash, amountInRaw, amountOutRaw: least };
  const execution = { executionId: "exec_1", reportVersion: version, state: "confirmed", confirmed };
  const with_ = (changes: Members) => [{ ...execution, confirmed: { ...confirmed, ...changes } }];
  const less = (amount: string) => (BigInt(amount) - 1n).toString();
  const more = (amount: string) => (BigInt(amount) + 1n).toString();
  return [
    ["executed for all and the least", [execution]],
    ["executed for less and more", with_({ amountInRaw: less(amountInRaw), amountOutRaw: more(least) })],
    ["executed for more than was meant", with_({ amountInRaw: more(amountInRaw) })],
    ["executed below the least output", with_({ amountOutRaw: less(least) })],
    ["executed with other evidence", with_({ evidenceHash: `0x${"11".repeat(32)}` })],
    ["executed for an amount that is none", with_({ amountOutRaw: "1e30" })],
    ["executed for an amount that is a number", with_({ amountInRaw: 1 })],
    [
      "another version executed",
      [{ ...execution, reportVersion: version + 1, confirmed: { evidenceHash: "0x" } }],
    ],
    ["executed and not confirmed", [{ ...execution, confirmed: null }]],
    ["executions that are no list", { 0: execution }],
  ];
}

function reports(report: Report): [string, unknown][] {
  const own = versionOf(report);
  return [
    ["an older version in its list", [{ ...own, version: 1, kind: "initial", evidenceHash: "0x" }, own]],
    ["its version twice in its list", [own, own]],
    ["its version not in its list", []],
    ["its version of another kind", [{ ...own, kind: "initial" }]],
    ["its version of other evidence", [{ ...own, evidenceHash: `0x${"11".repeat(32)}` }]],
    ["its version of another time", [{ ...own, createdAt: "2026-01-01T00:00:00.000Z" }]],
    ["its version of another decision", [{ ...own, decision: "DENY" }]],
    ["its version undecided, as before it is paid", [{ ...own, decision: null }]],
    ["a list of its versions that is none", own],
  ];
}
