/** What a page shows of a verification: values and codes, each of which follows from the evidence as judged again. */
import { expect } from "chai";
import { parseDocument } from "../../../attestor/verify/document.ts";
import type { Reader } from "../../../attestor/verify/trust.ts";
import { verifyDocument } from "../../../attestor/verify/verify.ts";
import { findingCells, findingName } from "../../../attestor/view/findingWords.ts";
import { printable } from "../../../attestor/view/printable.ts";
import { type ReportView, viewOf } from "../../../attestor/view/reportView.ts";
import { tradeSentence } from "../../../attestor/view/words.ts";
import { type DocumentVector, readerOf } from "../../../workshop/vectors/documentVector.ts";
import { documentsIn, namedDocument, vectorsToTry } from "../../support/vectors.ts";

/** Of the reader, while the vectors' certificates hold: 14 Nov 2025, 15:00 UTC. */
const NOW = Date.UTC(2025, 10, 14, 15) / 1_000;
const BUY = "a prepared buy of TSLAx for 250 dollars";

function judge(document: string, reader: Reader) {
  let parsed: unknown = null;
  try {
    parsed = parseDocument(document);
  } catch {}
  const verification = verifyDocument(document, reader);
  return { verification, view: viewOf(verification, parsed, NOW) };
}

const known = new Map<string, ReturnType<typeof judge>>();

/** By a reader who trusts nobody; of each document once, since several tests look at all vectors. */
function judged(document: string): ReturnType<typeof judge> {
  const found = known.get(document) ?? judge(document, {});
  known.set(document, found);
  return found;
}
const seen = (document: string): ReportView => judged(document).view;

