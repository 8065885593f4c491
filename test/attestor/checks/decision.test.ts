/** What a decision follows from: each fact that turns bad, and the checks that see it. */
import { expect } from "chai";
import fc from "fast-check";
import { CHECKS } from "../../../attestor/checks/checks.ts";
import type { Evidence } from "../../../attestor/evidence/evidence.ts";
import { POLICIES, policyById, policyOf } from "../../../attestor/policies/policy.ts";
import type { Report } from "../../../attestor/report.ts";
import { orElse } from "../../../attestor/values/orElse.ts";
import { BOUNDARIES, checkOf } from "../../../workshop/vectors/evidence/boundaries.ts";
import type { Draft } from "../../../workshop/vectors/evidence/judgements.ts";
import {
  addressFor,
  bySecond,
  dollars,
  facts,
  judgement,
  NOW,
  quote,
  reportOn,
  SIDES,
  type Side,
  signedReading,
  token,
  UNKNOWN_TOKEN,
  unsignedReferences,
} from "../fixtures.ts";

const NAMES = CHECKS.map(({ name }) => name);

const failure = (subject: Evidence["failures"][number]["subject"]): Evidence["failures"][number] => ({
  asset: "stock",
  source: "finnhub live ACME",
  subject,
  reason: "unreachable",
  at: NOW - 1,
  rawHash: null,
});

