import { expect } from "chai";
import { id } from "ethers";
import fc from "fast-check";
import { CHECKS } from "../../attestor/checks/checks.ts";
import type { Evidence } from "../../attestor/evidence/evidence.ts";
import {
  POLICIES,
  type Policy,
  type PolicyDefinition,
  policyById,
  policyOf,
  SESSIONS,
} from "../../attestor/policies/policy.ts";
import { tighten } from "../../attestor/policies/tighten.ts";
import type { Report } from "../../attestor/report.ts";
import {
  addressFor,
  bySecond,
  dollars,
  facts,
  judgement,
  NOW,
  quote,
  reading,
  references,
  reportOn,
  SIDES,
  type Side,
  signedReading,
  token,
  UNKNOWN_TOKEN,
  unsignedReferences,
} from "./fixtures.ts";

/** Bends evidence to a limit of its policy. */
type Bend = (evidence: Evidence, policy: PolicyDefinition, side: Side) => void;

interface Rule {
  /** Right at the limit. */
  readonly passes: Bend;
  /** One step past it. */
  readonly fails: Bend;
  /** A fact that the check needs is missing; none for checks whose facts are always there. */
  readonly unavailable?: Bend;
  readonly observed?: { passes: string; fails: string };
}

/** A figure in the unit of a limit, exactly on it and the smallest step past it. */
const on = (limit: number | string) => String(limit);
const past = (limit: number | string) => `${limit}.0001`;
const adverse = (side: Side, bps: string) => (side === "buy" ? bps : `-${bps}`);

/** Fresh readings of the policy's kind at these ages in seconds, of one provider each. */
function aged({ reference }: PolicyDefinition, ...ages: number[]): Evidence["references"] {
  return ages.map((age, index) =>
    reading({ kind: reference.kind, provider: `source ${index}`, publishedAt: NOW - age }),
  );
}

/** As many readings as the policy needs at least one of, the last one bent. */
function sources(
  policy: PolicyDefinition,
  last: Partial<Evidence["references"][number]>,
): Evidence["references"] {
  const list = aged(policy, ...Array(Math.max(2, policy.reference.minSources)).fill(0));
  return list.map((entry, index) => (index === list.length - 1 ? { ...entry, ...last } : entry));
}

/** A change of the shares per token in so many seconds. */
function announce(evidence: Evidence, seconds: number): void {
  evidence.token.announcement!.change = { value: "12.5", effectiveAt: NOW + seconds };
}

type FigureAt = (policy: PolicyDefinition, side: Side) => string | null;

function figure(name: keyof Evidence["figures"], at: FigureAt, beyond: FigureAt): Rule {
  const set =
    (value: FigureAt): Bend =>
    ({ figures }, policy, side) => {
      figures[name] = value(policy, side);
    };
  return { passes: set(at), fails: set(beyond), unavailable: set(() => null) };
}

const POOL = {
  kind: "uniswap-v2" as const,
  address: addressFor("pair"),
  token0: addressFor("token 0"),
  token1: addressFor("token 1"),
  feeBps: 30,
  reserve0: "1",
  reserve1: "1",
};

