/** Each check on its boundary, and without the fact that it needs. */
import { expect } from "chai";
import { CHECKS } from "../../../attestor/checks/checks.ts";
import type { Evidence } from "../../../attestor/evidence/evidence.ts";
import { POLICIES, type Policy, policyById, policyOf } from "../../../attestor/policies/policy.ts";
import { BOUNDARIES, checkOf } from "../../../workshop/vectors/evidence/boundaries.ts";
import {
  dollars,
  facts,
  judgement,
  NOW,
  reading,
  references,
  reportOn,
  SIDES,
  type Side,
} from "../fixtures.ts";

const strict = policyById("STRICT_LIVE");
/** Policies of which one or another can be brought to each side of every boundary. */
const DEMANDING = policyOf("It demands a proof of the quote.", {
  ...strict.definition,
  evidence: { ...strict.definition.evidence, quoteProof: "required" },
});
const ALL = [...POLICIES.values(), DEMANDING];

const SOUND = new Map(
  ALL.flatMap((policy) =>
    SIDES.map((side) => [`${policy.definitionHash} ${side}`, judgement({ policy, side })]),
  ),
);
/** A sound judgement, which bends leave as it is. */
const sound = (policy: Policy, side: Side) => SOUND.get(`${policy.definitionHash} ${side}`)!;

/** The finding of a check on sound evidence, bent. */
function finding(name: string, policy: Policy, side: Side, bend: (evidence: Evidence) => void) {
  const { evidence } = structuredClone(reportOn(sound(policy, side)));
  bend(evidence);
  const check = CHECKS.find((one) => one.name === name)!;
  return { check: name, ...check.judge(policy.definition, evidence) };
}

