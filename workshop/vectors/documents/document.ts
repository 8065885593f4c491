/** Step `document`: what is no report, reads in two ways, or contradicts itself around the report. */
import { id } from "ethers";
import { canonicalHash } from "../../../attestor/values/canonical.ts";
import { addressFor, GUARD } from "../../../test/attestor/fixtures.ts";
import { type Bends, changed, type Expected, type Row, rowsByReader, rowsOfBends } from "./rows.ts";
import { answerOf, type Bend, type Changes, jobOf } from "./service.ts";

/** The least that turns on what the evidence says: without proofs of the state, and without an execution. */
const REPORT_ALONE: Changes = { knows: "observed", unsigned: true };

const ofSchema = (schema: unknown) =>
  changed(answerOf, ({ report }) => {
    report.evidence.schema = schema;
    report.evidenceHash = canonicalHash(report.evidence);
  });

const jobWith = (bend: Bend) => changed(jobOf, bend);

const UNREADABLE = "UNVERIFIABLE document unreadable";
const ODD_NUMBER = "INVALID document odd_number";
const replaced = (from: string, to: string) => (text: string) => text.replace(from, to);
const versionAs = (number: string) => replaced('"reportVersion":2', `"reportVersion":${number}`);

/** Text that somebody makes of the honest answer. */
const TEXTS: Readonly<Record<string, readonly [change: (text: string) => string, expected: Expected]>> = {
  nothing: [() => "", UNREADABLE],
  "no JSON": [(text) => `${text.slice(0, -1)},`, UNREADABLE],
  "JSON that is no report": [() => '{"report":[]}', "UNVERIFIABLE document no_report"],
  "a member that is named twice": [replaced('{"jobId"', '{"jobId":"job_other","jobId"'), UNREADABLE],
  "a name in two spellings": [replaced('{"jobId"', '{"\\u006aobId":"job_other","jobId"'), UNREADABLE],
  "brackets without end": [() => `${"[".repeat(70)}${"]".repeat(70)}`, UNREADABLE],
  "a number with an exponent": [versionAs("2e0"), ODD_NUMBER],
  "a number with a point": [versionAs("2.0"), ODD_NUMBER],
  "minus zero": [versionAs("-0"), ODD_NUMBER],
  "a number beyond 2^53": [versionAs("9007199254740993"), ODD_NUMBER],
  "an unpaired surrogate": [replaced('"USDT / USD"', '"\\ud800"'), "INVALID hash evidence_unhashable"],
  "white space": [(text) => JSON.stringify(JSON.parse(text), null, 2), "VALID"],
};
const textRows = Object.entries(TEXTS).flatMap(([name, [change, expected]]) => {
  const document = async () => change(JSON.stringify(await answerOf()));
  return rowsByReader({ [`text: ${name}`]: [document, expected] });
});

const ROWS = rowsByReader({
  "evidence of an older schema": [ofSchema("assay.evidence/1"), "UNVERIFIABLE document schema_unknown"],
  "evidence of a later schema": [ofSchema("assay.evidence/3"), "UNVERIFIABLE document schema_unknown"],
  "evidence of no schema": [ofSchema(null), "UNVERIFIABLE document schema_unknown"],

  "a bare report and execution": [
    async () => {
      const { report, execution } = await answerOf();
      return { ...report, execution };
    },
    "VALID",
  ],
  "a signUrl beside the report": [
    changed(answerOf, (document) => (document.signUrl = "https://evil.example")),
    "VALID",
  ],
  "a signUrl in the report": [
    changed(
      () => answerOf(REPORT_ALONE),
      ({ report }) => (report.signUrl = "https://evil.example"),
    ),
    "VALID",
  ],
  "a signUrl in the execution": [
    changed(answerOf, ({ execution }) => (execution.signUrl = "https://evil.example")),
    "UNVERIFIABLE certificate execution_members",
  ],
  "an execution in the report": [
    changed(
      () => answerOf(REPORT_ALONE),
      ({ report }) => (report.execution = { guardCall: { to: addressFor("an attacker") } }),
    ),
    "UNVERIFIABLE certificate execution_members",
  ],
  "an unknown part of the execution": [
    changed(answerOf, ({ execution }) => (execution.laterCall = { to: GUARD })),
    "UNVERIFIABLE certificate execution_members",
  ],

  "a job": [jobOf, "VALID"],
  "a job with anything in other versions": [
    jobWith(({ reports, executions: [trade] }) => {
      reports[0].evidenceHash = "anything";
      trade.reportVersion = 1;
      trade.confirmed.evidenceHash = id("version 1");
    }),
    "VALID",
  ],
  "a job that spent less and brought more": [
    jobWith(({ executions: [trade] }) =>
      Object.assign(trade.confirmed, { amountInRaw: "999999999", amountOutRaw: "4000000000000000000" }),
    ),
    "VALID",
  ],
  "a job whose trade is not confirmed": [
    jobWith(({ executions: [trade] }) => (trade.confirmed = null)),
    "VALID",
  ],
  "a job whose list does not say its decision": [
    jobWith(({ reports }) => (reports[1].decision = null)),
    "VALID",
  ],
  "a job whose list lacks its version": [jobWith(({ reports }) => reports.pop()), "VALID"],
});

