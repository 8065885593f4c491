import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { attest1 } from "../../../attestor/attest.ts";
import { EVIDENCE_SCHEMA_1, type Facts1 } from "../../../attestor/evidence/evidence1.ts";
import { type PolicyDefinition1, policyById } from "../../../attestor/policies/policy.ts";
import { parseRegistry } from "../../../attestor/registry.ts";
import { canonicalHash } from "../../../attestor/values/canonical.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { SIGNER } from "../fixtures.ts";
import { judgements1, POLICIES1 } from "./judgements1.ts";

interface Stored {
  readonly policies: Record<string, string>;
  readonly registry: unknown;
  readonly reports: Record<string, { reportHash: string; evidenceHash: string; decision: string }>;
  readonly documents: Record<string, any>;
}

/** What the first release of the schema wrote. Nothing writes this file again. */
const STORED: Stored = JSON.parse(readFileSync(join(import.meta.dirname, "reports1.json"), "utf8"));
const REGISTRY = parseRegistry(STORED.registry);

function policy1(policyId: string) {
  const policy = policyById(policyId, 1);
  return { policy, definition: policy.definition as PolicyDefinition1 };
}

describe("a report of assay.evidence/1", () => {
  it("a report of assay.evidence/1 is judged by policies of the hashes that it was written with", () => {
    for (const policyId of POLICIES1)
      expect(policyById(policyId, 1).definitionHash).to.equal(STORED.policies[policyId]);
  });

  it("comes out of the same facts to the byte, whatever is wrong with them", () => {
    const judged = judgements1();
    expect(judged.length).to.equal(84);
    for (const { name, policyId, facts, ...rest } of judged) {
      const { policy, definition } = policy1(policyId);
      const report = attest1({ ...rest, policy, registry: REGISTRY, facts: facts as Facts1 }, definition);
      const { evidenceHash, decision } = report;
      expect({ reportHash: canonicalHash(report), evidenceHash, decision }, name).to.deep.equal(
        STORED.reports[name],
      );
    }
  });

  it("keeps its verdict: verified again, nothing is wrong with any stored document", () => {
    const documents = Object.entries(STORED.documents);
    expect(documents.length).to.equal(19);
    for (const [name, document] of documents) {
      const result = verifyReport(document, { registry: REGISTRY, signer: SIGNER.address });
      const wrong = result.steps.filter(({ outcome }) => outcome === "wrong").map((step) => step.name);
      // Made up for the checks: no guard forbids an owner as recipient, so this one never came from a service.
      const isImpossible = name.endsWith("nothing allowed");
      expect(wrong, name).to.deep.equal(isImpossible ? ["facts"] : []);
      // Without a certificate nobody issued it, and that alone is missing.
      const verdict = document.execution ? "VALID" : "UNVERIFIABLE";
      expect(result.verdict, name).to.equal(isImpossible ? "INVALID" : verdict);
      expect(result.report).to.deep.equal(document.report ?? document);
    }
  });

  it("a report of assay.evidence/1 is not judged by a policy of another schema", () => {
    const document = STORED.documents["STRICT_LIVE, buy, market closed"];
    const { definition, definitionHash } = policyById("STRICT_LIVE");
    const evidence = {
      ...document.evidence,
      policy: { ...document.evidence.policy, version: definition.version, definitionHash },
    };
    const result = verifyReport({ ...document, evidence, evidenceHash: canonicalHash(evidence) });
    expect(result.verdict).to.equal("INVALID");
    const wrong = result.steps.filter(({ outcome }) => outcome === "wrong");
    expect(wrong.map(({ name }) => name)).to.deep.equal(["policy"]);
    expect(wrong[0]?.detail).to.contain(`does not judge ${EVIDENCE_SCHEMA_1}`);
  });

  it("names the checks of its schema, none that came later", () => {
    const { findings } = STORED.documents["STRICT_LIVE, buy, sound"].report;
    const names = findings.map(({ check }: { check: string }) => check);
    expect(names).to.have.length(18).and.not.include.members(["corporate-action", "settlement-peg"]);
  });
});