const RULES: Record<string, Rule> = {
  session: {
    passes: (evidence, { allowedSessions }) =>
      (evidence.session = { source: "test", state: allowedSessions.at(-1)! }),
    fails: (evidence, policy) => {
      // Every session is allowed by LAST_CLOSE; a feed that says something else is not.
      const other =
        SESSIONS.find((state) => !policy.allowedSessions.includes(state)) ?? ("holiday" as "closed");
      evidence.session = { source: "test", state: other };
    },
    unavailable: (evidence) => (evidence.session = null),
  },
  "trading-halt": {
    passes: () => {},
    fails: (evidence) => {
      evidence.token.halts.push({ ...evidence.token.halts[0]!, provider: "another", halted: true });
    },
    unavailable: (evidence) => (evidence.token.halts = []),
  },
  "corporate-action": {
    passes: (evidence, { certificateLifetimeSeconds, corporateAction }) =>
      announce(evidence, certificateLifetimeSeconds + corporateAction.marginSeconds + 1),
    fails: (evidence, { certificateLifetimeSeconds, corporateAction }) =>
      announce(evidence, certificateLifetimeSeconds + corporateAction.marginSeconds),
  },
  "settlement-peg": {
    passes: (evidence, { settlement }) => {
      evidence.settlement = dollars(String(1 - settlement.maxDeviationBps / 10_000));
    },
    fails: (evidence, { settlement }) => {
      evidence.settlement = dollars((1 - (settlement.maxDeviationBps + 0.0001) / 10_000).toFixed(8));
    },
    unavailable: (evidence, { settlement }) => {
      evidence.settlement = dollars("1", NOW - settlement.maxAgeSeconds - 1);
    },
  },
  "reference-sources": {
    passes: (evidence, policy) => {
      evidence.references = aged(policy, ...Array(policy.reference.minSources).fill(0));
    },
    fails: (evidence, policy) => {
      evidence.references = aged(policy, ...Array(policy.reference.minSources - 1).fill(0));
    },
  },
  "reference-age": {
    passes: (evidence, policy) => {
      const { minSources, maxAgeSeconds } = policy.reference;
      evidence.references = aged(policy, ...Array(minSources).fill(maxAgeSeconds), 1e6);
    },
    fails: (evidence, policy) => {
      const { minSources, maxAgeSeconds } = policy.reference;
      evidence.references = aged(policy, ...Array(minSources - 1).fill(0), maxAgeSeconds + 1);
    },
    unavailable: (evidence) => (evidence.references = []),
  },
  "reference-agreement": {
    passes: (evidence, policy) => {
      const price = (200 + (200 * policy.reference.maxDisagreementBps) / 10_000).toFixed(6);
      evidence.references = sources(policy, { price });
    },
    fails: (evidence, policy) => {
      const price = (200 + (200 * (policy.reference.maxDisagreementBps + 0.0001)) / 10_000).toFixed(6);
      evidence.references = sources(policy, { price });
    },
    unavailable: (evidence) => (evidence.references = []),
  },
  "reference-confidence": {
    passes: (evidence, policy) => {
      evidence.references = sources(policy, {
        confidence: ((200 * policy.reference.maxConfidenceBps) / 10_000).toFixed(6),
      });
    },
    fails: (evidence, policy) => {
      const confidence = ((200 * (policy.reference.maxConfidenceBps + 0.0001)) / 10_000).toFixed(6);
      evidence.references = sources(policy, { confidence });
    },
    unavailable: (evidence) => (evidence.references = []),
  },
  premium: figure(
    "premiumBps",
    (policy, side) => adverse(side, on(policy.maxAdversePremiumBps)),
    (policy, side) => adverse(side, past(policy.maxAdversePremiumBps)),
  ),
  route: {
    passes: () => {},
    fails: (evidence) => (evidence.guard.routeAllowed = false),
    unavailable: (evidence) => (evidence.quote = null),
  },
  impact: figure(
    "impactBps",
    (policy) => on(policy.maxImpactBps),
    (policy) => past(policy.maxImpactBps),
  ),
  "minimum-output": figure(
    "minAmountOutRaw",
    () => "1",
    () => "0",
  ),
  slippage: {
    passes: (evidence, policy) => (evidence.intent.maxSlippageBps = policy.maxSlippageBps),
    fails: (evidence, policy) => (evidence.intent.maxSlippageBps = policy.maxSlippageBps + 1),
  },
  notional: figure(
    "notionalUsd",
    (policy) => on(policy.notionalCapUsd),
    (policy) => `${policy.notionalCapUsd}.00000001`,
  ),
  "liquidity-grade": {
    passes: (evidence, policy) => (evidence.liquidity!.grade = policy.lowestGrade),
    fails: (evidence, policy) => (evidence.liquidity!.grade = policy.lowestGrade === "B" ? "C" : "D"),
    unavailable: (evidence) => (evidence.liquidity!.grade = null),
  },
  "liquidity-samples": {
    passes: (evidence, policy) => (evidence.liquidity!.sampleN = policy.minLiquiditySamples),
    fails: (evidence, policy) => (evidence.liquidity!.sampleN = policy.minLiquiditySamples - 1),
    unavailable: (evidence) => (evidence.liquidity = null),
  },
  "quote-age": {
    passes: (evidence, policy) => {
      evidence.chain.blockTimestamp = evidence.capturedAt - policy.maxQuoteAgeSeconds;
    },
    fails: (evidence, policy) => {
      evidence.chain.blockTimestamp = evidence.capturedAt - policy.maxQuoteAgeSeconds - 1;
    },
  },
  recipient: {
    passes: (evidence) => (evidence.intent.recipientAddress = addressFor("an allowed recipient")),
    fails: (evidence) => (evidence.guard.recipientAllowed = false),
  },
  "guard-active": {
    passes: () => {},
    fails: (evidence) => (evidence.guard.paused = true),
  },
  "guard-signer": {
    passes: () => {},
    fails: (evidence) => (evidence.guard.signer = addressFor("another signer")),
  },
  "signed-references": {
    // Nobody signs an official close.
    passes: (_, policy) => (policy.evidence!.minSignedReferences = policy.reference.kind === "live" ? 1 : 0),
    fails: ({ references }, policy) => {
      policy.evidence!.minSignedReferences = 1;
      for (const reference of references) Object.assign(reference, { proof: null, signer: null });
    },
    observed: { passes: "1", fails: "0" },
  },
  "failed-sources": {
    passes: (evidence, policy) => {
      policy.evidence!.maxFailedSources = 1;
      evidence.failures = [failure("price"), failure("announcement")];
    },
    fails: (evidence, policy) => {
      policy.evidence!.maxFailedSources = 1;
      evidence.failures = [failure("price"), { ...failure("price"), asset: "settlement" }];
    },
    observed: { passes: "1", fails: "2" },
  },
  "quote-proof": {
    passes: (evidence, policy) => {
      policy.evidence!.quoteProof = "required";
      evidence.quote!.pools = [POOL];
      evidence.proofs = { format: "assay.proofs/1", hash: id("proofs") };
    },
    fails: (evidence, policy) => {
      policy.evidence!.quoteProof = "required";
      evidence.quote!.pools = [POOL];
      evidence.proofs = null;
    },
    unavailable: (evidence) => (evidence.quote = null),
    observed: { passes: "proved", fails: "observed" },
  },
};