const EVIDENCE: Bends = {
  "document evidence_malformed": {
    "a number as text": (evidence) => (evidence.reportVersion = "2"),
    "a time past the calendar": (evidence) => (evidence.capturedAt = 9_000_000_000_000_000),
    "a nonsense price": ({ references }) => (references[0].price = "1e400"),
    "a policy id that reads as a verdict": ({ policy }) => (policy.policyId = "VALID by the SEC"),
    "a stock that reads as a verdict": ({ trade }) => (trade.underlying = "ACME; checked by Nasdaq"),
    "a stock that reads as a verdict without white space": ({ trade }) =>
      (trade.underlying = "ACME\u2800checked\u2800by\u2800Nasdaq"),
    "a stock in letters of another script": ({ trade }) => (trade.symbol = "\u0410CMEx"),
    "a settlement token that makes more of the amount": ({ trade }) => (trade.settlementSymbol = "000USDT"),
    "a registry version that reads as a verdict": ({ registry }) =>
      (registry.version = "9 was checked, and nothing"),
    "a job id that reads as a verdict": (evidence) => (evidence.jobId = "VALID: verified by Nasdaq"),
    "an address in lower case": ({ guard }) => (guard.address = guard.address.toLowerCase()),
    "an amount as long as a book": ({ quote }) => (quote.amountOutRaw = "x".repeat(100_000)),
    "readings without end": (evidence) => (evidence.references = Array(33).fill(evidence.references[0])),
  },
};

const DOCUMENT: Bends = {
  "document envelope_contradicts": {
    "the job beside the report": (document) => (document.jobId = "job_other"),
    "the version beside the report": (document) => (document.reportVersion = 1),
    "no job beside the report": (document) => delete document.jobId,
    "a misspelt version": (document) => {
      document.reportVersions = document.reportVersion;
      delete document.reportVersion;
    },
    "a decision of its own": (document) => (document.decision = "DENY"),
    "an intent of its own": (document) =>
      (document.intent = { ...document.report.evidence.intent, amountInRaw: "1" }),
  },
};

const JOB: Bends = {
  "document envelope_contradicts": {
    "another job": (job) => (job.jobId = "job_other"),
    "another intent": ({ intent }) => (intent.amountInRaw = "1"),
    "another recipient in the intent": ({ intent }) => (intent.recipientAddress = addressFor("other")),
    "more in the intent": ({ intent }) => (intent.gasless = true),
    "no intent": (job) => (job.intent = null),
    "an unpaid report": ({ entitlement }) => (entitlement.granted = false),
    "an entitlement for no reason": ({ entitlement }) => (entitlement.reason = "friendship"),
    "a payment that is still required": ({ payment }) => (payment.state = "required"),
    "a free phase that was settled": ({ payment }) => (payment.phase = "free"),
    "another decision in the list": ({ reports }) => (reports[1].decision = "DENY"),
    "another hash in the list": ({ reports }) => (reports[1].evidenceHash = id("other")),
    "another kind in the list": ({ reports }) => (reports[1].kind = "initial"),
    "another time in the list": ({ reports }) => (reports[1].createdAt = "2026-09-21T14:13:21.000Z"),
    "the version twice in the list": ({ reports }) => reports.push(reports[1]),
    "a list that is none": (job) => (job.reports = {}),
    "a trade of other evidence": ({ executions: [trade] }) => (trade.confirmed.evidenceHash = id("other")),
    "a trade of too much": ({ executions: [trade] }) => (trade.confirmed.amountInRaw = "1000000001"),
    "a trade for too little": ({ executions: [trade] }) => (trade.confirmed.amountOutRaw = "1"),
    "a trade for no number": ({ executions: [trade] }) => (trade.confirmed.amountOutRaw = "much"),
    "a confirmation of other evidence": ({ confirmed }) => (confirmed.evidenceHash = id("other")),
    "a confirmation of too much": ({ confirmed }) => (confirmed.amountInRaw = "1000000001"),
    "a confirmation of too little": ({ confirmed }) => (confirmed.amountOutRaw = "1"),
    "a confirmation that is none": (job) => (job.confirmed = "block 4203"),
    "transactions that are no list": (job) => (job.executions = "none"),
    "a decision of its own": (job) => (job.decision = "DENY"),
    "an evidence hash of its own": (job) => (job.evidenceHash = id("other")),
    "evidence of its own": (job) => (job.evidence = { ...job.report.evidence, jobId: "other" }),
    "findings of its own": (job) => (job.findings = []),
    "a version of its own": (job) => (job.reportVersion = 3),
    "the version beside the report": (job) => (job.reportVersion = 1),
  },
};

export const DOCUMENT_ROWS: readonly Row[] = [
  ...textRows,
  ...ROWS,
  ...rowsOfBends("evidence", EVIDENCE),
  ...rowsOfBends("document", DOCUMENT),
  ...rowsOfBends("job", JOB),
];