describe("the view of a report", function () {
  this.timeout(300_000);

  let vectors: readonly DocumentVector[];
  before(async () => {
    vectors = documentsIn(await vectorsToTry());
  });

  it("says in one sentence what was asked, of a buy and of a sell", () => {
    const asked = (name: string) => tradeSentence(seen(namedDocument(name).document).judged!.trade);
    expect(asked(BUY)).to.match(
      /^Buy at least 0\.6[0-9]{5} TSLAx, a token of the stock TSLA, for 250 USDL\.$/,
    );
    expect(asked("a denied sell of 40000 thousandths of TSLAx")).to.match(
      /^Sell 40 TSLAx, a token of the stock TSLA, for at least [0-9]{2},[0-9]{3}(\.[0-9]+)? USDL\.$/,
    );
  });

  it("shows nothing of a report with a forged certificate", () => {
    const parsed = JSON.parse(namedDocument(BUY).document);
    const { signature } = parsed.execution.certificate;
    parsed.execution.certificate.signature = `${signature.slice(0, 20)}0000${signature.slice(24)}`;
    const { verdict, judged } = seen(JSON.stringify(parsed));
    expect(verdict).to.equal("INVALID");
    expect(judged).to.equal(null);
  });

  it("the view of a report has the verification's verdict, steps and findings of every vector, and begins with it", () => {
    for (const { name, document, trust } of vectors) {
      const { verification, view } = judge(document, readerOf(trust));
      expect(view.verdict, name).to.equal(verification.verdict);
      expect(
        view.steps.map((step) => [step.name, step.outcome]),
        name,
      ).to.deep.equal(verification.steps.map((step) => [step.name, step.outcome]));
      expect(view.text, name).to.not.equal("");
      const isShown = verification.report !== null && verification.verdict !== "INVALID";
      expect(view.judged !== null, name).to.equal(isShown);
      if (!isShown) continue;
      const findings = view.judged!.findings;
      expect(findings.map(({ check, outcome }) => [check, outcome])).to.deep.equal(
        (verification.report?.findings ?? []).map(({ check, outcome }) => [check, outcome]),
      );
      for (const finding of findings) {
        expect(finding.question, finding.check).not.to.equal("");
        expect(findingName(finding.check), finding.check).not.to.equal(finding.check);
      }
    }
  });

  it("says of each finding what was observed, what passes, and how much of its limit is used up", () => {
    const cells = Object.fromEntries(
      seen(namedDocument(BUY).document).judged!.findings.map((finding) => {
        const { name, observed, limit, used } = findingCells(finding);
        return [finding.check, [name, observed, limit, used]];
      }),
    );
    expect(cells).to.deep.include({
      "guard-active": ["Guard paused", "no", "must be no", null],
      session: ["Market session", "regular", "allowed: regular", null],
      slippage: ["Slippage accepted", "50 bps", "at most 100 bps", 0.5],
      notional: ["Value of the trade", "$250", "at most $50,000", 0.005],
      "quote-age": ["Age of the quoted block", "0 s", "at most 1 min", 0],
    });
    const [name, observed, limit] = cells["minimum-output"]!;
    expect(name).to.equal("Quoted output");
    expect(observed).to.match(/^0\.6[0-9]{17} TSLAx$/);
    expect(limit).to.match(/^at least 0\.6[0-9]{17} TSLAx$/);
  });

  it("gives each fact its value and its kind, one row for each that the verification tells", () => {
    for (const { name, document } of vectors) {
      const { verification, view } = judged(document);
      const { facts } = verification;
      const rows = view.judged?.facts;
      if (facts.length === 0 || rows === undefined) continue;
      expect(
        rows.map((row) => [row.name, row.kind, row.by]),
        name,
      ).to.deep.equal(facts.map((fact) => [printable(fact.name), fact.kind, printable(fact.by)]));
      // Of all facts liquidity alone can be there and say nothing.
      for (const row of rows)
        if (row.name !== "liquidity") expect(row.value, `${name}: ${row.name}`).not.to.equal(null);
    }
  });

  it("tells a price's age as of the judgement", () => {
    const { facts, capturedAt } = seen(namedDocument(BUY).document).judged!;
    const close = facts.find((fact) => fact.name === "price of TSLA / USD official close")!;
    expect(close).to.include({ unit: "USD", kind: "observed", source: "simulated" });
    expect(Number(close?.value)).to.be.within(390, 410);
    expect(close.ageSeconds).to.equal(capturedAt - 1_763_078_400);
  });

  it("shows the proof of the log", () => {
    const vector = namedDocument(BUY);
    const { log } = seen(vector.document).judged!;
    expect(log).to.include({ origin: "assay.localhost/log" });
    expect(log!.index! < log!.size!).to.equal(true);
    expect(log!.signedBy).to.include("assay.localhost/log");
  });

  it("names the event of the guard, and gives the document's transactions as its claims", () => {
    const { event } = seen(namedDocument("a job whose trade was executed").document).judged!;
    expect(event.claimed).to.have.length(1);
    expect(event.claimed[0]!.state).to.equal("confirmed");
    expect(event.jobIdHash).to.match(/^0x[0-9a-f]{64}$/);
  });

  it("shows nothing of evidence that was not judged again", () => {
    const parsed = JSON.parse(namedDocument(BUY).document);
    parsed.report.evidence.trade.symbol = "NVDAx";
    const view = seen(JSON.stringify(parsed));
    expect(view.verdict).to.equal("INVALID");
    expect(view.judged).to.equal(null);
    expect(JSON.stringify(view)).not.to.include("NVDAx");
  });

  it("the view of a report has no text that turns the direction of writing or hides", () => {
    const parsed = JSON.parse(namedDocument(BUY).document);
    parsed.report.evidence.schema = "assay\u202e.evidence/9";
    const first = seen(JSON.stringify(parsed));
    // Hashed anew, so that only the schema is wrong.
    parsed.report.evidenceHash = first.evidenceHash;
    const view = seen(JSON.stringify(parsed));
    expect(view.faults).to.deep.equal(["schema_unknown"]);
    expect(JSON.stringify(view)).not.to.match(/\u202e/);
    expect(JSON.stringify(view)).to.include("\ufffd");
  });
});
