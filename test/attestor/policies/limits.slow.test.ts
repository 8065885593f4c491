/** Limits of an intent: each is judged beside the policy's own checks, and can only deny. */
import { expect } from "chai";
import fc from "fast-check";
import type { Finding } from "../../../attestor/checks/check.ts";
import { widerLimits } from "../../../attestor/checks/limits.ts";
import type { Facts } from "../../../attestor/evidence/facts.ts";
import type { Limits } from "../../../attestor/intent.ts";
import { policyById } from "../../../attestor/policies/policy.ts";
import type { Report } from "../../../attestor/report.ts";
import { facts, judgement, NOW, quote, reading, reportOn, type Side } from "../fixtures.ts";
import { ROUTED } from "../pools/pooledQuotes.ts";

type Asked = Parameters<typeof judgement>[0];

const foundIn = ({ findings }: Report, name: string): Finding =>
  findings.find(({ check }) => check === name)!;

/** A judgement of a quote, of its amount. */
function quoted(side: Side, of: Facts["quote"], { limits, ...more }: Asked & { limits?: Limits } = {}) {
  const made = judgement({
    registry: ROUTED,
    ...more,
    side,
    facts: { ...facts({}, side), ...more?.facts, quote: of },
  });
  const amountInRaw = of?.amountInRaw ?? made.intent.amountInRaw;
  return reportOn({ ...made, intent: { ...made.intent, amountInRaw, ...(limits && { limits }) } });
}

const LIMITS = fc
  .record(
    {
      maxPremiumBps: fc.integer({ min: -60, max: 100 }),
      maxImpactBps: fc.integer({ min: 0, max: 50 }),
      minAmountOutRaw: fc
        .bigInt({ min: 3_900_000_000_000_000_000n, max: 4_000_000_000_000_000_000n })
        .map(String),
      maxReferenceAgeSeconds: fc.integer({ min: 1, max: 60 }),
    },
    { requiredKeys: [] },
  )
  .filter((limits) => Object.keys(limits).length > 0);

describe("limits of an intent", () => {
  it("limits of an intent only ever deny what the policy allows, by a finding each after the policy's own", () => {
    fc.assert(
      fc.property(LIMITS, fc.integer({ min: 190, max: 210 }), (limits, price) => {
        const references = facts().references.map((one) => ({ ...one, price: String(price) }));
        const asked = (more: object) =>
          quoted("buy", quote("buy"), { facts: facts({ references }), ...more });
        const [plain, limited] = [asked({}), asked({ limits })];
        expect(limited.findings.slice(0, plain.findings.length).map(({ outcome }) => outcome)).to.deep.equal(
          plain.findings.map(({ outcome }) => outcome),
        );
        const added = limited.findings.slice(plain.findings.length);
        expect(added.length).to.equal(Object.keys(limits).length);
        const passes = added.every(({ outcome }) => outcome === "pass");
        expect(limited.decision === "ALLOW").to.equal(plain.decision === "ALLOW" && passes);
        const [least, demanded] = [plain.evidence.figures.minAmountOutRaw, limits.minAmountOutRaw ?? "0"].map(
          (raw) => BigInt(raw!),
        );
        expect(limited.evidence.figures.minAmountOutRaw).to.equal(
          String(demanded! > least! ? demanded : least),
        );
        expect(limited.evidenceHash).to.not.equal(plain.evidenceHash);
      }),
    );
  });

  it("limits of an intent pass exactly at what is observed, and say observed value and limit", () => {
    const { figures, quote: paid } = quoted("buy", quote("buy")).evidence;
    const turning: [keyof Limits, string, Limits, Limits][] = [
      [
        "maxPremiumBps",
        "limit-premium",
        { maxPremiumBps: Math.ceil(Number(figures.premiumBps)) },
        { maxPremiumBps: -1 },
      ],
      [
        "maxImpactBps",
        "limit-impact",
        { maxImpactBps: Math.ceil(Number(figures.impactBps)) },
        { maxImpactBps: 0 },
      ],
      [
        "minAmountOutRaw",
        "limit-output",
        { minAmountOutRaw: paid!.amountOutRaw },
        { minAmountOutRaw: String(BigInt(paid!.amountOutRaw) + 1n) },
      ],
      [
        "maxReferenceAgeSeconds",
        "limit-reference-age",
        { maxReferenceAgeSeconds: 10 },
        { maxReferenceAgeSeconds: 9 },
      ],
    ];
    for (const [member, check, passing, failing] of turning) {
      const seen = [passing, failing].map((limits) =>
        foundIn(quoted("buy", quote("buy"), { limits }), check),
      );
      expect(
        seen.map(({ outcome }) => outcome),
        check,
      ).to.deep.equal(["pass", "fail"]);
      expect(
        seen.map(({ limit }) => limit),
        check,
      ).to.deep.equal([passing, failing].map((one) => String(one[member])));
    }
  });

  it("limits of an intent count no reference price that is older, where a fresher one would pass by itself", () => {
    const references = [
      ...facts().references,
      reading({ provider: "third", publishedAt: NOW - 50, confidence: null }),
    ];
    const found = (maxReferenceAgeSeconds: number) =>
      foundIn(
        quoted("buy", quote("buy"), { facts: facts({ references }), limits: { maxReferenceAgeSeconds } }),
        "limit-reference-age",
      );
    expect(found(50).outcome).to.equal("pass");
    expect(found(49)).to.include({ outcome: "fail", observed: "50" });
  });

  it("limits of an intent are unavailable without the facts that they need", () => {
    const limits = { maxPremiumBps: 10, maxImpactBps: 10, minAmountOutRaw: "1", maxReferenceAgeSeconds: 10 };
    const report = quoted("buy", null, { facts: facts({ references: [], quote: null }), limits });
    expect(report.findings.slice(-4).map(({ outcome }) => outcome)).to.deep.equal(
      Array(4).fill("unavailable"),
    );
  });

  it("limits of an intent are wider than a policy only beyond its bound", () => {
    const { definition } = policyById("STRICT_LIVE");
    const at = { maxPremiumBps: 100, maxImpactBps: 50, maxReferenceAgeSeconds: 60, minAmountOutRaw: "1" };
    expect(widerLimits(definition, at)).to.deep.equal([]);
    expect(widerLimits(definition, undefined)).to.deep.equal([]);
    expect(
      widerLimits(definition, { maxPremiumBps: 101, maxImpactBps: 51, maxReferenceAgeSeconds: 61 }),
    ).to.deep.equal([
      { name: "maxPremiumBps", bound: 100 },
      { name: "maxImpactBps", bound: 50 },
      { name: "maxReferenceAgeSeconds", bound: 60 },
    ]);
  });
});
