/** Issuer and reader who know other keys of publishers: neither finds the other's honest report wrong, and a lie stays one. */
import { expect } from "chai";
import { getAddress, id, Wallet } from "ethers";
import { type Policy, policyById, policyOf } from "../../../attestor/policies/policy.ts";
import {
  KNOWN_KEYS,
  type PublisherKeys,
  type SignerSet,
} from "../../../attestor/publishers/publisherKeys.ts";
import { priceProofOf } from "../../../attestor/publishers/pyth/pyth.ts";
import { evaluate, type Report } from "../../../attestor/report.ts";
import { type Verification, type VerifyOptions, verifyReport } from "../../../attestor/verify/verify.ts";
import { signedUpdate } from "../../../devnet/hermes/update.ts";
import {
  copy,
  facts,
  judgement,
  NOW,
  prepared,
  reading,
  reportOn,
  TRUST,
  unsignedReferences,
} from "../fixtures.ts";

const PRIVATE_KEYS = ["one", "two", "three"].map((name) => id(name));
const NEWEST: SignerSet = {
  space: "pyth",
  index: 9,
  validFrom: NOW - 1_000,
  validUntil: null,
  signers: PRIVATE_KEYS.map((key) => getAddress(new Wallet(key).address)),
};
const KEYS: PublisherKeys = { ...KNOWN_KEYS, pyth: [...KNOWN_KEYS.pyth, NEWEST] };
const FEED = id("Equity.US.ACME/USD");

function signedReading(publishedAt = NOW - 3, signedAt = NOW) {
  const message = { feedId: FEED, price: 20_010_000n, confidence: 4_000n, exponent: -5, publishedAt };
  const update = signedUpdate([message], signedAt, { index: NEWEST.index, privateKeys: PRIVATE_KEYS });
  const proof = priceProofOf(update, FEED);
  return reading({ provider: "pyth", price: "200.1", confidence: "0.04", publishedAt, proof });
}

function policyWith(minSignedReferences: number): Policy {
  const definition = structuredClone(policyById("STRICT_LIVE").definition);
  definition.evidence = { minSignedReferences, maxFailedSources: 0, quoteProof: "preferred" };
  return policyOf("It may demand signatures.", definition);
}

/** A report on one price that the newest set signed, as it was judged by who knows these keys. */
function reportBy(keys: PublisherKeys, policy: Policy): Report {
  const given = facts({ references: [signedReading(), ...unsignedReferences()] });
  return evaluate(policy, reportOn(judgement({ policy, facts: given })).evidence, keys);
}

const outcomes = ({ steps }: Verification, name: string) =>
  steps.filter((step) => step.name === name).map(({ outcome }) => outcome);

