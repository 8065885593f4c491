import { expect } from "chai";
import {
  newestPolicies,
  POLICIES,
  POLICY_VERSIONS,
  PolicyDefinition,
  parsePolicies,
  policyById,
  policyOf,
} from "../../../attestor/policies/policy.ts";
import { AttestorError } from "../../../attestor/values/attestorErrors.ts";

/**
 * The permanent hash of each version of a policy. Once it is published, a changed limit
 * makes another policy: raise the definition's version and add a line here.
 */
const PINNED: Record<string, string> = {
  "STRICT_LIVE 3": "0x5134c46f833674a15520043621801c9142f9138a0b92d46183fedfa26ab67b8e",
  "EXTENDED_HOURS 3": "0x6f2de08464965dd4640bf11330bc6078701bec86ec4da72b0859eb6e1d9103b6",
  "LAST_CLOSE 3": "0x2e32cf3e303753cb03af1d0203656f3596978d5db08a0134332c7be8efa12420",
};

describe("policies", () => {
  it("policies are the three that the service has", () => {
    expect([...POLICIES.keys()]).to.deep.equal(["STRICT_LIVE", "EXTENDED_HOURS", "LAST_CLOSE"]);
  });

  for (const { definition, definitionHash } of POLICY_VERSIONS)
    it(`${definition.policyId} ${definition.version} keeps its definition hash as long as it keeps its version`, () => {
      expect(definitionHash).to.equal(PINNED[`${definition.policyId} ${definition.version}`]);
    });

  it("has policies that fit the schema of policies", () => {
    for (const { definition } of POLICY_VERSIONS)
      expect(PolicyDefinition.parse(definition)).to.deep.equal(definition);
  });

  it("policies are found by version too, the newest without one, also where a next version was published", () => {
    const { description, definition, definitionHash } = policyById("LAST_CLOSE");
    const next = policyOf(description, { ...structuredClone(definition), version: 4, maxImpactBps: 149 });
    const versions = [...POLICY_VERSIONS, next];
    const found = [3, 4, undefined].map((version) => policyById("LAST_CLOSE", version, versions));
    expect(found.map(({ definition: { version } }) => version)).to.deep.equal([3, 4, 4]);
    expect(found[0]?.definitionHash).to.equal(definitionHash);
    expect(
      [...newestPolicies(versions)].map(([id, { definition }]) => [id, definition.version]),
    ).to.deep.equal([
      ["STRICT_LIVE", 3],
      ["EXTENDED_HOURS", 3],
      ["LAST_CLOSE", 4],
    ]);
    for (const unknown of [2, 4])
      expect(() => policyById("LAST_CLOSE", unknown))
        .to.throw(AttestorError)
        .with.property("code", "unknown_policy");
  });

  it("lets nobody change a policy in place", () => {
    const { definition } = policyById("STRICT_LIVE");
    for (const change of [
      () => Object.assign(definition, { maxImpactBps: 9_999 }),
      () => Object.assign(definition.reference, { minSources: 1 }),
      () => definition.allowedSessions.push("closed"),
    ])
      expect(change).to.throw(TypeError);
  });

  it("refuses a policy by an unknown id, or by a name that objects inherit", () => {
    for (const name of ["strict_live", "", "__proto__", "toString"])
      expect(() => policyById(name))
        .to.throw(AttestorError)
        .with.property("code", "unknown_policy");
  });

  describe("from a file", () => {
    const { definition, definitionHash, description } = policyById("LAST_CLOSE");
    const changed = { ...structuredClone(definition), maxImpactBps: 151, version: 9 };

    it("policies from a file are read as the API answers them, as a list, and as bare definitions", () => {
      const entry = { policyId: "LAST_CLOSE", version: 1, description, definition, definitionHash };
      for (const value of [{ policies: [entry] }, [entry], [definition]])
        expect(parsePolicies(value)[0]?.definitionHash).to.equal(definitionHash);
    });

    it("get the hash of their definition", () => {
      const [policy] = parsePolicies([changed]);
      expect(policy?.definition).to.deep.equal(changed);
      expect(policy?.definitionHash)
        .to.match(/^0x[0-9a-f]{64}$/)
        .and.not.equal(definitionHash);
    });

    it("policies from a file are refused when they state another hash than their definition has", () => {
      expect(() => parsePolicies([{ definition: changed, definitionHash }]))
        .to.throw(AttestorError)
        .with.property("code", "invalid_policy");
    });

    it("policies from a file are refused when they are none", () => {
      for (const value of [null, {}, 7, [7], [{}], { policies: {} }, [{ ...definition, extra: 1 }]])
        expect(() => parsePolicies(value))
          .to.throw(AttestorError)
          .with.property("code", "invalid_policy");
    });
  });
});
