import { readFileSync } from "node:fs";
import { expect } from "chai";
import { textsOf } from "../../../api/data/texts.ts";
import * as bounds from "../../../market/collect/bounds.ts";

const docs = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");

describe("the bounds of what counts", () => {
  const english = (figure: number) => figure.toLocaleString("en");

  it("stand in the operator's guide as the code has them", () => {
    for (const row of [
      `at most ${bounds.RUNNING_SECONDS / 60} minutes old | the other running ones | ${bounds.REFERENCE_BOUND_BPS} bps |`,
      `up to ${bounds.LAST_PRICE_SECONDS / 86_400} days) | running ones | ${english(bounds.WIDE_BOUND_BPS)} bps |`,
      `Pyth's confidence | its price | ${bounds.MAX_CONFIDENCE_BPS} bps |`,
      `pool, small quote, aggregator | ${bounds.PRICE_BOUND_BPS} bps |`,
      `the stock's reference | ${english(bounds.WIDE_BOUND_BPS)} bps |`,
      `its venue's oracle; the stock | ${english(bounds.MARK_BOUND_BPS)}; ${english(bounds.WIDE_BOUND_BPS)} bps |`,
      `the last one that counted | ${bounds.SHARE_RATIO_BOUND_BPS} bps |`,
      `within ${english(bounds.CONTINUITY_BOUND_BPS)} bps of what it was`,
      `2 * size / impact | ${bounds.STATED_PER_MEASURED_DEPTH} times |`,
      `the same | ${bounds.TURNOVERS_A_DAY} times |`,
      `A pool below ${english(bounds.POOL_FLOOR_USD)} US dollars`,
    ])
      expect(docs).to.include(row);
  });

  it("stand in the live methodology, and not in that of the simulated market, whose figures are measured", () => {
    const { methodology } = textsOf(false);
    for (const figure of [bounds.REFERENCE_BOUND_BPS, bounds.WIDE_BOUND_BPS, bounds.MARK_BOUND_BPS])
      expect(methodology).to.include(`${figure} bps`);
    expect(textsOf(true).methodology).to.not.include("witnesses");
  });
});
