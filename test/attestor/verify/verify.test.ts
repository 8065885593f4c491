/** The table of forgeries, tampering and trust, and what a verification tells beside its verdict. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { id } from "ethers";
import fc from "fast-check";
import { hashIntent } from "../../../attestor/certificate/certificate.ts";
import { POLICIES } from "../../../attestor/policies/policy.ts";
import type { Reader } from "../../../attestor/verify/trust.ts";
import type { Verification } from "../../../attestor/verify/verification.ts";
import { verifyDocument, verifyReport } from "../../../attestor/verify/verify.ts";
import { faultText, reservationText } from "../../../attestor/view/stepWords.ts";
import { ROWS } from "../../../workshop/vectors/documents/documents.ts";
import { READERS } from "../../../workshop/vectors/documents/readers.ts";
import { SOURCES } from "../../../workshop/vectors/documents/registry.ts";
import { candidateOf, expectedOf } from "../../../workshop/vectors/documents/rows.ts";
import { answerOf } from "../../../workshop/vectors/documents/service.ts";
import { inSession, SATURDAY } from "../../../workshop/vectors/documents/sessions.ts";
import { STILL_TRUSTED, STILL_TRUSTED_ROWS } from "../../../workshop/vectors/documents/stillTrusted.ts";
import { readerOf } from "../../../workshop/vectors/documentVector.ts";
import {
  CHAIN_ID,
  copy,
  facts,
  GUARD,
  judgement,
  named,
  prepared,
  reportOn,
  SIDES,
  SIGNER,
  soundReport,
  TRUST,
} from "../fixtures.ts";
import { ORACLES, REGULAR, signedReport } from "../publishers/chainlinkReport.ts";

const faultsOf = ({ steps }: Verification) =>
  steps.flatMap(({ name, faults }) => faults.map(({ code }) => `${name} ${code}`));
const codesOf = ({ reservations }: Verification) => reservations.map(({ code }) => code);

/** What is said is short, and no word of it is missing. */
function wordsOf({ steps, reservations }: Verification): string {
  const told = [
    ...steps.flatMap(({ faults }) => faults.map(faultText)),
    ...reservations.map(reservationText),
  ];
  for (const text of told) expect(text.length).to.be.within(1, 601);
  return told.join("\n");
}

const READER = readerOf(READERS.everything);

describe("the verification of", () => {
  for (const row of ROWS)
    it(`${row.name} is ${row.expected}`, async () => {
      const { document, trust } = await candidateOf(row);
      for (const strict of [false, true]) {
        const { verdict, faults } = expectedOf(row, { strict });
        const result = verifyDocument(document, { ...readerOf(trust), strict });
        expect([result.verdict, ...faultsOf(result)]).to.include.members([verdict, ...faults]);
        wordsOf(result);
      }
    });

  for (const [name, [facts, said]] of Object.entries(SOURCES))
    it(`says which source it is where ${name}`, async () => {
      const result = verifyReport(await answerOf({ knows: "observed", facts }), READER);
      expect(wordsOf(result)).to.match(said);
    });
});

describe("what a reader with every option still takes from the service", () => {
  it("is in a trade that is allowed, and VALID also to a strict reader", async () => {
    for (const { name, document, trust } of STILL_TRUSTED_ROWS) {
      const given: any = await document();
      expect(given.report.decision, name).to.equal("ALLOW");
      const result = verifyReport(given, { ...readerOf(trust), strict: true });
      expect([result.verdict, ...faultsOf(result)], name).to.deep.equal(["VALID"]);
    }
  });

  it("is what the threat model lists", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/guard/threat-model.md"), "utf8");
    const [, section] = page.split("### What VALID with every flag still trusts\n");
    const lines = section!
      .split("\n## ")[0]!
      .split("\n")
      .filter((line) => line.startsWith("- "));
    expect(lines.map((line) => line.slice(2))).to.deep.equal(Object.keys(STILL_TRUSTED));
  });
});

