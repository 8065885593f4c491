import { expect } from "chai";
import { id } from "ethers";
import { policyById, policyOf } from "../../../attestor/policies/policy.ts";
import { type Header, readHeader } from "../../../attestor/proofs/header.ts";
import { evaluate, type Report } from "../../../attestor/report.ts";
import { type Verification, verifyReport } from "../../../attestor/verify/verify.ts";
import { stepExplained } from "../../../attestor/view/words.ts";
import { addressFor, copy, judgement, NOW, named, prepared, reportOn, TRUST, token } from "../fixtures.ts";
import { headerRlp, type ProvedFacts, provedFacts, STATE_REGISTRY } from "../proofs/state.ts";

const detailOf = ({ steps }: Pick<Verification, "steps">, wanted: string) =>
  steps.find(({ name }) => name === wanted)?.detail;

let given: ProvedFacts;
let report: Report;
before(async () => {
  given = await provedFacts();
  report = reportOn(judgement({ facts: given.facts, proofs: given.proofs }));
});

/** The report with other facts, every hash right again. */
function bent(bend: (evidence: any) => void, proofs: unknown = given.proofs): any {
  const evidence = copy(report.evidence);
  bend(evidence);
  return { ...copy(evaluate(policyById("STRICT_LIVE"), evidence)), proofs };
}

describe("a report with proofs", () => {
  it("a report with proofs is VALID, and proved on one condition that is named", async () => {
    const result = verifyReport(await prepared(report), TRUST);
    expect(result.verdict, JSON.stringify(result.steps)).to.equal("VALID");
    expect(detailOf(result, "proved")).to.equal(
      `The state of the guard and of the pool is proved, if block ${given.made.hash} is the chain's (not checked).`,
    );
    expect(named(result, "absent")).to.include("proved");
  });

  it("a report with proofs is proved without a condition for who has the header from the chain", () => {
    const header = readHeader(given.made.header) as Header;
    const result = verifyReport(report, { header });
    expect(named(result, "ok")).to.include.members(["saved header", "proved", "block header"]);
    expect(detailOf(result, "proved")).to.contain("the saved header (checked)");
  });

  it("a report with proofs is INVALID for who has another header of that block, and UNVERIFIABLE with one of another block", () => {
    const other = (number: number) => readHeader(headerRlp(given.made.root, number, NOW - 3)) as Header;
    expect(named(verifyReport(report, { header: other(4_200) }), "wrong")).to.deep.equal(["saved header"]);
    expect(named(verifyReport(report, { header: other(4_199) }), "unknown")).to.include("saved header");
  });

  it("a report with proofs is UNVERIFIABLE without its proofs where the policy demands a proof of the quote", async () => {
    const definition = structuredClone(policyById("STRICT_LIVE").definition);
    definition.evidence = { minSignedReferences: 0, maxFailedSources: 0, quoteProof: "required" };
    const policy = policyOf("It demands a proof.", definition);
    const demanded = reportOn(judgement({ policy, facts: given.facts, proofs: given.proofs }));
    const trade = await prepared(demanded, policy);
    const options = { ...TRUST, policies: [policy] };
    expect(verifyReport(trade, options).verdict).to.equal("VALID");
    const { proofs: _, ...bare } = trade.report;
    const result = verifyReport({ ...trade, report: bare }, options);
    expect(result.verdict).to.equal("UNVERIFIABLE");
    expect(named(result, "unknown")).to.deep.equal(["proofs"]);
  });

  it("is UNVERIFIABLE where the proofs that it names were left out, unless the policy says that they are optional", async () => {
    const definition = structuredClone(policyById("STRICT_LIVE").definition);
    definition.evidence.quoteProof = "optional";
    const lenient = policyOf("It can do without proofs.", definition);
    for (const [policy, verdict] of [
      [policyById("STRICT_LIVE"), "UNVERIFIABLE"],
      [lenient, "VALID"],
    ] as const) {
      const whole = reportOn(judgement({ policy, facts: given.facts, proofs: given.proofs }));
      const trade = await prepared(whole, policy);
      const { proofs: _, ...short } = whole;
      const result = verifyReport({ ...trade, report: short }, { ...TRUST, policies: [lenient] });
      expect(result.verdict, JSON.stringify(result.steps)).to.equal(verdict);
      expect(detailOf(result, "proofs")).to.match(/^Missing: .* 0x/);
      expect(result.evidenceHash).to.equal(whole.evidenceHash);
    }
  });

  it("shows a reader nothing proved where the proofs are missing, even if the evidence names them", () => {
    const { proofs: _, ...short } = copy(report);
    const kinds = verifyReport(short).facts.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "proved")).to.deep.equal([]);
    expect(kinds.filter((kind) => kind === "observed")).to.have.length(8);
    expect(verifyReport(report).facts.filter(({ kind }) => kind === "proved")).to.have.length(5);
  });
});

