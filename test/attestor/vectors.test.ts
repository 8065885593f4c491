/** The published vectors: this program still answers as it did, and they hold what their page says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { canonicalHash } from "../../attestor/canonical.ts";
import { POLICY_VERSIONS, type Policy, parsePolicies } from "../../attestor/policy.ts";
import { CHECK_NAMES } from "../../attestor/policyDefinition.ts";
import { evaluate } from "../../attestor/report.ts";
import { verifyDocument } from "../../attestor/verify.ts";
import { boundaryChecks } from "../../tools/vectors/boundaries.ts";
import type { DocumentVector } from "../../tools/vectors/documents.ts";
import type { EvidenceVector } from "../../tools/vectors/evidences.ts";

const FOLDER = join(import.meta.dirname, "../../docs/vectors");
const read = (file: string) => JSON.parse(readFileSync(join(FOLDER, file), "utf8"));

const policies: readonly Policy[] = parsePolicies(read("policies.json"));
const evidence: readonly EvidenceVector[] = read("evidence.json");
const documents: readonly DocumentVector[] = [...read("documents.json"), ...read("proved.json")];

describe("the published vectors", function () {
  this.timeout(60_000);

  it("begin with every policy that was ever given out", () => {
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

  it("of evidence are at least three hundred of both schemas, some of them allowed", () => {
    expect(evidence.length).to.be.at.least(300);
    for (const schema of ["assay.evidence/1", "assay.evidence/2"])
      for (const decision of ["ALLOW", "DENY"])
        expect(
          evidence.filter((one) => one.evidence.schema === schema && one.decision === decision).length,
          `${schema} ${decision}`,
        ).to.be.at.least(10);
  });

  it("turn on each check's boundary ten times on each side", () => {
    const bent = policies.flatMap(({ definition }) => boundaryChecks(definition));
    for (const check of CHECK_NAMES.filter((name) => bent.includes(name)))
      for (const side of ["pass", "fail"]) {
        const own = evidence.filter(({ name }) => name.startsWith(`${check} ${side} `));
        expect(own.length, `${check} ${side}`).to.be.at.least(10);
        for (const { name, findings } of own)
          expect(findings.find((finding) => finding.check === check)?.outcome, name).to.equal(side);
      }
    expect(new Set(bent)).to.deep.equal(new Set(CHECK_NAMES));
  });

  it("of documents get the same verdict for the same reasons", () => {
    expect(documents.length).to.be.at.least(150);
    for (const { name, document, trust, verdict, steps } of documents) {
      const seen = verifyDocument(document, trust);
      expect(seen.verdict, name).to.equal(verdict);
      for (const [outcome, names] of Object.entries(steps))
        expect(
          seen.steps.filter((step) => step.outcome === outcome).map((step) => step.name),
          `${name}, ${outcome}`,
        ).to.deep.equal(names);
    }
  });
});
