import { expect } from "chai";
import { textsOf } from "../../../api/data/texts.ts";
import * as bounds from "../../../market/collect/bounds.ts";

describe("the bounds of what counts", () => {
  it("stand in the live methodology, and not in that of the simulated market, whose figures are measured", () => {
    const { methodology } = textsOf(false);
    for (const figure of [bounds.MAX_CONFIDENCE_BPS, bounds.WIDE_BOUND_BPS, bounds.MARK_BOUND_BPS])
      expect(methodology).to.include(`${figure} bps`);
    expect(textsOf(true).methodology).to.not.include("more than half");
  });
});
