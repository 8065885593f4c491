import { expect } from "chai";
import type { Facts } from "../../../attestor/evidence/facts.ts";
import { sourceName } from "../../../attestor/sources.ts";
import type { Verdict } from "../../../attestor/steps.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { judgement, prepared, reportOn, TRUST } from "../fixtures.ts";
import { FEED, FORGERIES, failed, honest, LISTED } from "./forgedSources.ts";

function verified(given: Facts): { verdict: Verdict; step: { outcome: string; detail: string } } {
  const report = reportOn(judgement({ registry: LISTED, facts: given }));
  const { verdict, steps } = verifyReport(report, { ...TRUST, registry: LISTED });
  return { verdict, step: steps.find(({ name }) => name === "sources")! };
}

describe("evidence compared with the registry's sources", () => {
  it("is sound where every listed source answered, and where those that did not are named", async () => {
    expect(verified(honest()).step.outcome).to.equal("ok");
    const silent = honest();
    silent.references.splice(3, 1);
    silent.failures.push(failed(sourceName(LISTED.assets[0]!.priceSources[3]!)));
    expect(verified(silent).step).to.include({
      outcome: "ok",
      detail: `Prices and token facts are of the sources that registry ${LISTED.version} lists, and each of them answered, but for chainlink live ${FEED} ACME / USD.`,
    });
    const report = reportOn(judgement({ registry: LISTED, facts: silent }));
    const document = await prepared(report);
    expect(verifyReport(document, { ...TRUST, registry: LISTED }).verdict).to.equal("VALID");
  });

  it("counts a later source where the earlier ones are said to have failed", () => {
    const given = honest();
    given.token.factor = { ...given.token.factor!, provider: "xstocks", address: null, blockNumber: null };
    given.failures.push(failed("erc-8056", { subject: "factor" }));
    expect(verified(given).step.outcome).to.equal("ok");
  });

  for (const [name, [bend, said]] of Object.entries(FORGERIES))
    it(`is INVALID where ${name}`, () => {
      const given = structuredClone(honest());
      bend(given);
      const { verdict, step } = verified(given);
      expect(verdict).to.equal("INVALID");
      expect(step.outcome).to.equal("wrong");
      expect(step.detail.replace(/^By registry \S+ these sources are wrong: /, "")).to.match(said);
    });

  it("is not compared where the registry is missing, which a step says", () => {
    const report = reportOn(judgement({ registry: LISTED, facts: honest() }));
    const { steps } = verifyReport(report, TRUST);
    expect(steps.find(({ name }) => name === "sources")).to.include({ outcome: "absent" });
  });
});
