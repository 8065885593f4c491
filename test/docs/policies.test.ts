/** The bounds and checks that docs/policies.md lists, against the policies themselves. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { CHECKS } from "../../attestor/checks/checks.ts";
import { POLICIES } from "../../attestor/policies/policy.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/policies.md"), "utf8");
const definitions = [...POLICIES.values()].map(({ definition }) => definition);
type Definition = (typeof definitions)[number];

const BOUNDS: Record<string, (policy: Definition) => unknown> = {
  sessions: (policy) => policy.allowedSessions.join(", "),
  "reference price": (policy) => policy.reference.kind,
  "reference sources, at least": (policy) => policy.reference.minSources,
  "signed references, at least": (policy) => policy.evidence.minSignedReferences,
  "reference age, at most": (policy) => `${policy.reference.maxAgeSeconds} s`,
  "references apart, at most": (policy) => `${policy.reference.maxDisagreementBps} bps`,
  "confidence interval, at most": (policy) => `${policy.reference.maxConfidenceBps} bps`,
  "adverse premium, at most": (policy) => `${policy.maxAdversePremiumBps} bps`,
  "price impact, at most": (policy) => `${policy.maxImpactBps} bps`,
  "slippage, at most": (policy) => `${policy.maxSlippageBps} bps`,
  "size, at most": (policy) => `${policy.notionalCapUsd} USD`,
  "liquidity grade, at least": (policy) => policy.lowestGrade,
  "liquidity samples, at least": (policy) => policy.minLiquiditySamples,
  "block age, at most": (policy) => `${policy.maxQuoteAgeSeconds} s`,
  "settlement token sources, at least": (policy) => policy.settlement.minSources,
  "settlement token off one dollar, at most": (policy) => `${policy.settlement.maxDeviationBps} bps`,
  "settlement token price age, at most": (policy) => `${policy.settlement.maxAgeSeconds} s`,
  "margin around a corporate action": (policy) => `${policy.corporateAction.marginSeconds} s`,
  "announcement source required": (policy) => (policy.corporateAction.announcementNeeded ? "yes" : "no"),
  "failed sources, at most": (policy) => policy.evidence.maxFailedSources,
  "pool state proof": (policy) => policy.evidence.quoteProof,
  "certificate lifetime": (policy) => `${policy.certificateLifetimeSeconds} s`,
};

describe("docs/policies.md", () => {
  it("has the bound of each policy, row by row", () => {
    const [, section = ""] = page.split("\n## The bounds\n");
    const rows = section
      .split("\n## ")[0]!
      .split("\n")
      .filter((line) => line.startsWith("| "))
      .slice(1);
    const expected = Object.entries(BOUNDS).map(
      ([name, boundOf]) =>
        `| ${[name, ...definitions.map((policy) => String(boundOf(policy)))].join(" | ")} |`,
    );
    expect(rows).to.deep.equal(expected);
  });

  it("explains every check of the policies, and no other", () => {
    const [, section = ""] = page.split("\n## The checks\n");
    const cells = section.split("\n## ")[0]!.matchAll(/^\| ((?:`[a-z-]+`(?:, )?)+) \|/gm);
    const named = [...cells].flatMap(([, cell]) =>
      [...cell!.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name),
    );
    expect(named).to.have.members(CHECKS.map(({ name }) => name));
  });
});
