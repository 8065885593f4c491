/** Limits of an intent tighten its policy: they can only deny. */
import { expect } from "chai";
import fc from "fast-check";
import type { Limits } from "../../../attestor/intent.ts";
import { policyById } from "../../../attestor/policies/policy.ts";
import { tighten, widerLimits } from "../../../attestor/policies/tighten.ts";
import { bySecond, facts, judgement, NOW, references, reportOn } from "../fixtures.ts";

const { definition, definitionHash } = policyById("STRICT_LIVE");

/** The report on a sound buy with these limits. */
function limited(limits: Limits | undefined, given = facts()) {
  const { intent, ...rest } = judgement({ facts: given });
  return reportOn({ ...rest, intent: limits === undefined ? intent : { ...intent, limits } });
}

const foundIn = ({ findings }: ReturnType<typeof limited>, name: string) =>
  findings.find(({ check }) => check === name)!;

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

describe("a policy that an intent tightens", () => {
  it("has the tighter of both bounds, and is the policy itself without limits", () => {
    expect(tighten(definition, undefined)).to.equal(definition);
    const tightened = tighten(definition, {
      maxPremiumBps: -5,
      maxImpactBps: 49,
      maxReferenceAgeSeconds: 61,
    });
    expect(tightened).to.deep.equal({ ...definition, maxAdversePremiumBps: -5, maxImpactBps: 49 });
    expect(tighten(definition, { maxReferenceAgeSeconds: 59 }).reference.maxAgeSeconds).to.equal(59);
  });

  it("denies whatever the policy denies, and the report keeps the policy's own hash", () => {
    fc.assert(
      fc.property(LIMITS, fc.integer({ min: 190, max: 210 }), (limits, price) => {
        const given = facts({
          references: facts().references.map((one) => ({ ...one, price: String(price) })),
        });
        const [plain, tightened] = [limited(undefined, given), limited(limits, given)];
        const passing = ({ findings }: typeof plain) =>
          findings.filter(({ outcome }) => outcome === "pass").map(({ check }) => check);
        // Prices that are too old for the intent are no longer compared with the others, or asked how sure they are.
        const ofCounted = ["reference-agreement", "reference-confidence", "premium"];
        const more = passing(tightened).filter((check) => !passing(plain).includes(check));
        expect(more.filter((check) => !ofCounted.includes(check))).to.deep.equal([]);
        expect(tightened.policyHash).to.equal(definitionHash);
        expect(tightened.findings.map(({ check }) => check)).to.deep.equal(
          plain.findings.map(({ check }) => check),
        );
      }),
    );
  });

  it("passes exactly at what is observed, and says observed value and limit", () => {
    const { figures, quote } = limited(undefined).evidence;
    const paid = BigInt(quote!.amountOutRaw);
    const turning: [check: string, member: keyof Limits, last: number | string, first: number | string][] = [
      [
        "premium",
        "maxPremiumBps",
        Math.ceil(Number(figures.premiumBps)),
        Math.ceil(Number(figures.premiumBps)) - 1,
      ],
      [
        "impact",
        "maxImpactBps",
        Math.ceil(Number(figures.impactBps)),
        Math.ceil(Number(figures.impactBps)) - 1,
      ],
      ["minimum-output", "minAmountOutRaw", `${paid}`, `${paid + 1n}`],
      ["reference-age", "maxReferenceAgeSeconds", 10, 9],
    ];
    for (const [check, member, last, first] of turning) {
      const [passes, fails] = [last, first].map((limit) => foundIn(limited({ [member]: limit }), check));
      expect([passes!.outcome, fails!.outcome], check).to.deep.equal(["pass", "fail"]);
      expect([passes!.limit, fails!.limit], check).to.deep.equal([String(last), String(first)]);
    }
  });

  it("counts no price that is older than the intent lets it be", () => {
    const given = facts({
      references: [...references(), bySecond({ provider: "third", price: "210", publishedAt: NOW - 50 })],
    });
    const price = (maxReferenceAgeSeconds: number) =>
      limited({ maxReferenceAgeSeconds }, given).evidence.figures.referencePriceUsd;
    expect([price(50), price(49)]).to.deep.equal(["200.4", "200.2"]);
  });

  it("demands the greater of the intent's least output and what the slippage leaves", () => {
    const least = (limits?: Limits) => BigInt(limited(limits).evidence.figures.minAmountOutRaw!);
    const plain = least();
    expect(least({ minAmountOutRaw: `${plain - 1n}` })).to.equal(plain);
    expect(least({ minAmountOutRaw: `${plain + 1n}` })).to.equal(plain + 1n);
  });

  it("has limits that are wider than its bound only beyond it", () => {
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
