import { expect } from "chai";
import fc from "fast-check";
import { bpsText, unitsOf } from "../../../market/series/units.ts";

describe("units of basis points", () => {
  it("hold four places exactly, rounded half away from zero, and read back as the same decimal", () => {
    expect(unitsOf("12.34565")).to.equal(123_457);
    expect(unitsOf("-12.34565")).to.equal(-123_457);
    expect(Object.is(unitsOf("-0.00001"), 0)).to.equal(true);
    expect(bpsText(-1)).to.equal("-0.0001");
    expect(bpsText(null)).to.equal(null);
    expect(() => unitsOf("90000000001")).to.throw(RangeError);
    fc.assert(
      fc.property(fc.integer({ min: -900_000_000_000_000, max: 900_000_000_000_000 }), (units) => {
        const text = bpsText(units)!;
        expect(text).to.match(/^-?\d+(\.\d{1,4})?$/);
        expect(unitsOf(text)).to.equal(units);
      }),
    );
  });
});
