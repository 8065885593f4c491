import { expect } from "chai";
import fc from "fast-check";
import { impactBps, type Quote } from "../../../market/providers/quote.ts";

const quote = (amountIn: string, amountOut: string): Quote => ({
  provider: "fake",
  inputToken: "usd",
  outputToken: "stock",
  amountIn,
  amountOut,
  receivedAt: 0,
});

describe("the impact of a size", () => {
  it("compares what a large and a tiny buy give for the same money, in bps", () => {
    // 10 USD give 100 units, 1,000 USD give 9,900 instead of 10,000.
    expect(impactBps(quote("10", "100"), quote("1000", "9900"))).to.equal("101.01010101");
    expect(impactBps(quote("10", "100"), quote("1000", "10000"))).to.equal("0");
  });

  it("keeps its sign when the large buy is better", () => {
    expect(impactBps(quote("10", "99"), quote("1000", "10000"))).to.equal("-100");
  });

  it("the impact of a size is null without a route of either", () => {
    expect(impactBps(null, quote("1", "1"))).to.equal(null);
    expect(impactBps(quote("1", "1"), null)).to.equal(null);
  });

  it("the impact of a size does not lose digits of raw amounts of 18 decimals", () => {
    const tiny = quote("10000000000000000000", "37000000000000001");
    expect(impactBps(tiny, quote("10000000000000000000000", "37000000000000001000"))).to.equal("0");
    expect(impactBps(tiny, quote("10000000000000000000000", "36999999999999999999"))).to.equal("0");
  });

  it("the impact of a size does not change with the units of either token", () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 24n });
    fc.assert(
      fc.property(amount, amount, amount, amount, (inTiny, outTiny, inLarge, outLarge) => {
        const impact = impactBps(quote(`${inTiny}`, `${outTiny}`), quote(`${inLarge}`, `${outLarge}`));
        const scaled = impactBps(
          quote(`${inTiny}000`, `${outTiny}0`),
          quote(`${inLarge}000`, `${outLarge}0`),
        );
        expect(scaled).to.equal(impact);
      }),
    );
  });
});