describe("a verification", () => {
  it("is VALID for a trade under every policy, on both sides, and tells whose it is", async () => {
    for (const policy of POLICIES.values())
      for (const side of SIDES) {
        const document = await prepared(reportOn(judgement({ policy, side })), policy);
        const result = verifyReport(document, TRUST);
        expect([result.verdict, ...faultsOf(result)]).to.deep.equal(["VALID"]);
        expect(named(result, "not asked")).to.deep.equal(["registry", "state", "log", "chain"]);
        expect(result.intentHash).to.equal(hashIntent(document.execution.tradeIntent.message));
        expect(result.issuance).to.deep.equal({ signer: SIGNER.address, guard: GUARD, chainId: CHAIN_ID });
      }
  });

  it("finds a report consistent that nobody signed, allowed or denied, and judges it again", () => {
    for (const policy of POLICIES.values())
      for (const side of SIDES)
        for (const session of [facts().session, null]) {
          const report = reportOn(judgement({ policy, side, facts: facts({ session }, side) }));
          const result = verifyReport(copy(report), TRUST);
          expect([result.verdict, result.isConsistent, ...faultsOf(result)]).to.deep.equal([
            ...["UNVERIFIABLE", true, "issuer unsigned"],
          ]);
          expect(result.report).to.deep.equal(report);
          expect([result.evidenceHash, result.intentHash]).to.deep.equal([report.evidenceHash, null]);
        }
  });

  it("counts a session as signed where the price is of that moment, for who knows the signers", async () => {
    const trust = { ...READERS["chain 56"], registry: undefined, records: [] };
    const reader: Reader = { ...readerOf(trust), publisherKeys: ORACLES };
    for (const [signedAt, isSigned] of [
      [SATURDAY, true],
      [SATURDAY - 121, false],
      // The Friday before.
      [SATURDAY - 20 * 3_600, false],
    ] as const) {
      const price = { ...signedReport(REGULAR, signedAt), receivedAt: SATURDAY };
      const lies = inSession("regular", "an exchange", SATURDAY, ({ references }) => references.push(price));
      const document = await answerOf(lies);
      const result = verifyReport(document, reader);
      expect(result.verdict).to.equal("VALID");
      expect(codesOf(result).includes("session_of_service")).to.equal(!isSigned);
      // Who does not know the signers, has their word for nothing.
      const unknown = verifyReport(document, { ...reader, publisherKeys: undefined });
      expect(faultsOf(unknown)).to.deep.equal(["signatures signers_unknown", "signatures session_unread"]);
      expect(codesOf(unknown)).to.include("session_of_service");
      expect(unknown.facts.filter(({ kind }) => kind === "signed")).to.deep.equal([]);
    }
  });

  it("says of each fact what it rests on for this reader", async () => {
    const document = await answerOf();
    const kinds = ({ facts: told }: Verification, wanted: string) =>
      told.filter(({ kind }) => kind === wanted).map(({ name }) => name);
    const whole = verifyReport(document, READER);
    expect(kinds(whole, "proved")).to.have.members([
      "block number and time",
      `pool ${document.report.evidence.quote.pools[0].address}`,
      "guard's signer",
      "guard paused",
      "route allowed",
      "shares factor",
      "announced change",
    ]);
    expect(kinds(whole, "signed")).to.deep.equal(["price of Equity.US.ACME/USD"]);
    delete document.report.proofs;
    // Proofs that are only named prove nothing.
    expect(kinds(verifyReport(document, READER), "proved")).to.deep.equal([]);
  });

  it("lists what it did not look at", async () => {
    const { report, execution } = await answerOf();
    const { tradeIntent, certificate } = execution;
    const more = {
      jobToken: "secret",
      'note: "checked"': "trust me",
      hints: [{ text: "trust me" }],
      receipts: [],
      execution: { tradeIntent, certificate },
    };
    const result = verifyReport({ ...report, ...more }, READER);
    expect(result.verdict).to.equal("VALID");
    const unchecked = result.reservations.filter(({ kind }) => kind === "unchecked").map(reservationText);
    expect(unchecked).to.deep.equal([
      'parts of the document beside the report: jobToken, "note: \\"checked\\"", hints',
      "not in this document: guardCall, relayedCall, approval",
    ]);
    expect(JSON.stringify(result)).to.not.match(/secret|trust me/);
  });

  it("is UNVERIFIABLE for what is no report", () => {
    const nothings: unknown[] = [
      ...[null, undefined, true, 7, "report", [], {}, [soundReport()], { report: null }, { evidence: {} }],
      { evidenceHash: "0x" },
      { evidence: [], evidenceHash: id("") },
      { evidence: "x", evidenceHash: id("") },
      { evidence: {}, evidenceHash: 7 },
      { type: "about:blank", title: "Not Found", status: 404 },
      { jobId: "job", reports: [{ version: 1, decision: null }], executions: [] },
      JSON.parse('{"__proto__":{"evidence":{},"evidenceHash":"0x"}}'),
    ];
    for (const nothing of nothings) {
      expect(faultsOf(verifyReport(nothing)), JSON.stringify(nothing)).to.deep.equal(["document no_report"]);
      expect(verifyDocument(JSON.stringify(nothing) ?? "").verdict).to.equal("UNVERIFIABLE");
    }
  });

  it("never throws and never runs out of stack on any input", () => {
    const deep = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
    const base = copy(soundReport());
    const hostile: unknown[] = [
      deep,
      { report: deep },
      { report: { evidence: deep, evidenceHash: "0x" } },
      { ...base, evidence: { ...base.evidence, references: deep } },
      { ...base, findings: deep },
      { ...base, decision: deep },
      { report: base, execution: deep },
      { report: base, jobId: deep },
      { report: base, execution: { tradeIntent: deep, certificate: { domain: { chainId: deep } } } },
      { ...base, evidenceHash: "x".repeat(1_000_000) },
    ];
    for (const document of hostile) {
      const result = verifyReport(document);
      expect(result.verdict).to.not.equal("VALID");
      wordsOf(result);
    }
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.constantFrom(...Object.keys(base)), (a, b, name) => {
        expect(verifyReport(a).verdict).to.equal("UNVERIFIABLE");
        expect(verifyReport({ report: a, execution: b }).verdict).to.not.equal("VALID");
        expect(verifyReport({ ...base, execution: b }, TRUST).verdict).to.equal(
          b === null ? "UNVERIFIABLE" : "INVALID",
        );
        verifyReport({ ...base, [name]: a });
      }),
    );
  });
});
