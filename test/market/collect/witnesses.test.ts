import { expect } from "chai";
import fc from "fast-check";
import { chooseReference } from "../../../market/collect/chooseReference.ts";
import type { StockPrice } from "../../../market/collect/sources.ts";
import { compareWitnesses, differenceBps } from "../../../market/collect/witnesses.ts";

const BOUND = 200;
const named = (figures: readonly string[]) =>
  figures.map((figure, index) => ({ source: `source-${index}`, figure }));
const figuresOf = (list: readonly { figure: string }[]) => list.map(({ figure }) => figure);

/** Figures within the bound of each other. */
const honest = (most: number) =>
  fc.array(
    fc.integer({ min: 100_000, max: 101_900 }).map((mills) => (mills / 1_000).toFixed(3)),
    { minLength: 1, maxLength: most },
  );
const any = fc.oneof(
  fc.integer({ min: 1, max: 10_000_000 }).map((mills) => (mills / 1_000).toFixed(3)),
  fc.constantFrom("0.000001", "100", "101.99", "102", "102.01", "999999999999"),
);

describe("several sources of one figure", () => {
  it("count when they are within the bound, and not a hair beyond", () => {
    expect(figuresOf(compareWitnesses(named(["100", "102"]), BOUND).agreed)).to.deep.equal(["100", "102"]);
    const apart = compareWitnesses(named(["100", "102.0000001"]), BOUND);
    expect(apart.agreed).to.deep.equal([]);
    expect(apart.reason).to.equal("witnesses_disagree");
  });

  it("set the odd one aside, and have no figure where two stand against two", () => {
    const odd = compareWitnesses(named(["100", "190", "101"]), BOUND);
    expect(figuresOf(odd.agreed)).to.deep.equal(["100", "101"]);
    expect([figuresOf(odd.aside), odd.reason]).to.deep.equal([["190"], "odd_one_out"]);
    expect(compareWitnesses(named(["100", "101", "190", "191"]), BOUND).agreed).to.deep.equal([]);
  });

  it("take one that stands alone for what it is, and nothing of nobody", () => {
    expect(compareWitnesses(named(["7"]), BOUND).agreed).to.have.length(1);
    expect(compareWitnesses([], BOUND).agreed).to.deep.equal([]);
  });

  it("never let a minority change what counts by more than the bound, whatever it says", () => {
    const cases = honest(6).chain((truth) =>
      fc.record({
        truth: fc.constant(truth),
        lies: fc.array(any, { maxLength: truth.length - 1 }),
      }),
    );
    fc.assert(
      fc.property(cases, ({ truth, lies }) => {
        const { agreed } = compareWitnesses(named([...lies, ...truth]), BOUND);
        expect(figuresOf(agreed)).to.include.members(truth);
        for (const { figure } of agreed)
          expect(truth.some((known) => differenceBps(figure, known).lte(BOUND))).to.equal(true);
      }),
    );
  });

  it("decide the same in any order, and leave nobody out of both lists", () => {
    const cases = fc
      .array(any, { maxLength: 7 })
      .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
    fc.assert(
      fc.property(cases, ([list, shuffled]) => {
        const [one, other] = [list, shuffled].map((figures) => compareWitnesses(named(figures), BOUND));
        expect(figuresOf(other!.agreed).sort()).to.deep.equal(figuresOf(one!.agreed).sort());
        expect(one!.agreed.length + one!.aside.length).to.equal(list.length);
      }),
    );
  });
});

describe("the reference price of a stock", () => {
  const NOW = 1_795_186_800;
  const price = (source: string, priceUsd: string, ageSeconds: number | null, more = {}): StockPrice => ({
    underlying: "AAPL",
    source,
    priceUsd,
    publishedAt: ageSeconds === null ? null : NOW - ageSeconds,
    ...more,
  });
  const chosen = (rows: StockPrice[], session = "regular") => {
    const choice = chooseReference(rows, session, NOW);
    return choice.chosen && [choice.chosen.source, choice.chosen.witnesses];
  };

  it("the reference price of a stock is in session the first in the order of trust of those that agree", () => {
    const rows = [price("pyth", "100", 30), price("jupiter", "100.5", 1), price("oracle", "99.9", null)];
    expect(chosen(rows)).to.deep.equal(["pyth", 3]);
    expect(chosen([price("pyth", "190", 30), ...rows.slice(1)])).to.deep.equal(["jupiter", 2]);
    expect(chosen([price("pyth", "100", 901), ...rows.slice(1)])).to.deep.equal(["jupiter", 2]);
  });

  it("the reference price of a stock is off hours a running price before one of unknown age, and that before the last close", () => {
    const close = price("pyth", "100", 4 * 3_600);
    const rows = [close, price("oracle", "101", null), price("jupiter", "101.2", 600)];
    expect(chosen(rows, "post-market")).to.deep.equal(["jupiter", 3]);
    expect(chosen(rows.slice(0, 2), "post-market")).to.deep.equal(["oracle", 2]);
    expect(chosen([price("older", "99", 5 * 3_600), close], "closed")).to.deep.equal(["pyth", 2]);
    expect(chosen([price("old", "99", 6 * 86_400)], "closed")).to.equal(null);
  });

  it("the reference price of a stock is nobody's where running prices disagree, also if the last close would take sides", () => {
    const rows = [price("one", "100", 5), price("two", "105", 5), price("close", "100", 4 * 3_600)];
    expect(chosen(rows, "post-market")).to.equal(null);
  });

  it("the reference price of a stock is nobody's where the one running price is far from the one last close", () => {
    const rows = [price("running", "190", 5), price("close", "100", 4 * 3_600)];
    expect(chosen(rows, "post-market")).to.equal(null);
  });

  it("counts a source once, however many of its rows name the stock", () => {
    const rows = [price("jupiter", "190", 9), price("jupiter", "190", 9), price("pyth", "100", 5)];
    expect(chosen(rows)).to.equal(null);
    expect(chosen(rows.slice(0, 2))).to.deep.equal(["jupiter", 1]);
  });

  it("the reference price of a stock is not one whose own confidence is wide", () => {
    const wide = price("pyth", "100", 5, { confidenceUsd: "1.0001" });
    expect(chosen([wide])).to.equal(null);
    expect(chosen([{ ...wide, confidenceUsd: "1" }])).to.deep.equal(["pyth", 1]);
  });
});
