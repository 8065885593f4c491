import { expect } from "chai";
import fc from "fast-check";
import { Figures } from "../../../attestor/evidence/evidence.ts";
import {
  ageSeconds,
  countedReferences,
  disagreementBps,
  eligibleReferences,
  figuresOf,
  widestConfidenceBps,
} from "../../../attestor/evidence/figures.ts";
import { policyById } from "../../../attestor/policies/policy.ts";
import {
  bySecond,
  dollars,
  facts,
  judgement,
  NOW,
  quote,
  reading,
  reportOn,
  SIDES,
  signedReading,
  token,
  UNKNOWN_TOKEN,
} from "../fixtures.ts";

/** An exact fraction; the arithmetic that the figures are compared with. */
interface Ratio {
  readonly n: bigint;
  readonly d: bigint;
}
const ratio = (n: bigint, d = 1n): Ratio => ({ n, d });
const times = (a: Ratio, b: Ratio) => ratio(a.n * b.n, a.d * b.d);
const over = (a: Ratio, b: Ratio) => ratio(a.n * b.d, a.d * b.n);
const plus = (a: Ratio, b: Ratio) => ratio(a.n * b.d + b.n * a.d, a.d * b.d);
const MINUS_ONE = ratio(-1n);
const raw = (amount: string, decimals: number) => ratio(BigInt(amount), 10n ** BigInt(decimals));

/** A decimal string as a fraction. */
function decimal(text: string): Ratio {
  const [whole = "0", fraction = ""] = text.split(".");
  return ratio(BigInt(whole + fraction), 10n ** BigInt(fraction.length));
}

/** Rounded to so many places, halves away from zero, without trailing zeros. */
function rounded({ n, d }: Ratio, places: number): string {
  const negative = n < 0n !== d < 0n && n !== 0n;
  const [top, bottom] = [n < 0n ? -n : n, d < 0n ? -d : d];
  const scaled = (top * 10n ** BigInt(places) * 2n + bottom) / (bottom * 2n);
  const digits = scaled.toString().padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  const text = digits.slice(0, -places) + (fraction && `.${fraction}`);
  return negative && text !== "0" ? `-${text}` : text;
}
const bps = (value: Ratio) => rounded(times(value, ratio(10_000n)), 4);

const uint256 = fc.oneof(
  fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
  fc.bigInt({ min: 1n, max: 10n ** 24n }),
  fc.constantFrom(1n, 2n ** 256n - 1n),
);
const price = fc.oneof(
  fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 6n }), fc.integer({ min: 1, max: 10 ** 8 }))
    .map(([a, b]) => `${a}.${b}`),
  fc.constantFrom("0.000000000000000001", "9".repeat(80), "1"),
);