describe("a report that its own proofs contradict", () => {
  const forged: [string, string, (evidence: any) => void][] = [
    ["another signer of the guard", "guard state", ({ guard }) => (guard.signer = addressFor("other"))],
    ["more reserves of a pool", "pool state", ({ quote }) => (quote.pools[0].reserve0 += "0")],
    [
      "a pool that nothing proves",
      "state proof",
      ({ quote }) => (quote.pools[0].address = addressFor("other")),
    ],
    ["another time of the block", "block header", ({ chain }) => (chain.blockTimestamp -= 1)],
    ["no name of its proofs", "proofs", (evidence) => (evidence.proofs = null)],
  ];
  for (const [name, step, bend] of forged)
    it(`is INVALID with every hash recomputed: ${name}`, () => {
      const result = verifyReport(bent(bend));
      expect(result.verdict).to.equal("INVALID");
      expect(named(result, "wrong")).to.include(step);
      expect([...named(result, "ok"), ...named(result, "absent")]).to.not.include("proved");
    });
});

describe("a multiplier in the token's state", () => {
  const registry = STATE_REGISTRY;
  const ONE = 10n ** 18n;
  const sound = () =>
    provedFacts({
      token: { facts: token("1.25"), words: [0n, (ONE * 5n) / 4n, 0n] },
    });
  const kindsOf = (document: unknown) =>
    verifyReport(document, { registry })
      .facts.filter(({ name }) => name === "shares factor" || name === "announced change")
      .map(({ kind, by }) => `${kind} by ${by.split(" ", 1)}`);

  it("is proved with the announcement, and observed without the proofs", async () => {
    const { facts, proofs } = await sound();
    const whole = reportOn(judgement({ registry, facts, proofs }));
    const result = verifyReport(await prepared(whole), { ...TRUST, registry });
    expect(result.verdict, JSON.stringify(result.steps)).to.equal("VALID");
    expect(kindsOf(whole)).to.deep.equal(["proved by block", "proved by block"]);
    const { proofs: _, ...short } = whole;
    expect(kindsOf(short)).to.deep.equal(["observed by erc-8056", "observed by erc-8056"]);
  });

  const forged: [string, string, (evidence: any) => void][] = [
    ["no factor at all", "facts", ({ token }) => (token.factor = null)],
    ["a provider's factor", "facts", ({ token }) => (token.factor.provider = "backed")],
    [
      "an announcement of no block",
      "facts",
      (e) => Object.assign(e.token.announcement, { blockNumber: null, address: null }),
    ],
    ["a layout without proofs", "facts", (evidence) => (evidence.proofs = null)],
    ["another factor", "token state", ({ token }) => (token.factor.value = "1.5")],
    [
      "a slot that is not the registry's",
      "registry",
      ({ token }) => (token.layout.newUIMultiplier = id("other")),
    ],
  ];
  for (const [what, step, bend] of forged)
    it(`makes a report INVALID that says otherwise: ${what}`, async () => {
      const { facts, proofs } = await sound();
      const evidence = copy(reportOn(judgement({ registry, facts, proofs })).evidence);
      bend(evidence);
      const report = { ...evaluate(policyById("STRICT_LIVE"), evidence), proofs };
      const result = verifyReport(report, { registry });
      expect(result.verdict).to.equal("INVALID");
      expect(named(result, "wrong"), JSON.stringify(result.steps)).to.include(step);
      expect(stepExplained(step)).to.not.equal("");
    });
});
