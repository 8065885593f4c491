/** What a finding that does not pass says of the way forward holds: who follows it passes that check with the same facts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { CALENDAR_SOURCE, sessionAt } from "../../../attestor/calendar.ts";
import type { Finding } from "../../../attestor/checks/check.ts";
import { widerLimits } from "../../../attestor/checks/limits.ts";
import type { Facts } from "../../../attestor/evidence/facts.ts";
import type { Limits } from "../../../attestor/intent.ts";
import { POLICIES, policyById } from "../../../attestor/policies/policy.ts";
import SENTENCES from "../../../attestor/policies/remedies.json" with { type: "json" };
import type { Report } from "../../../attestor/report.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import {
  copy,
  facts,
  judgement,
  NOW,
  named,
  quote,
  reading,
  reportOn,
  SIDES,
  type Side,
  token,
} from "../fixtures.ts";
import { AMOUNT, pooledQuote, ROUTED } from "../pools/pooledQuotes.ts";

type Asked = Parameters<typeof judgement>[0];

const foundIn = ({ findings }: Report, name: string): Finding =>
  findings.find(({ check }) => check === name)!;
const remedyOf = (report: Report, name: string) => foundIn(report, name).remedy;

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

describe("the remedy of a finding", () => {
  it("an amount that a remedy names passes its check with the same facts, and one a little larger does not", () => {
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
          for (const { check, remedy } of at(whole).findings) {
            if (remedy?.amountInRaw === undefined) continue;
            seen.add(`${check} ${side}`);
            const most = BigInt(remedy.amountInRaw);
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
      ["impact", "limit-impact", "notional"]
        .flatMap((check) => SIDES.map((side) => `${check} ${side}`))
        .sort(),
    );
  });

  it("the remedy of a finding names an amount in units with its symbol", () => {
    const { remedy, message } = foundIn(
      quoted("buy", pooledQuote("uniswap-v2", "buy", 60_000_000_000n)),
      "notional",
    );
    expect(message).to.equal(
      "The trade of 60000 USDT6 (60000000000 raw units) is worth 60000 USD; at most 50000 allowed.",
    );
    expect(remedy).to.deep.equal({
      amountInRaw: "50000000000",
      message: "At most 50000 USDT6 (50000000000 raw units) passes this check now.",
    });
    const small = { ...quote("buy"), amountInRaw: "250", amountOutRaw: "0" };
    expect(foundIn(quoted("buy", small), "minimum-output").message).to.equal(
      "For 0.00025 USDT6 (250 raw units) the recipient gets at least 0 ACMEx (0 raw units); at least 1 raw unit is needed.",
    );
  });

  it("the remedy of a finding names no amount where the evidence does not have the pools, or the quote does not follow from them", () => {
    const bare = quoted("sell", { ...quote("sell"), amountOutRaw: "90000000000" });
    for (const check of ["impact", "notional"]) {
      expect(foundIn(bare, check).outcome).to.not.equal("unavailable");
      expect(remedyOf(bare, check)?.amountInRaw, check).to.equal(undefined);
    }
    const forged = pooledQuote("uniswap-v2", "buy", AMOUNT.buy * 20n);
    forged.referenceAmountOutRaw = `${forged.referenceAmountOutRaw}0`;
    expect(remedyOf(quoted("buy", forged), "impact")).to.have.all.keys("message");
  });

  it("a session that a remedy names is the first that the policy allows, by the calendar and by no other source", () => {
    fc.assert(
      fc.property(fc.integer({ min: NOW, max: NOW + 20_000_000 }), (capturedAt) => {
        const { state } = sessionAt(capturedAt);
        const closed = { source: CALENDAR_SOURCE, state } as const;
        const report = (session: Facts["session"]) =>
          reportOn(
            judgement({ capturedAt, policy: policyById("EXTENDED_HOURS"), facts: facts({ session }) }),
          );
        const { outcome, remedy } = foundIn(report(closed), "session");
        if (outcome === "pass") return;
        const { from } = remedy!;
        expect(["pre-market", "regular"]).to.include(sessionAt(from!).state);
        for (let at = capturedAt; at < from!; at = sessionAt(at).closesAt)
          expect(["overnight", "closed"]).to.include(sessionAt(at).state);
        expect(remedyOf(report({ source: "feed", state }), "session")).to.not.have.property("from");
      }),
    );
  });

  it("a session that a remedy names comes with its time, and with the policies that allow the one of now", () => {
    const session = { source: CALENDAR_SOURCE, state: "overnight" } as const;
    expect(remedyOf(reportOn(judgement({ facts: facts({ session }) })), "session")).to.deep.equal({
      from: 1_790_083_800,
      policyIds: ["LAST_CLOSE"],
      message: "The regular session opens at 2026-09-22T13:30:00Z. This check would pass under LAST_CLOSE.",
    });
  });

  it("a time that a remedy names after a change of the shares per token is the first second at which the check passes", () => {
    const effectiveAt = NOW + 90;
    const announced = token();
    announced.announcement!.change = { value: "12.5", effectiveAt };
    const at = (capturedAt: number) => {
      const chain = { ...facts().chain, blockTimestamp: capturedAt };
      const factor = { ...announced.factor!, receivedAt: capturedAt };
      return reportOn(judgement({ capturedAt, facts: facts({ chain, token: { ...announced, factor } }) }));
    };
    const { from } = remedyOf(at(NOW), "corporate-action")!;
    expect(foundIn(at(from! - 1), "corporate-action").outcome).to.equal("fail");
    expect(foundIn(at(from!), "corporate-action").outcome).to.equal("pass");
  });

  it("the policies that a remedy names are those by which the same facts pass the check", () => {
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
          for (const { check, outcome, remedy } of judged.findings) {
            expect(remedy === undefined, check).to.equal(outcome === "pass");
            if (remedy === undefined) continue;
            const passing = reports.filter((one) => foundIn(one, check).outcome === "pass");
            expect(remedy.policyIds ?? [], check).to.deep.equal(passing.map(({ policyId }) => policyId));
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

  it("the remedy of a finding has the sentences that docs/spec/verification.md lists", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/spec/verification.md"), "utf8");
    const places = { limit: "{l}", symbol: "s", settlement: "d", recipient: "<recipientAddress>" };
    for (const [check, { fail, unavailable = null }] of Object.entries<Record<string, string>>(SENTENCES)) {
      const [cell, other] = [unavailable, fail].map((text) =>
        text == null ? "" : `\`${text.replace(/\{(\w+)\}/g, (_, name) => places[name as "limit"])}\``,
      );
      expect(page, check).to.include(`| \`${check}\` | ${cell} | ${other} |`);
    }
  });

  it("the remedy of a finding is judged again: another word or amount makes the report INVALID", () => {
    const report = quoted("buy", pooledQuote("uniswap-v2", "buy", 60_000_000_000n));
    expect(named(verifyReport(report, { registry: ROUTED }), "wrong")).to.deep.equal([]);
    const at = report.findings.findIndex(({ check }) => check === "notional");
    for (const bend of [
      (remedy: any) => (remedy.amountInRaw = "50000000001"),
      (remedy: any) => (remedy.message += " Or more."),
      (remedy: any) => (remedy.policyIds = ["LAST_CLOSE"]),
    ]) {
      const forged = copy(report);
      bend(forged.findings[at].remedy);
      expect(named(verifyReport(forged, { registry: ROUTED }), "wrong")).to.deep.equal(["judgement"]);
    }
    const without = copy(report);
    delete without.findings[at].remedy;
    expect(named(verifyReport(without, { registry: ROUTED }), "wrong")).to.deep.equal(["judgement"]);
  });
});

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
      expect(seen[1]!.remedy!.message).to.include(check === "limit-impact" ? "" : member);
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
