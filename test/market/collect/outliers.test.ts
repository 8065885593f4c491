import { expect } from "chai";
import { DEFAULT_RULE, judgePrice } from "../../../market/collect/outliers.ts";

const NOW = 1_795_186_800;
const known = { price: "378.5", at: NOW - 60 };

describe("the plausibility rule", () => {
  const judge = (price: string, at: number | null = NOW, previous: typeof known | null = known) =>
    judgePrice({ price, at }, previous, NOW);
  const refused = (reason: string, observed: string, limit: string | null) => {
    return { accepted: false, reason, observed, limit };
  };

  it("accepts a first price and one near the last", () => {
    expect(judge("378.6")).to.eql({ accepted: true });
    expect(judge("0.0001", NOW, null)).to.eql({ accepted: true });
    expect(judge("400", null)).to.eql({ accepted: true });
  });

  it("turns away a price of 0, a negative one and what is no number, each with its reason", () => {
    expect(judge("0")).to.eql(refused("not_positive", "0", "0"));
    expect(judge("-3")).to.include({ accepted: false, reason: "not_positive", observed: "-3" });
    for (const text of ["", "NaN", "Infinity", "<b>"])
      expect(judge(text), text).to.eql(refused("not_a_number", "NaN", null));
  });

  it("turns away a price 1000 times off in either direction, and tells both figures", () => {
    expect(judge("378500")).to.eql(refused("absurd_jump", "378500", "378.5"));
    expect(judge("0.3785")).to.include({ reason: "absurd_jump" });
  });

  it("draws the line at its factor, exactly", () => {
    expect(judge("1892.5").accepted).to.equal(true);
    expect(judge("1892.500000000000000001").accepted).to.equal(false);
    expect(judge("75.7").accepted).to.equal(true);
    expect(judge("75.699999999999999999").accepted).to.equal(false);
    expect(
      judgePrice({ price: "800", at: NOW }, known, NOW, { ...DEFAULT_RULE, maxFactor: "2" }).accepted,
    ).to.equal(false);
  });

  it("turns away a clock that runs ahead by more than it may", () => {
    expect(judge("378", NOW + 120).accepted).to.equal(true);
    expect(judge("378", NOW + 121)).to.eql(refused("clock_ahead", "121", "120"));
    // As milliseconds in place of seconds.
    expect(judge("378", NOW * 1_000)).to.include({ reason: "clock_ahead" });
  });

  it("the plausibility rule does not hold a price against one of long ago, so that a split does not end a series", () => {
    const old = { price: "3785", at: NOW - DEFAULT_RULE.previousCountsSeconds - 1 };
    expect(judge("378.5", NOW, old).accepted).to.equal(true);
    expect(judge("378.5", NOW, { ...old, at: old.at + 1 }).accepted).to.equal(false);
  });

  it("the plausibility rule is not led astray by a previous price that is none", () => {
    expect(judge("378.5", NOW, { price: "0", at: NOW }).accepted).to.equal(true);
    expect(judge("378.5", NOW, { price: "x", at: NOW }).accepted).to.equal(true);
  });
});
