/** What a hint says of the way forward holds: who follows it passes that check with the same facts. */
import { expect } from "chai";
import fc from "fast-check";
import { hintsOf } from "../../../api/jobs/hints.ts";
import { CALENDAR_SOURCE, sessionAt } from "../../../attestor/calendar.ts";
import type { Finding } from "../../../attestor/checks/check.ts";
import type { Facts } from "../../../attestor/evidence/facts.ts";
import type { Limits } from "../../../attestor/intent.ts";
import { POLICIES, POLICY_VERSIONS, policyById } from "../../../attestor/policies/policy.ts";
import type { Report } from "../../../attestor/report.ts";
import {
  facts,
  judgement,
  NOW,
  quote,
  reading,
  reportOn,
  SIDES,
  type Side,
  token,
} from "../../attestor/fixtures.ts";
import { AMOUNT, pooledQuote, ROUTED } from "../../attestor/pools/pooledQuotes.ts";

type Asked = Parameters<typeof judgement>[0];

const foundIn = ({ findings }: Report, name: string): Finding =>
  findings.find(({ check }) => check === name)!;
const hintsIn = (report: Report) => hintsOf({ policies: POLICY_VERSIONS }, report);
const hintOf = (report: Report, name: string) => hintsIn(report).find(({ check }) => check === name)?.text;

/** Raw units of the amount that a hint names. */
const amountIn = (text: string): bigint | null => {
  const named = /\(([0-9]+) raw units\) passes this check/.exec(text);
  return named === null ? null : BigInt(named[1]!);
};
/** Unix seconds of the time that a hint names. */
const timeIn = (text: string): number => Date.parse(/[0-9-]{10}T[0-9:]{8}Z/.exec(text)![0]) / 1_000;
const policiesIn = (text: string): string[] =>
  /This check would pass under (.+)\.$/.exec(text)?.[1]?.split(" or ") ?? [];

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

const POLICY = fc.constantFrom(...POLICIES.values());
const SIDE = fc.constantFrom(...SIDES);