describe("checks", () => {
  it("have names of their own, and a boundary each", () => {
    const names = CHECKS.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    expect(Object.keys(BOUNDARIES)).to.include.members(names);
  });

  for (const [name, boundary] of Object.entries(BOUNDARIES))
    it(`pass at the limit and fail one step past it: ${name}`, () => {
      const seen = new Set<string>();
      for (const policy of ALL)
        for (const side of SIDES)
          for (const aim of ["pass", "fail"] as const)
            for (const [number, draft] of boundary({ ...sound(policy, side), side })[aim].entries()) {
              seen.add(aim);
              const found = reportOn(draft).findings.find(({ check }) => check === checkOf(name))!;
              const where = `${aim} ${number} of a ${side} by ${policy.definition.policyId}`;
              expect(found.outcome, where).to.equal(aim);
              expect(found.observed, where).to.be.a("string");
              expect(found.message, where).to.match(/^[A-Z0-9].*\.$/);
            }
      expect([...seen]).to.have.members(["pass", "fail"]);
    });

  /** Takes the fact away that each of these checks needs. */
  const GONE: [bend: (evidence: Evidence, policy: Policy) => void, ...checks: string[]][] = [
    [(evidence) => (evidence.session = null), "session"],
    [(evidence) => (evidence.token.halts = []), "trading-halt"],
    [
      (evidence) => (evidence.references = []),
      "reference-age",
      "reference-agreement",
      "reference-confidence",
    ],
    [(evidence) => (evidence.quote = null), "route", "minimum-output", "quote-proof"],
    [(evidence) => (evidence.figures.premiumBps = null), "premium"],
    [(evidence) => (evidence.figures.impactBps = null), "impact"],
    [(evidence) => (evidence.figures.notionalUsd = null), "notional"],
    [(evidence) => (evidence.liquidity = null), "liquidity-grade", "liquidity-samples"],
    [
      (evidence, { definition }) => {
        evidence.settlement = dollars("1", NOW - definition.settlement.maxAgeSeconds - 1);
      },
      "settlement-peg",
    ],
  ];
  for (const [bend, ...names] of GONE)
    it(`are unavailable without their fact: ${names.join(", ")}`, () => {
      for (const name of names)
        for (const policy of ALL)
          for (const side of SIDES) {
            const found = finding(name, policy, side, (evidence) => bend(evidence, policy));
            expect(found).to.include({ check: name, outcome: "unavailable", observed: null });
            expect(found.limit).to.be.a("string");
          }
    });

  it("see a premium against the trader alone: a cheap token is no fault to a buyer, nor a dear one to a seller", () => {
    const strict = policyById("STRICT_LIVE");
    const observed = (side: Side, premiumBps: string) =>
      finding("premium", strict, side, (evidence) => {
        evidence.figures.premiumBps = premiumBps;
      });
    expect(observed("buy", "-900")).to.include({ outcome: "pass", observed: "-900" });
    expect(observed("buy", "900")).to.include({ outcome: "fail", observed: "900" });
    expect(observed("sell", "900")).to.include({ outcome: "pass", observed: "-900" });
    expect(observed("sell", "-900")).to.include({ outcome: "fail", observed: "900" });
    expect(observed("sell", "0")).to.include({ outcome: "pass", observed: "0" });
  });

  it("checks do not take two readings of one provider for two sources", () => {
    const found = finding("reference-sources", policyById("STRICT_LIVE"), "buy", (evidence) => {
      evidence.references = [reading(), reading({ publishedAt: NOW - 1, price: "200.1" })];
    });
    expect(found).to.include({ outcome: "fail", observed: "1", limit: "2" });
  });

  it("checks do not take a reading from the future for a fresh one", () => {
    const found = finding("reference-age", policyById("EXTENDED_HOURS"), "buy", (evidence) => {
      evidence.references = [reading({ publishedAt: NOW + 6 })];
    });
    expect(found).to.include({ outcome: "fail", observed: "-6" });
    expect(found.message).to.contain("6 s ahead of the clock");
  });

  it("ask what is announced where the policy says so, and tell where nobody says it", () => {
    const unsaid = (policyId: string) =>
      finding("corporate-action", policyById(policyId), "buy", (evidence) => {
        evidence.token.announcement = null;
      });
    expect(unsaid("STRICT_LIVE").outcome).to.equal("unavailable");
    expect(unsaid("EXTENDED_HOURS").outcome).to.equal("unavailable");
    expect(unsaid("LAST_CLOSE")).to.include({ outcome: "pass", observed: "nobody says" });
  });

  it("keep the same distance to a change of the shares that was made", () => {
    const ago = (seconds: number) =>
      finding("corporate-action", policyById("STRICT_LIVE"), "buy", (evidence) => {
        evidence.token.announcement!.change = { value: "12.5", effectiveAt: NOW - seconds };
      });
    expect(ago(3_600)).to.include({ outcome: "fail", observed: "-3600" });
    expect(ago(3_601).outcome).to.equal("pass");
    expect(ago(0).message).to.contain("takes effect in 0 s");
  });

  it("see a dollar token off its peg either way, by the source that is farthest off", () => {
    const peg = (...prices: string[]) =>
      finding("settlement-peg", policyById("STRICT_LIVE"), "buy", (evidence) => {
        evidence.settlement = prices.map((price, index) => reading({ provider: `source ${index}`, price }));
      });
    expect(peg("1", "1")).to.include({ outcome: "pass", observed: "0" });
    expect(peg("0.97", "0.97")).to.include({ outcome: "fail", observed: "-300" });
    expect(peg("1", "1.0101")).to.include({ outcome: "fail", observed: "101" });
    expect(peg("1").outcome).to.equal("unavailable");
  });

  it("judge by running prices or by the last close, as the policy says, never by the other", () => {
    const decision = (policyId: string, list: Evidence["references"]) =>
      reportOn(judgement({ policy: policyById(policyId), facts: facts({ references: list }) })).decision;
    const live = references().filter(({ kind }) => kind === "live");
    const close = references().filter(({ kind }) => kind === "close");
    expect([decision("STRICT_LIVE", live), decision("STRICT_LIVE", close)]).to.deep.equal(["ALLOW", "DENY"]);
    expect([decision("LAST_CLOSE", live), decision("LAST_CLOSE", close)]).to.deep.equal(["DENY", "ALLOW"]);
  });
});
