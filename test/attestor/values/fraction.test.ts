import { expect } from "chai";
import { Decimal } from "decimal.js";
import fc from "fast-check";
import { decimalText, exactOf, powerOfTen, rounded } from "../../../attestor/values/fraction.ts";

const Precise = Decimal.clone({ precision: 400, toExpNeg: -400, toExpPos: 400 });

const decimals = fc
  .record({
    digits: fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
    places: fc.integer({ min: 0, max: 40 }),
  })
  .map((exact) => ({
    exact,
    text: new Precise(exact.digits.toString()).times(`1e-${exact.places}`).toFixed(),
  }));

describe("exact decimal arithmetic", () => {
  it("reads decimal text and writes it back without zeros at its end", () => {
    expect(exactOf("-1.250")).to.deep.equal({ digits: -1_250n, places: 3 });
    expect(decimalText({ digits: -1_250n, places: 2 })).to.equal("-12.5");
    expect(decimalText({ digits: 0n, places: 12 })).to.equal("0");
    expect(() => exactOf("1e5")).to.throw(SyntaxError);
    fc.assert(
      fc.property(decimals, ({ exact, text }) => {
        expect(decimalText(exact)).to.equal(text);
        const { digits, places } = exactOf(text);
        expect(digits * powerOfTen(exact.places)).to.equal(exact.digits * powerOfTen(places));
      }),
    );
  });

  it("rounds a fraction half away from zero, as a decimal library does", () => {
    expect([rounded(5n, 2n), rounded(-5n, 2n), rounded(-1n, 3n)]).to.deep.equal([3n, -3n, 0n]);
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }),
        fc.bigInt({ min: 1n, max: 10n ** 30n }),
        (over, under) => {
          const quotient = new Precise(over.toString()).dividedBy(under.toString());
          expect(rounded(over, under).toString()).to.equal(
            quotient.toDecimalPlaces(0, Decimal.ROUND_HALF_UP).plus(0).toFixed().replace("-0", "0"),
          );
        },
      ),
    );
  });
});
