/** What the charts' scales reach over. */
import { expect } from "chai";
import fc from "fast-check";
import { sharedZero } from "../../../web/series/ranges.ts";

const figure = fc.option(
  fc.integer({ min: -1e7, max: 1e7 }).map((tenths) => tenths / 10),
  { nil: null },
);
const column = fc.array(figure, { maxLength: 30 });
/** `closeTo` takes whole numbers alone where a test of contracts in the same process has loaded Hardhat's matchers. */
const differ = (one: number, other: number) => Math.abs(one - other) > 1e-9;

describe("the scales of a chart", () => {
  it("two scales of one chart have their zero at one height, and show every figure", () => {
    fc.assert(
      fc.property(column, column, (left, right) => {
        const shared = sharedZero([left], [right]);
        const heightOf = ([from, to]: readonly [number, number]) => -from / (to - from);
        expect(differ(heightOf(shared.left), heightOf(shared.right))).to.equal(false);
        for (const [values, [from, to]] of [
          [left, shared.left],
          [right, shared.right],
        ] as const)
          for (const value of values) if (value !== null) expect(value).to.be.within(from, to);
      }),
    );
  });

  it("a scale above zero and one below it get half of the chart each", () => {
    const { left, right } = sharedZero([[10, 20]], [[-4, -2]]);
    expect(differ(-left[0] / (left[1] - left[0]), 0.5)).to.equal(false);
    expect(right[1]).to.be.lessThan(6);
  });
});
