import { expect } from "chai";
import { judgePrice, PREVIOUS_COUNTS_SECONDS } from "../../../market/rules/plausible.ts";

const NOW = 1_795_186_800;
const known = { price: "378.5", at: NOW - 60 };

describe("the plausibility rule", () => {
  const judge = (price: string, at: number | null = NOW, previous: typeof known | null = known) =>
    judgePrice({ price, at }, previous, NOW);

  it("accepts a first price and one near the last", () => {
    expect(judge("378.6")).to.equal(null);
    expect(judge("0.0001", NOW, null)).to.equal(null);
    expect(judge("400", null)).to.equal(null);
  });

  it("turns away a price of 0, a negative one and what is no number, each with its reason", () => {
    expect(judge("0")).to.equal("not_positive");
    expect(judge("-3")).to.equal("not_positive");
    for (const text of ["", "NaN", "Infinity", "<b>"]) expect(judge(text), text).to.equal("not_a_number");
  });

  it("turns away a price 1000 times off in either direction", () => {
    expect(judge("378500")).to.equal("absurd_jump");
    expect(judge("0.3785")).to.equal("absurd_jump");
  });

  it("draws the line at its factor, exactly", () => {
    expect(judge("1892.5")).to.equal(null);
    expect(judge("1892.500000000000000001")).to.equal("absurd_jump");
    expect(judge("75.7")).to.equal(null);
    expect(judge("75.699999999999999999")).to.equal("absurd_jump");
  });

  it("turns away a clock that runs ahead by more than it may", () => {
    expect(judge("378", NOW + 120)).to.equal(null);
    expect(judge("378", NOW + 121)).to.equal("clock_ahead");
    // As milliseconds in place of seconds.
    expect(judge("378", NOW * 1_000)).to.equal("clock_ahead");
  });

  it("the plausibility rule does not hold a price against one of long ago, so that a split does not end a series", () => {
    const old = { price: "3785", at: NOW - PREVIOUS_COUNTS_SECONDS - 1 };
    expect(judge("378.5", NOW, old)).to.equal(null);
    expect(judge("378.5", NOW, { ...old, at: old.at + 1 })).to.equal("absurd_jump");
  });

  it("the plausibility rule is not led astray by a previous price that is none", () => {
    expect(judge("378.5", NOW, { price: "0", at: NOW })).to.equal(null);
    expect(judge("378.5", NOW, { price: "x", at: NOW })).to.equal(null);
  });
});
