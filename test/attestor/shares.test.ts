import { expect } from "chai";
import fc from "fast-check";
import type { Facts } from "../../attestor/evidence/facts.ts";
import { policyById, policyOf } from "../../attestor/policies/policy.ts";
import { parseRegistry, type Registry } from "../../attestor/registry.ts";
import type { Report } from "../../attestor/report.ts";
import {
  type Counting,
  factorAt,
  sharesPerUnit,
  TOKEN_KINDS,
  type TokenKind,
} from "../../attestor/shares.ts";
import { EvidenceDecimal } from "../../attestor/values/decimal.ts";
import {
  DOLLAR,
  facts,
  judgement,
  NOW,
  REGISTRY,
  reading,
  reportOn,
  SIDES,
  type Side,
  STOCK,
  token,
} from "./fixtures.ts";

const DAY = 86_400;

/** The registry with a stock of that kind. */
function registryOf(kind: TokenKind): Registry {
  return parseRegistry({
    ...REGISTRY,
    assets: REGISTRY.assets.map((asset) => (asset.kind === "stock" ? { ...asset, tokenKind: kind } : asset)),
  });
}

/** One moment of a token's life: what a share costs, what the issuer's factor is, and how dear the pools make it. */
interface Moment {
  readonly share: EvidenceDecimal;
  readonly factor: EvidenceDecimal;
  /** Above (+) or below (-) the stock. */
  readonly premiumBps: number;
}

const text = (value: EvidenceDecimal) => value.toDecimalPlaces(18).toFixed();
const raw = (value: EvidenceDecimal, decimals: number) =>
  value.times(new EvidenceDecimal(10).pow(decimals)).toDecimalPlaces(0).toFixed();

/** What pools ask for a unit of each kind: where amounts contain the factor a unit is a share, else it is `factor` of them. */
function unitPrice(kind: TokenKind, { share, factor, premiumBps }: Moment): EvidenceDecimal {
  const shares = kind === "rebasing" ? new EvidenceDecimal(1) : factor;
  return share
    .times(shares)
    .times(new EvidenceDecimal(1).plus(new EvidenceDecimal(premiumBps).dividedBy(10_000)));
}

/** The facts of a moment, a split `distance` seconds ahead (or behind) as the issuer announced it. */
function factsAt(kind: TokenKind, side: Side, moment: Moment, distance: number): Facts {
  const price = unitPrice(kind, moment);
  const dollars = (amount: number) => raw(new EvidenceDecimal(amount), 6);
  const units = (amount: number) => raw(new EvidenceDecimal(amount).dividedBy(price), 18);
  const buying = side === "buy";
  const amounts = (amount: number) =>
    buying ? [dollars(amount), units(amount)] : [units(amount), dollars(amount)];
  const [amountInRaw = "", amountOutRaw = ""] = amounts(1_000);
  const [referenceAmountInRaw = "", referenceAmountOutRaw = ""] = amounts(10);
  const base = facts({}, side);
  return {
    ...base,
    quote: {
      ...base.quote!,
      path: buying ? [DOLLAR, STOCK] : [STOCK, DOLLAR],
      amountInRaw,
      amountOutRaw,
      referenceAmountInRaw,
      referenceAmountOutRaw,
    },
    references: ["pyth", "finnhub"].map((provider) =>
      reading({ provider, price: text(moment.share), confidence: null }),
    ),
    token: token(text(moment.factor), { value: null, effectiveAt: NOW + distance }),
  };
}

describe("the shares of a unit", () => {
  it("the shares of a unit are one for a rebasing token with any factor: amounts contain it", () => {
    for (const counting of ["raw", "displayed"] as Counting[])
      for (const factor of ["1.0057", "10", "0", null])
        expect(sharesPerUnit("rebasing", counting, factor)).to.equal("1");
  });

  it("the shares of a unit are the factor for a raw unit of the other kinds, and one for a displayed unit of a scaled token", () => {
    expect(sharesPerUnit("scaled", "raw", "1.0057")).to.equal("1.0057");
    expect(sharesPerUnit("scaled", "displayed", "1.0057")).to.equal("1");
    expect(sharesPerUnit("price-bearing", "raw", "10")).to.equal("10");
    expect(sharesPerUnit("price-bearing", "displayed", "10")).to.equal("10");
  });

  it("the shares of a unit are not known where the factor that they need is not known, or is nothing", () => {
    for (const factor of [null, "0", "0.000"]) {
      expect(sharesPerUnit("scaled", "raw", factor)).to.equal(null);
      expect(sharesPerUnit("price-bearing", "raw", factor)).to.equal(null);
    }
  });
});