describe("figures", () => {
  it("figures are those of exact arithmetic, to the last place, on both sides and at any size", () => {
    const amounts = fc.record({ tinyIn: uint256, tinyOut: uint256, amountIn: uint256, amountOut: uint256 });
    fc.assert(
      fc.property(
        fc.constantFrom(...SIDES),
        amounts,
        fc.tuple(fc.nat({ max: 36 }), fc.nat({ max: 36 })),
        price,
        price,
        fc.array(price, { minLength: 1, maxLength: 4 }),
        fc.nat({ max: 10_000 }),
        (
          side,
          { tinyIn, tinyOut, amountIn, amountOut },
          [inputDecimals, outputDecimals],
          shares,
          dollar,
          prices,
          slippage,
        ) => {
          const { evidence } = reportOn(judgement({ side }));
          const seen = facts({
            quote: {
              ...quote(side),
              amountInRaw: amountIn.toString(),
              amountOutRaw: amountOut.toString(),
              referenceAmountInRaw: tinyIn.toString(),
              referenceAmountOutRaw: tinyOut.toString(),
            },
            token: token(shares),
            settlement: dollars(dollar),
            references: prices.map((text, index) => reading({ provider: `source ${index}`, price: text })),
          });
          const figures = figuresOf(policyById("STRICT_LIVE").definition, {
            ...evidence,
            ...seen,
            intent: { ...evidence.intent, amountInRaw: amountIn.toString(), maxSlippageBps: slippage },
            trade: { ...evidence.trade, inputDecimals, outputDecimals },
          });

          const sorted = prices.map(decimal).sort((a, b) => (a.n * b.d < b.n * a.d ? -1 : 1));
          const upper = sorted[sorted.length >> 1]!;
          const lower = sorted[(sorted.length - 1) >> 1]!;
          const reference = over(plus(upper, lower), ratio(2n));
          const input = raw(String(tinyIn), inputDecimals);
          const output = raw(String(tinyOut), outputDecimals);
          const perToken = side === "buy" ? over(input, output) : over(output, input);
          const perShare = over(times(perToken, decimal(dollar)), decimal(shares));
          const settled =
            side === "buy" ? raw(String(amountIn), inputDecimals) : raw(String(amountOut), outputDecimals);
          expect(figures).to.deep.equal({
            settlementPriceUsd: rounded(decimal(dollar), 8),
            notionalUsd: rounded(times(settled, decimal(dollar)), 8),
            referencePriceUsd: rounded(reference, 8),
            sharesPerToken: shares,
            tokenPricePerShareUsd: rounded(perShare, 8),
            premiumBps: bps(plus(over(perShare, reference), MINUS_ONE)),
            impactBps: bps(plus(ratio(tinyOut * amountIn, tinyIn * amountOut), MINUS_ONE)),
            minAmountOutRaw: ((amountOut * BigInt(10_000 - slippage)) / 10_000n).toString(),
          });
          // However extreme, they fit into evidence.
          expect(Figures.parse(figures)).to.deep.equal(figures);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("read as one would work them out by hand, for a token of 1.25 shares", () => {
    for (const [side, minAmountOutRaw] of [
      ["buy", "3964127633950652805"],
      ["sell", "995000000"],
    ] as const)
      expect(reportOn(judgement({ side })).evidence.figures).to.deep.equal({
        settlementPriceUsd: "1",
        notionalUsd: "1000",
        referencePriceUsd: "200.2",
        sharesPerToken: "1.25",
        tokenPricePerShareUsd: "200.4",
        premiumBps: "9.99",
        impactBps: "20",
        minAmountOutRaw,
      });
  });

  it("figures are null where a fact that they need is missing, and only there", () => {
    const figures = (overrides: Parameters<typeof facts>[0]) =>
      reportOn(judgement({ facts: facts(overrides) })).evidence.figures;
    const missing = (overrides: Parameters<typeof facts>[0]) =>
      Object.entries(figures(overrides)).flatMap(([name, value]) => (value === null ? [name] : []));
    expect(missing({})).to.deep.equal([]);
    expect(missing({ quote: null })).to.deep.equal([
      "tokenPricePerShareUsd",
      "premiumBps",
      "impactBps",
      "minAmountOutRaw",
    ]);
    for (const shareless of [UNKNOWN_TOKEN, token("0.0")])
      expect(missing({ token: shareless })).to.deep.equal([
        "sharesPerToken",
        "tokenPricePerShareUsd",
        "premiumBps",
      ]);
    expect(missing({ settlement: [] })).to.deep.equal([
      "settlementPriceUsd",
      "notionalUsd",
      "tokenPricePerShareUsd",
      "premiumBps",
    ]);
    expect(missing({ references: [] })).to.deep.equal(["referencePriceUsd", "premiumBps"]);
    expect(missing({ references: [reading({ price: "0" })] })).to.deep.equal([
      "referencePriceUsd",
      "premiumBps",
    ]);
    const sold = judgement({ side: "sell", facts: facts({ quote: null }, "sell") });
    expect(reportOn(sold).evidence.figures.notionalUsd).to.equal(null);
  });

  it("figures do not divide by an amount of nothing", () => {
    for (const member of ["amountOutRaw", "referenceAmountInRaw", "referenceAmountOutRaw"]) {
      const seen = facts({ quote: { ...quote("buy"), [member]: "0" } });
      const { impactBps, premiumBps } = reportOn(judgement({ facts: seen })).evidence.figures;
      expect([impactBps, premiumBps], member).to.deep.equal([null, null]);
    }
  });
});

describe("reference readings", () => {
  const { reference } = policyById("STRICT_LIVE").definition;

  it("from the future are infinitely old, but for a little skew of the clocks", () => {
    expect([0, 60, -5, -6].map((age) => ageSeconds(NOW - age, NOW))).to.deep.equal([
      0,
      60,
      0,
      Number.POSITIVE_INFINITY,
    ]);
  });

  it("of one provider are what it signed, also beside one that it did not sign and that is less than ten seconds fresher", () => {
    const fresher = reading({ price: "201", publishedAt: NOW - 1 });
    const chosen = (publishedAt: number) =>
      eligibleReferences(reference.kind, [fresher, signedReading({ price: "199", publishedAt })], NOW).map(
        ({ price }) => price,
      );
    expect(chosen(NOW - 10)).to.deep.equal(["199"]);
    expect(chosen(NOW - 11)).to.deep.equal(["201"]);
  });

  it("of one provider are one source, the freshest", () => {
    const stale = bySecond({ publishedAt: NOW - 900 });
    const twice = [
      signedReading({ price: "199", publishedAt: NOW - 30 }),
      stale,
      signedReading({ price: "201", publishedAt: NOW - 3 }),
    ];
    expect(eligibleReferences(reference.kind, twice, NOW).map(({ price }) => price)).to.deep.equal([
      "201",
      "200",
    ]);
    const { decision, findings } = reportOn(judgement({ facts: facts({ references: twice }) }));
    expect(decision).to.equal("DENY");
    expect(findings.filter(({ outcome }) => outcome !== "pass").map(({ check }) => check)).to.deep.equal([
      "reference-age",
    ]);
  });

  it("count in any order", () => {
    const readings = fc.array(
      fc.record({
        provider: fc.constantFrom("a", "b", "c"),
        publishedAt: fc.integer({ min: NOW - 99, max: NOW + 9 }),
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(readings, (list) => {
        const all = list.map((entry, index) => reading({ ...entry, price: String(100 + index) }));
        // Ties apart: those are decided by the order in the evidence.
        fc.pre(new Set(list.map(({ publishedAt }) => ageSeconds(publishedAt, NOW))).size === list.length);
        const forth = countedReferences(reference, all, NOW);
        const back = countedReferences(reference, all.toReversed(), NOW);
        expect(back).to.deep.equal(forth);
      }),
    );
  });

  it("that are stale count only where none is fresh", () => {
    const stale = reading({ publishedAt: NOW - 61, provider: "old" });
    expect(countedReferences(reference, [stale, reading()], NOW)).to.deep.equal([reading()]);
    expect(countedReferences(reference, [stale], NOW)).to.deep.equal([stale]);
    const justFresh = reading({ publishedAt: NOW - 60, provider: "old" });
    expect(countedReferences(reference, [justFresh, reading()], NOW)).to.deep.equal([reading(), justFresh]);
    expect(countedReferences(reference, [reading({ kind: "close" })], NOW)).to.deep.equal([]);
  });

  it("reference readings are apart by the distance of the extremes over the lower", () => {
    const at = (...prices: string[]) => disagreementBps(prices.map((text) => reading({ price: text })));
    expect(at()).to.equal(null);
    expect(at("7")).to.equal("0");
    expect(at("201", "200", "200.5")).to.equal("50");
    expect(at("3", "3.0001")).to.equal("0.3333");
  });

  it("reference readings are as unsure as the widest of those that say so", () => {
    const at = (...widths: (string | null)[]) =>
      widestConfidenceBps(widths.map((confidence) => reading({ confidence })));
    expect(at(null, null)).to.equal(null);
    expect(at(null, "1", "0.5")).to.equal("50");
    expect(at("0")).to.equal("0");
  });
});
