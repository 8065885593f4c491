/** Decimals as people read them. */
import { expect } from "chai";
import { assert, bigInt, integer, property } from "fast-check";
import { EvidenceDecimal } from "../../../attestor/values/decimal.ts";
import { wholeUnits } from "../../../attestor/values/wholeUnits.ts";
import { cut, grouped } from "../../../attestor/view/amounts.ts";

describe("amounts in words", () => {
  it("amounts in words are grouped by thousands before the point alone", () => {
    expect(grouped("1234567.1234567")).to.equal("1,234,567.1234567");
    expect(grouped("-1000")).to.equal("-1,000");
    expect(grouped("999")).to.equal("999");
    expect(grouped("no number")).to.equal("no number");
  });

  it("amounts in words are cut to some digits, never within the whole part", () => {
    expect(cut("0.619899010836820658", 6)).to.equal("0.619899");
    expect(cut("0.000012345678", 6)).to.equal("0.0000123456");
    expect(cut("16001.98", 6)).to.equal("16001.9");
    expect(cut("1234567.9", 6)).to.equal("1234567");
    expect(cut("250", 6)).to.equal("250");
  });

  it("never grow by being cut, and lose less than a part in a hundred thousand", () => {
    assert(
      property(bigInt(1n, 2n ** 128n), integer({ min: 0, max: 36 }), (raw, decimals) => {
        const whole = wholeUnits(raw, decimals);
        const shown = new EvidenceDecimal(cut(whole, 6));
        expect(shown.lessThanOrEqualTo(whole)).to.equal(true);
        expect(shown.times("1.00001").greaterThanOrEqualTo(whole)).to.equal(true);
      }),
    );
  });
});
