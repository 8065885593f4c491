import { readFileSync } from "node:fs";
import { expect } from "chai";
import { textsOf } from "../../api/data/texts.ts";
import * as bounds from "../../market/bounds.ts";

describe("the bounds of what counts", () => {
  it("are in the live methodology, and not in that of the simulated market, whose figures are measured", () => {
    const { methodology } = textsOf(false);
    for (const figure of [bounds.MAX_CONFIDENCE_BPS, bounds.WIDE_BOUND_BPS, bounds.MARK_BOUND_BPS])
      expect(methodology).to.include(`${figure} bps`);
    expect(textsOf(true).methodology).to.not.include("more than half");
  });

  it("are the numbers of the table in docs/run/market-data.md, row by row", () => {
    const page = readFileSync(new URL("../../docs/run/market-data.md", import.meta.url), "utf8");
    const section = page.split("### What a level rests on\n")[1]!.split(/\n#/)[0]!;
    const numbersIn = (text = "") =>
      (text.match(/\d[\d,.]*/g) ?? []).map((number) => Number(number.replace(/,|\.$/g, "")));
    const { referenceTolerance, sessionFactor, PRICE_TOLERANCES: price, CADENCE_SECONDS: cadence } = bounds;
    const pools = [bounds.poolCadence(1e9) / 3_600, bounds.poolCadence(null) / 3_600];
    const [running, wide, clamp] = [
      bounds.RUNNING_SECONDS / 60,
      bounds.WIDE_BOUND_BPS,
      bounds.FUNDING_CLAMP_BPS,
    ];
    const references = ["pyth", "hyperliquid", "binance", "another"].map(referenceTolerance);
    const mark = [bounds.MARK_TOLERANCE_BPS, bounds.MARK_BOUND_BPS, wide];
    const expected: readonly (readonly number[])[] = [
      [...references, bounds.MAX_CONFIDENCE_BPS, running, bounds.LAST_PRICE_SECONDS / 86_400, wide],
      [price.pool, price.quote, price.aggregator, ...pools, cadence.aggregator / 60, wide],
      [
        bounds.RATIO_TOLERANCE_BPS,
        cadence.ratio / 60,
        bounds.LAST_PRICE_SECONDS / 86_400,
        bounds.SHARE_RATIO_BOUND_BPS,
        bounds.CONTINUITY_BOUND_BPS,
      ],
      [bounds.DOLLAR_TOLERANCE_BPS, running],
      [...mark, bounds.PERP_AGE_SECONDS / 60, cadence.perp / 60],
      [bounds.TAPE_FACTOR, clamp, clamp, Number(bounds.LEAST_FUNDING_PART), clamp],
      [
        ...[bounds.POOL_FLOOR_USD, bounds.STATED_PER_MEASURED_DEPTH, bounds.TURNOVERS_A_DAY],
        ...[bounds.TAPE_FACTOR, bounds.TAPE_FLOOR_USD, Number(bounds.MISSING_PART), ...pools],
      ],
      [bounds.TOO_GOOD_BPS, bounds.TOO_GOOD_BPS],
    ];
    const rows = section.split("\n").filter((line) => /^\| (?!figure)/.test(line));
    const cells = rows.map((row) => row.split(" | "));
    expect(cells.map((row) => numbersIn(row.slice(2, 5).join(" ")))).to.deep.equal(expected);
    expect(page).to.contain(`at least ${bounds.EXCLUDED_PART} of its figures of one kind`);
    const factors = [sessionFactor("pre-market"), sessionFactor("closed")];
    expect(numbersIn(section.split("marked with *")[1]?.split("\n|")[0])).to.deep.equal(factors);
  });
});