describe("the factor in effect", () => {
  it("the factor in effect is the last one that was set or announced for a time that has come, as LocalStock counts it", () => {
    const step = fc.record({ wait: fc.nat(50), ahead: fc.nat(60) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), fc.nat(100), (steps, later) => {
        let now = 1_000;
        let state = { current: 0, next: 0, effectiveAt: 0 };
        let history = [{ value: 0, from: 0 }];
        for (const [index, { wait, ahead }] of steps.entries()) {
          now += wait;
          const value = index + 1;
          // What was announced and has not come is taken back.
          history = [...history.filter(({ from }) => from <= now), { value, from: now + ahead }];
          state =
            ahead === 0
              ? { current: value, next: value, effectiveAt: 0 }
              : { current: factorAt(state, now), next: value, effectiveAt: now + ahead };
          for (const time of [now, now + ahead - 1, now + ahead, now + later])
            if (time >= now)
              expect(factorAt(state, time)).to.equal(history.findLast(({ from }) => from <= time)?.value);
        }
      }),
    );
  });

  it("the factor in effect is never one of which the value or the time is not told", () => {
    expect(factorAt({ current: "1", next: "2", effectiveAt: null }, NOW)).to.equal("1");
    expect(factorAt({ current: "1", next: null, effectiveAt: 1 }, NOW)).to.equal("1");
  });

  it("the factor in effect at the judgement is the one that was read, under any policy's margin", () => {
    const definition = structuredClone(policyById("STRICT_LIVE").definition);
    definition.corporateAction.marginSeconds = 0;
    const policy = policyOf("It takes every risk.", definition);
    /** @param distance of the change from the judgement @param change of the factor's statement */
    const outcome = (distance: number, change: Partial<NonNullable<Facts["token"]["factor"]>> = {}) => {
      const said = token("1.25", { value: "12.5", effectiveAt: NOW + distance });
      const told = { ...said, factor: { ...said.factor!, ...change } };
      const { findings } = reportOn(judgement({ policy, facts: facts({ token: told }) }));
      return findings.find(({ check }) => check === "corporate-action")?.outcome;
    };
    // The block is two seconds older than the judgement.
    expect([-1, 0, 1].map((distance) => outcome(distance))).to.deep.equal(["fail", "fail", "fail"]);
    expect(outcome(-2)).to.equal("pass");
    // What a provider said may be older still.
    expect(outcome(-2, { receivedAt: NOW - 3 })).to.equal("fail");
    expect(outcome(-3, { receivedAt: NOW - 3 })).to.equal("pass");
    expect(outcome(definition.certificateLifetimeSeconds + 1)).to.equal("pass");
  });
});

describe("a buy of a rebasing token", () => {
  const registry = registryOf("rebasing");
  const policy = policyOf("", {
    ...policyById("STRICT_LIVE").definition,
    evidence: { minSignedReferences: 0, maxFailedSources: 0, quoteProof: "preferred" },
  });
  const dear = (premiumBps: number, factor: string) =>
    factsAt(
      "rebasing",
      "buy",
      { share: new EvidenceDecimal(200), factor: new EvidenceDecimal(factor), premiumBps },
      -30 * DAY,
    );
  const judged = (seen: Facts) => reportOn(judgement({ registry, policy, facts: seen }));

  it("a buy of a rebasing token is denied at 101 bps too dear, though the issuer's factor is 1.0057", () => {
    const report = judged(dear(101, "1.0057"));
    expect(report.decision).to.equal("DENY");
    expect(report.evidence.figures).to.include({ premiumBps: "101", sharesPerToken: "1" });
    expect(judged(dear(100, "1.0057")).decision).to.equal("ALLOW");
  });

  it("a buy of a rebasing token is denied at ten times the fair price after a split of 10 to 1", () => {
    const report = judged(dear(90_000, "10"));
    expect(report.decision).to.equal("DENY");
    expect(report.evidence.figures.premiumBps).to.equal("90000");
  });
});

describe("a split anywhere in a series", () => {
  for (const kind of TOKEN_KINDS)
    it(`leaves the premium of a ${kind} token continuous and the decision the same`, () => {
      const registry = registryOf(kind);
      fc.assert(
        fc.property(
          fc.constantFrom(...SIDES),
          fc.record({
            cents: fc.integer({ min: 500, max: 100_000 }),
            factor: fc.integer({ min: 9_000, max: 30_000 }),
            premiumBps: fc.integer({ min: -300, max: 300 }),
          }),
          // 10 to 1 through 1 to 10.
          fc.constantFrom([10, 1], [4, 1], [3, 2], [1, 2], [1, 10]),
          fc.integer({ min: 2 * DAY, max: 90 * DAY }),
          (side, { cents, factor, premiumBps }, [to = 1, from = 1], distance) => {
            const ratio = new EvidenceDecimal(to).dividedBy(from);
            const before: Moment = {
              share: new EvidenceDecimal(cents).dividedBy(100),
              factor: new EvidenceDecimal(factor).dividedBy(10_000),
              premiumBps,
            };
            const after = {
              ...before,
              share: before.share.dividedBy(ratio),
              factor: before.factor.times(ratio),
            };
            const [one, other] = [
              factsAt(kind, side, before, distance),
              factsAt(kind, side, after, -distance),
            ].map((seen) => reportOn(judgement({ registry, side, facts: seen }))) as [Report, Report];
            const premium = (report: Report) => Number(report.evidence.figures.premiumBps);
            expect(Math.abs(premium(one) - premiumBps)).to.be.lessThan(1);
            expect(Math.abs(premium(one) - premium(other))).to.be.lessThan(1);
            // On the limit itself the last digit of an amount decides.
            if (Math.abs(premiumBps) !== 100) expect(other.decision).to.equal(one.decision);
          },
        ),
      );
    });
});