describe("a report whose issuer knows a set of signers that its reader does not", () => {
  const policy = policyWith(1);
  const reader: VerifyOptions = { ...TRUST, policies: [policy] };

  it("is UNVERIFIABLE, its trade included, and VALID to a reader to whom somebody brings the set", async () => {
    const report = reportBy(KEYS, policy);
    expect([report.decision, report.facts?.signed]).to.deep.equal(["ALLOW", 1]);
    const document = await prepared(report, policy);
    const result = verifyReport(document, reader);
    expect(result.verdict, JSON.stringify(result.steps)).to.equal("UNVERIFIABLE");
    expect(outcomes(result, "judgement")).to.deep.equal(["unknown"]);
    expect(outcomes(result, "trade intent")).to.deep.equal(["ok"]);
    expect(verifyReport(document, { ...reader, publisherKeys: KEYS }).verdict).to.equal("VALID");
  });

  it("a report whose issuer knows a set of signers that its reader does not is INVALID where anything reads otherwise that no signature could change", () => {
    const lies: ((report: any) => void)[] = [
      ({ findings }) => (findings[0].message = "The market session is fine."),
      ({ findings }) => (findings.find(({ check }: any) => check === "premium").observed = "0"),
      (report) => (report.facts = { ...report.facts, signed: 2, stated: report.facts.stated - 1 }),
      (report) => (report.facts = { ...report.facts, proved: 3, stated: report.facts.stated - 3 }),
      (report) => (report.decision = "DENY"),
      ({ findings }) => findings.pop(),
      ({ findings }) =>
        Object.assign(
          findings.find(({ check }: any) => check === "signed-references"),
          { observed: "2" },
        ),
    ];
    for (const [index, lie] of lies.entries()) {
      const claimed = copy(reportBy(KEYS, policy));
      lie(claimed);
      const result = verifyReport(claimed, reader);
      expect(result.verdict, `lie ${index}`).to.equal("INVALID");
      expect(outcomes(result, "judgement"), `lie ${index}`).to.deep.equal(["wrong"]);
    }
  });

  it("a report whose issuer knows a set of signers that its reader does not is INVALID where it allows a trade that another check denies", () => {
    const given = facts({ references: [signedReading(), ...unsignedReferences()], session: null });
    const denied = evaluate(policy, reportOn(judgement({ policy, facts: given })).evidence, KEYS);
    expect(denied.decision).to.equal("DENY");
    expect(outcomes(verifyReport(denied, reader), "judgement")).to.deep.equal(["unknown"]);
    const claimed = { ...copy(denied), decision: "ALLOW" };
    for (const finding of claimed.findings) finding.outcome = "pass";
    expect(outcomes(verifyReport(claimed, reader), "judgement")).to.deep.equal(["wrong"]);
  });
});

describe("a report whose issuer did not know a set of signers yet that its reader does", () => {
  it("stays VALID: no newer program makes an honest report wrong", async () => {
    const policy = policyWith(0);
    const report = reportBy(KNOWN_KEYS, policy);
    expect([report.decision, report.facts?.signed]).to.deep.equal(["ALLOW", 0]);
    const options = { ...TRUST, policies: [policy] };
    const document = await prepared(report, policy);
    expect(verifyReport(document, options).verdict).to.equal("VALID");
    const result = verifyReport(document, { ...options, publisherKeys: KEYS });
    expect(result.verdict, JSON.stringify(result.steps)).to.equal("VALID");
    expect(result.facts.filter(({ kind }) => kind === "signed")).to.have.length(1);
  });

  it("is a denial where the policy demands the signature, and stays that", () => {
    const policy = policyWith(1);
    const report = reportBy(KNOWN_KEYS, policy);
    expect(report.decision).to.equal("DENY");
    const result = verifyReport(report, { policies: [policy], publisherKeys: KEYS });
    expect(outcomes(result, "judgement")).to.deep.equal(["ok"]);
  });
});

describe("a price of today under the signatures of a set that was replaced", () => {
  it("a price of today under the signatures of a set that was replaced is nobody's signed word, also where the message calls itself older", () => {
    const policy = policyWith(0);
    const replacedAt = NOW - 90_000;
    const old = { ...NEWEST, validFrom: NOW - 200_000, validUntil: replacedAt };
    const kinds = (signedAt: number, publishedAt = signedAt) => {
      const given = facts({ references: [signedReading(publishedAt, signedAt), ...unsignedReferences()] });
      const report = reportOn(judgement({ policy, facts: given }));
      const publisherKeys = { ...KNOWN_KEYS, pyth: [...KNOWN_KEYS.pyth, old] };
      return verifyReport(report, { policies: [policy], publisherKeys }).facts.map(({ kind }) => kind);
    };
    expect(kinds(replacedAt)).to.include("signed");
    expect(kinds(replacedAt - 3, replacedAt)).to.include("signed");
    expect(kinds(replacedAt + 1)).to.not.include("signed");
    expect(kinds(replacedAt - 3, replacedAt + 1)).to.not.include("signed");
    expect(kinds(NOW - 3)).to.not.include("signed");
  });
});