const failure = (subject: Evidence["failures"][number]["subject"]): Evidence["failures"][number] => ({
  asset: "stock",
  source: "finnhub live ACME",
  subject,
  reason: "unreachable",
  at: NOW - 1,
  rawHash: null,
});

const NAMES = reportOn(judgement()).findings.map(({ check }) => check);

const judgeBy = (name: string, definition: PolicyDefinition, evidence: Evidence) =>
  CHECKS.find((check) => check.name === name)!.judge(tighten(definition, evidence.intent.limits), evidence);

function finding(name: string, policy: Policy, side: Side, bend: Bend) {
  const evidence = reportOn(judgement({ policy, side })).evidence;
  const definition = structuredClone(policy.definition);
  bend(evidence, definition, side);
  return {
    check: name,
    ...judgeBy(name, definition, evidence),
  };
}

describe("checks", () => {
  it("each have a name of their own and a rule in this test", () => {
    expect(new Set(NAMES).size).to.equal(CHECKS.length);
    expect([...NAMES].sort()).to.deep.equal(Object.keys(RULES).sort());
  });

  for (const [name, { passes, fails, unavailable }] of Object.entries(RULES))
    describe(name, () => {
      for (const policy of POLICIES.values())
        for (const side of SIDES) {
          const where = `under ${policy.definition.policyId}, when one would ${side}`;

          it(`passes ${name} at its limit ${where}`, () => {
            expect(finding(name, policy, side, passes)).to.include({ check: name, outcome: "pass" });
          });

          it(`fails one step past it ${where}`, () => {
            const found = finding(name, policy, side, fails);
            expect(found).to.include({ check: name, outcome: "fail" });
            expect(found.observed).to.be.a("string").and.not.equal(found.limit);
            expect(found.message).to.match(/^[A-Z0-9].*\.$/);
          });

          if (unavailable !== undefined)
            it(`is unavailable without its fact ${where}`, () => {
              const found = finding(name, policy, side, unavailable);
              expect(found).to.include({ check: name, outcome: "unavailable", observed: null });
              expect(found.limit).to.be.a("string");
            });
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
      finding("corporate-action", policyById("STRICT_LIVE"), "buy", (evidence) =>
        announce(evidence, -seconds),
      );
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

  it("a decision is ALLOW exactly where every check passes, in any combination", () => {
    const bends = Object.entries(RULES).flatMap(([name, rule]) =>
      (["passes", "fails", "unavailable"] as const).map((kind) => ({
        name,
        kind,
        bend: rule[kind] ?? (() => {}),
      })),
    );
    const isGone = ({ kind }: { kind: string }) => kind === "unavailable";
    fc.assert(
      fc.property(
        fc.constantFrom(...POLICIES.values()),
        fc.constantFrom(...SIDES),
        fc.subarray(bends, { maxLength: 3 }),
        (policy, side, subset) => {
          // What takes something away comes last: the others have to find what they bend.
          const chosen = subset.toSorted((a, b) => Number(isGone(a)) - Number(isGone(b)));
          const evidence = reportOn(judgement({ policy, side })).evidence;
          const definition = structuredClone(policy.definition);
          for (const { bend } of chosen) bend(evidence, definition, side);
          const outcomes = NAMES.map((name) => judgeBy(name, definition, evidence).outcome);
          // Facts straight from `attest`, so that the whole way is judged and not the checks alone.
          const report = reportOn(
            judgement({ policy, side, intent: evidence.intent, facts: factsOf(evidence) }),
          );
          expect(report.decision === "ALLOW").to.equal(
            report.findings.every(({ outcome }) => outcome === "pass"),
          );
          for (const { name, kind } of chosen.slice(-1))
            if (kind === "fails") expect(outcomes[NAMES.indexOf(name)]).to.not.equal("pass");
        },
      ),
    );
  });

  function factsOf({ session, ...evidence }: Evidence) {
    // A session that the schema does not know cannot come from a fact.
    const known = session !== null && SESSIONS.includes(session.state) ? session : null;
    const { chain, quote, references, token, settlement, failures, liquidity, proofs, guard } = evidence;
    return {
      chain,
      quote,
      references,
      session: known,
      token,
      settlement,
      failures,
      liquidity,
      proofs,
      guard,
    };
  }
});
