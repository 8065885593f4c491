/** The vectors: this program still answers as they say. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { POLICY_VERSIONS, type Policy, parsePolicies } from "../../attestor/policies/policy.ts";
import { evaluate } from "../../attestor/report.ts";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import { type DocumentVector, vectorOf } from "../../workshop/vectors/documentVector.ts";
import type { EvidenceVector } from "../../workshop/vectors/evidence/evidences.ts";
import { documentsIn, vectorsToTry } from "../support/vectors.ts";

describe("the published vectors", function () {
  this.timeout(300_000);

  let policies: readonly Policy[];
  let evidence: readonly EvidenceVector[];
  let documents: readonly DocumentVector[];
  before(async () => {
    const folder = await vectorsToTry();
    const read = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8"));
    policies = parsePolicies(read("policies.json"));
    evidence = read("evidence.json");
    documents = documentsIn(folder);
  });

  it("begin with every policy that was ever published", () => {
    const given = POLICY_VERSIONS.map(({ definitionHash }) => definitionHash);
    expect(policies.slice(0, given.length).map(({ definitionHash }) => definitionHash)).to.deep.equal(given);
  });

  it("of evidence are judged to the same findings, decision and hash", () => {
    for (const vector of evidence) {
      const policy = policies.find(
        ({ definitionHash }) => definitionHash === vector.evidence.policy.definitionHash,
      )!;
      const { findings, decision, evidenceHash } = evaluate(policy, vector.evidence);
      expect({ findings, decision, evidenceHash }, vector.name).to.deep.equal({
        findings: vector.findings,
        decision: vector.decision,
        evidenceHash: vector.evidenceHash,
      });
      expect(canonicalHash(vector.evidence)).to.equal(vector.evidenceHash);
    }
  });

  it("of documents get the same verdict for the same reasons, and the same of a strict reader", () => {
    for (const vector of documents) expect(vectorOf(vector), vector.name).to.deep.equal(vector);
  });
});
