import { expect } from "chai";
import {
  POLICIES,
  POLICY_VERSIONS,
  PolicyDefinition,
  parsePolicies,
  policyById,
} from "../../../attestor/policies/policy.ts";
import { AttestorError } from "../../../attestor/values/attestorErrors.ts";

/**
 * What each version of a policy hashes to, for good. A changed limit is another policy: raise the
 * definition's version and add a line here, never change one.
 */
const PINNED: Record<string, string> = {
  "STRICT_LIVE 1": "0xb6db751538831c4de2963c488568b69504fd3abc11bb5745003252e65195499f",
  "EXTENDED_HOURS 1": "0x01e10d03e2dff8ef31a5d188c5931a762e49428b2ee459017e88b7e18e32c57b",
  "LAST_CLOSE 1": "0xb9c65a66ff6cbcbc187f5b99c078c0443d04838b403597b3a7c01e6167859746",
  "STRICT_LIVE 2": "0x52aea5d1d287e14999509b743a579d9ab0e0f81076f08b6b9875e16eb26e9af7",
  "EXTENDED_HOURS 2": "0xf7046d1f7c34e61f58f1c8423aa8051ddca0639d3944c1473526733481b79839",
  "LAST_CLOSE 2": "0x69c7aade565dafb32d0ab8e1b78b4739e6ec2b5542b0cfb46357419be526cdbc",
  "STRICT_LIVE 3": "0xb126aa393dd4006ff424931ba38180a8a47b928dacb9907b52cbaf3f17ddf202",
  "EXTENDED_HOURS 3": "0xc44b940fa665ee31c4d985654ad9b04aee19ccdd86ff7b3d8e9e951eac0c1fb8",
  "LAST_CLOSE 3": "0x65cfff0154e058e2a6c2e9b9fa92cce9b192ce4a5e04feb044354587381816a8",
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

  it("policies are found by version too, the newest without one", () => {
    expect(
      [1, 2, undefined].map((version) => policyById("LAST_CLOSE", version).definition.version),
    ).to.deep.equal([1, 2, 3]);
    expect(() => policyById("LAST_CLOSE", 4))
      .to.throw(AttestorError)
      .with.property("code", "unknown_policy");
  });

  it("policies cannot name a check twice, one that does not exist, or none at all", () => {
    const { definition } = policyById("STRICT_LIVE");
    for (const checks of [["session", "session"], ["weather"], []])
      expect(PolicyDefinition.safeParse({ ...definition, checks }).success).to.equal(false);
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