describe("a decision", () => {
  const failing = ({ findings }: Report) =>
    findings.filter(({ outcome }) => outcome !== "pass").map(({ check }) => check);

  it("a decision is ALLOW for sound facts, under every policy and on both sides", () => {
    for (const policy of POLICIES.values())
      for (const side of SIDES) {
        const report = reportOn(judgement({ policy, side }));
        expect(report.decision, JSON.stringify(failing(report))).to.equal("ALLOW");
      }
  });

  type Bad = (side: Side) => Partial<Parameters<typeof judgement>[0] & object>;
  const withFacts =
    (change: (side: Side) => Parameters<typeof facts>[0]): Bad =>
    (side) => ({ facts: facts(change(side), side) });
  const withQuote = (change: (sound: ReturnType<typeof quote>) => Partial<ReturnType<typeof quote>>): Bad =>
    withFacts((side) => ({ quote: { ...quote(side), ...change(quote(side)) } }));
  const withGuard = (change: Partial<Evidence["guard"]>): Bad =>
    withFacts(() => ({ guard: { ...facts().guard, ...change } }));
  const withLiquidity = (change: Partial<NonNullable<Evidence["liquidity"]>>): Bad =>
    withFacts(() => ({ liquidity: { ...facts().liquidity!, ...change } }));
  const withReferences = (...list: Evidence["references"]): Bad => withFacts(() => ({ references: list }));
  const atBlockTime = (blockTimestamp: number): Bad =>
    withFacts(() => ({ chain: { ...facts().chain, blockTimestamp } }));
  const withSlippage =
    (maxSlippageBps: number): Bad =>
    (side) => ({ intent: { ...judgement({ side }).intent, maxSlippageBps } });
  const second = bySecond;
  const times = (raw: string, percent: bigint) => ((BigInt(raw) * percent) / 100n).toString();
  const split = token("1.25", { value: "12.5", effectiveAt: NOW + 1_800 });
  const halted = { ...token(), halts: [{ ...token().halts[0]!, halted: true }] };
  const OF_REFERENCES = ["reference-sources", "reference-age", "reference-agreement", "reference-confidence"];

  /** One fact of the outside world turned bad, and the checks that must see it. */
  const bad: Record<string, [bend: Bad, ...seen: string[]]> = {
    "a closed market": [withFacts(() => ({ session: { source: "test", state: "closed" } })), "session"],
    "an unknown session": [withFacts(() => ({ session: null })), "session"],
    "a halted token": [withFacts(() => ({ token: halted })), "trading-halt"],
    "an unknown token": [
      withFacts(() => ({ token: UNKNOWN_TOKEN })),
      ...["trading-halt", "corporate-action", "premium"],
    ],
    "a split within the hour": [withFacts(() => ({ token: split })), "corporate-action"],
    // To the side on which it makes the stock token no dearer to the trader.
    "a dollar token off its peg": [
      withFacts((side) => ({ settlement: dollars(side === "buy" ? "0.97" : "1.03") })),
      "settlement-peg",
    ],
    "no reference": [withReferences(), ...OF_REFERENCES, "premium", "signed-references"],
    "a single reference": [withReferences(signedReading({ price: "200.2" })), "reference-sources"],
    "stale references": [
      withReferences(signedReading({ publishedAt: NOW - 61 }), second({ publishedAt: NOW - 61 })),
      "reference-age",
    ],
    "one stale reference of two": [
      withReferences(signedReading(), second({ publishedAt: NOW - 61 })),
      "reference-age",
    ],
    "references that disagree": [
      withReferences(signedReading({ price: "199.5" }), second({ price: "200.6" })),
      "reference-agreement",
    ],
    "an unsure reference": [
      withReferences(signedReading({ confidence: "1.1" }), second({})),
      "reference-confidence",
    ],
    "sources that failed": [
      withFacts(() => ({
        failures: ["one", "two", "three"].map((source) => ({ ...failure("price"), source })),
      })),
      "failed-sources",
    ],
    "a source of halts that failed": [withFacts(() => ({ failures: [failure("halt")] })), "trading-halt"],
    "prices that nobody signed": [withReferences(...unsignedReferences()), "signed-references"],
    "no route": [
      withFacts(() => ({ quote: null })),
      ...["premium", "route", "impact", "minimum-output", "quote-proof"],
    ],
    "a route off the list": [withGuard({ routeAllowed: false }), "route"],
    "a thin pool": [withQuote(({ amountOutRaw }) => ({ amountOutRaw: times(amountOutRaw, 99n) })), "impact"],
    "a price against the trader": [
      withQuote(({ amountOutRaw, referenceAmountOutRaw }) => ({
        amountOutRaw: times(amountOutRaw, 97n),
        referenceAmountOutRaw: times(referenceAmountOutRaw, 97n),
      })),
      "premium",
    ],
    "more slippage than the policy has": [withSlippage(101), "slippage"],
    "slippage of everything": [withSlippage(10_000), "minimum-output", "slippage"],
    "too large a trade": [
      withQuote(({ amountInRaw, amountOutRaw }) => ({
        amountInRaw: times(amountInRaw, 5_100n),
        amountOutRaw: times(amountOutRaw, 5_100n),
      })),
      "notional",
    ],
    "a low grade": [withLiquidity({ grade: "C" }), "liquidity-grade"],
    "no grade": [withLiquidity({ grade: null }), "liquidity-grade"],
    "too few samples": [withLiquidity({ sampleN: 2 }), "liquidity-samples"],
    "unknown liquidity": [withFacts(() => ({ liquidity: null })), "liquidity-grade", "liquidity-samples"],
    "a chain that stopped": [atBlockTime(NOW - 61), "quote-age"],
    "a chain whose clock runs ahead": [atBlockTime(NOW + 61), "quote-age"],
    "a recipient off the list": [withGuard({ recipientAllowed: false }), "recipient"],
    "a paused guard": [withGuard({ paused: true }), "guard-active"],
    "a rotated signer": [withGuard({ signer: addressFor("new signer") }), "guard-signer"],
  };

  for (const [name, [bend, ...seen]] of Object.entries(bad))
    it(`a decision is DENY for ${name}, by the checks that are about it and no other`, () => {
      for (const side of SIDES) {
        const report = reportOn(judgement({ side, ...bend(side) }));
        expect(report.decision).to.equal("DENY");
        // To sell without a route leaves the value unknown too.
        const alsoSeen = name === "no route" && side === "sell" ? ["notional"] : [];
        expect(failing(report)).to.have.members([...seen, ...alsoSeen]);
      }
    });

  it("a decision is seen by every check in one of these cases", () => {
    expect([...new Set(Object.values(bad).flatMap(([, ...seen]) => seen))].sort()).to.deep.equal(
      [...NAMES].sort(),
    );
  });

  it("a decision is DENY for a policy of one's own that demands more signed prices or a proved quote, and gets neither", () => {
    for (const [demand, check] of [
      [{ minSignedReferences: 2, maxFailedSources: 0, quoteProof: "preferred" }, "signed-references"],
      [{ minSignedReferences: 0, maxFailedSources: 0, quoteProof: "required" }, "quote-proof"],
    ] as const) {
      const policy = policyOf("", { ...policyById("STRICT_LIVE").definition, evidence: demand });
      expect(failing(reportOn(judgement({ policy })))).to.deep.equal([check]);
    }
  });

  it("a decision is ALLOW exactly where every check passes, in any combination of boundaries", () => {
    const bend = fc.record({
      name: fc.constantFrom(...Object.keys(BOUNDARIES)),
      aim: fc.constantFrom("pass" as const, "fail" as const),
    });
    const seen = new Set<string>();
    fc.assert(
      fc.property(
        fc.constantFrom(...POLICIES.values()),
        fc.constantFrom(...SIDES),
        fc.array(bend, { maxLength: 3 }),
        (policy, side, bends) => {
          let draft: Draft = { ...judgement({ policy, side }), side };
          const done = bends.filter(({ name, aim }) => {
            const [bent] = BOUNDARIES[name]!(draft)[aim];
            draft = bent ?? draft;
            return bent !== undefined;
          });
          // Two bends of one fact may fit no intent.
          const report = orElse(() => reportOn(draft), null);
          if (report === null) return;
          const outcomes = new Map(report.findings.map(({ check, outcome }) => [check, outcome]));
          const isAllowed = [...outcomes.values()].every((outcome) => outcome === "pass");
          expect(report.decision).to.equal(isAllowed ? "ALLOW" : "DENY");
          seen.add(report.decision);
          const last = done.at(-1);
          if (last?.aim === "fail" && done.length === bends.length)
            expect(outcomes.get(checkOf(last.name)), last.name).to.not.equal("pass");
        },
      ),
    );
    expect([...seen]).to.have.members(["ALLOW", "DENY"]);
  });
});