describe("the hints beside a report", () => {
  it("an amount that a hint names passes its check with the same facts, and one a little larger does not", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(
        ...([POLICY, SIDE, fc.constantFrom("uniswap-v2" as const, "uniswap-v3" as const)] as const),
        fc.integer({ min: 1, max: 60_000 }),
        fc.integer({ min: 1, max: 60 }),
        (policy, side, kind, thousandths, maxImpactBps) => {
          const whole = (AMOUNT[side] * BigInt(thousandths)) / 1_000n;
          const limits = { maxImpactBps: Math.min(maxImpactBps, policy.definition.maxImpactBps) };
          const at = (amount: bigint) => quoted(side, pooledQuote(kind, side, amount), { policy, limits });
          for (const { check, text } of hintsIn(at(whole))) {
            const most = amountIn(text);
            if (most === null) continue;
            seen.add(`${check} ${side}`);
            expect(foundIn(at(most), check).outcome, `${check} at ${most}`).to.equal("pass");
            // An impact is rounded: a limit of a few basis points is exceeded for good only a little further.
            const beyond = most + most / (check === "notional" ? 1_000_000n : 1_000n) + 1n;
            expect(foundIn(at(beyond), check).outcome, `${check} at ${beyond}`).to.equal("fail");
          }
        },
      ),
      { numRuns: 60 },
    );
    expect([...seen].sort()).to.deep.equal(
      ["impact", "notional"].flatMap((check) => SIDES.map((side) => `${check} ${side}`)).sort(),
    );
  });

  it("a hint names an amount in units with its symbol", () => {
    const report = quoted("buy", pooledQuote("uniswap-v2", "buy", 60_000_000_000n));
    expect(foundIn(report, "notional").message).to.equal(
      "The trade of 60000 USDT6 (60000000000 raw units) is worth 60000 USD; at most 50000 allowed.",
    );
    expect(hintOf(report, "notional")).to.equal(
      "At most 50000 USDT6 (50000000000 raw units) passes this check with the report's facts.",
    );
    const small = { ...quote("buy"), amountInRaw: "250", amountOutRaw: "0" };
    expect(foundIn(quoted("buy", small), "minimum-output").message).to.equal(
      "The quote pays 0 ACMEx (0 raw units), and the slippage may leave nothing of it.",
    );
  });

  it("a hint names no amount where the evidence does not have the pools", () => {
    const bare = quoted("sell", { ...quote("sell"), amountOutRaw: "90000000000" });
    for (const check of ["impact", "notional"]) {
      expect(foundIn(bare, check).outcome).to.not.equal("unavailable");
      const text = hintOf(bare, check);
      expect(text === undefined ? null : amountIn(text), check).to.equal(null);
    }
  });

  it("a session that a hint names is the first that the policy allows, by the calendar and by no other source", () => {
    fc.assert(
      fc.property(fc.integer({ min: NOW, max: NOW + 20_000_000 }), (capturedAt) => {
        const { state } = sessionAt(capturedAt);
        const closed = { source: CALENDAR_SOURCE, state } as const;
        const report = (session: Facts["session"]) =>
          reportOn(
            judgement({ capturedAt, policy: policyById("EXTENDED_HOURS"), facts: facts({ session }) }),
          );
        const text = hintOf(report(closed), "session");
        if (text === undefined) return;
        const from = timeIn(text);
        expect(["pre-market", "regular"]).to.include(sessionAt(from).state);
        for (let at = capturedAt; at < from; at = sessionAt(at).closesAt)
          expect(["overnight", "closed"]).to.include(sessionAt(at).state);
        expect(hintOf(report({ source: "feed", state }), "session")).to.match(/^Wait for a session/);
      }),
    );
  });

  it("a session that a hint names comes with its time, and with the policies that allow the one of now", () => {
    const session = { source: CALENDAR_SOURCE, state: "overnight" } as const;
    expect(hintOf(reportOn(judgement({ facts: facts({ session }) })), "session")).to.equal(
      "The regular session opens at 2026-09-22T13:30:00Z. This check would pass under LAST_CLOSE.",
    );
  });

  it("a time that a hint names after a change of the shares per token is the first second at which the check passes", () => {
    const effectiveAt = NOW + 90;
    const announced = token();
    announced.announcement!.change = { value: "12.5", effectiveAt };
    const at = (capturedAt: number) => {
      const chain = { ...facts().chain, blockTimestamp: capturedAt };
      const factor = { ...announced.factor!, receivedAt: capturedAt };
      return reportOn(judgement({ capturedAt, facts: facts({ chain, token: { ...announced, factor } }) }));
    };
    const from = timeIn(hintOf(at(NOW), "corporate-action")!);
    expect(foundIn(at(from - 1), "corporate-action").outcome).to.equal("fail");
    expect(foundIn(at(from), "corporate-action").outcome).to.equal("pass");
  });

  it("each finding that does not pass has a hint, and the policies that it names are those by which the same facts pass the check", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(
        ...([POLICY, SIDE, fc.integer({ min: 0, max: 600 }), fc.integer({ min: 0, max: 500 })] as const),
        ...([fc.integer({ min: 1, max: 400 }), fc.constantFrom("live" as const, "close" as const)] as const),
        fc.record({ price: fc.integer({ min: 185, max: 215 }), other: fc.integer({ min: 196, max: 203 }) }),
        fc.constantFrom("pre-market" as const, "regular" as const, "closed" as const),
        (policy, side, age, maxSlippageBps, times, kind, { price, other }, state) => {
          const publishedAt = NOW - age;
          const references = [
            reading({ kind, price: String(price), publishedAt }),
            reading({ provider: "finnhub", price: String(other), confidence: null }),
          ];
          const session = { source: "test", state };
          const of = pooledQuote("uniswap-v2", side, AMOUNT[side] * BigInt(times));
          const by = (one: typeof policy) => {
            const made = judgement({
              registry: ROUTED,
              side,
              policy: one,
              facts: facts({ references, session, quote: of }, side),
            });
            return reportOn({
              ...made,
              intent: { ...made.intent, amountInRaw: of.amountInRaw, maxSlippageBps },
            });
          };
          const reports = [...POLICIES.values()].map(by);
          const judged = reports.find(({ policyId }) => policyId === policy.definition.policyId)!;
          const failed = judged.findings.filter(({ outcome }) => outcome !== "pass");
          const hints = hintsIn(judged);
          expect(hints.map(({ check }) => check)).to.deep.equal(failed.map(({ check }) => check));
          for (const { check, text } of hints) {
            const passing = reports.filter((one) => foundIn(one, check).outcome === "pass");
            expect(policiesIn(text), check).to.deep.equal(passing.map(({ policyId }) => policyId));
            expect(text, check).to.not.match(/[{}]/);
            if (passing.length > 0) seen.add(check);
          }
        },
      ),
      { numRuns: 150 },
    );
    for (const check of [
      "session",
      "slippage",
      "notional",
      "premium",
      "impact",
      "reference-sources",
      "reference-age",
    ])
      expect([...seen]).to.include(check);
  });

  it("a report has no hint where it is allowed, or its policy is not the service's", () => {
    expect(hintsIn(quoted("buy", quote("buy")))).to.deep.equal([]);
    const denied = quoted("buy", pooledQuote("uniswap-v2", "buy", 60_000_000_000n));
    expect(hintsOf({ policies: [] }, denied)).to.deep.equal([]);
  });
});
