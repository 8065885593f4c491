import { expect } from "chai";
import fc from "fast-check";
import { differenceBps, levelOf, type Witness } from "../../market/level.ts";
import { chooseReference } from "../../market/rules/references.ts";
import { SeriesDecimal } from "../../market/series/units.ts";
import type { StockPrice } from "../../market/statement.ts";

const TOLERANCE = 25;
const said = (figure: string, more: Partial<Witness> = {}): Witness => ({
  source: `at ${figure}`,
  origin: `at ${figure}`,
  figure,
  toleranceBps: TOLERANCE,
  publishedAt: null,
  ...more,
});
/** Everybody is an origin of their own. */
const named = (figures: readonly string[]) =>
  figures.map((figure, index) => said(figure, { source: `${index}`, origin: `${index}` }));
const levelAt = (...figures: string[]) => levelOf(named(figures));
const figuresOf = (list: readonly { figure: string }[]) => list.map(({ figure }) => figure);
const price = (most: { min: number; max: number }) => fc.integer(most).map((mills) => `${mills / 1_000}`);

/** Within the tolerance of 100, so that their intervals have that point in common. */
const honest = fc.array(price({ min: 99_751, max: 100_249 }), { minLength: 2, maxLength: 6 });
/** Some about there, some anywhere. */
const any = fc.oneof(
  price({ min: 99_000, max: 101_000 }),
  price({ min: 1, max: 10_000_000 }),
  fc.constantFrom("0.000001", "99.5", "100", "100.5", "100.9975", "999999999999"),
);
const believed = honest.chain((truth) =>
  fc.tuple(fc.constant(truth), fc.array(any, { maxLength: truth.length - 1 })),
);

describe("several sources of one figure", () => {
  it("are served as the median of those that agree, with how far the outermost of these are apart", () => {
    const three = { figure: "100.1", state: "agreed", spreadBps: "30" };
    expect(levelAt("100", "100.1", "100.3")).to.include(three);
    expect(levelAt("100", "100.2")).to.include({ figure: "100.1", spreadBps: "20" });
    const odd = levelAt("100", "190", "100.4");
    expect(odd).to.include({ figure: "100.2", state: "agreed", spreadBps: "40" });
    expect(figuresOf(odd!.outliers)).to.deep.equal(["190"]);
  });

  it("agree where their intervals touch, and not a hair further", () => {
    expect(levelAt("399", "401")?.state).to.equal("agreed");
    expect(levelAt("399", "401.0000001")).to.include({ figure: null, state: "disputed", spreadBps: null });
    expect(levelOf(named(["399", "401.0000001"]), 1.01)?.state).to.equal("agreed");
  });

  it("have no figure where two disagree, or stand against two", () => {
    for (const figures of ["100 101", "100 100.1 190 190.1"]) {
      const level = levelAt(...figures.split(" "))!;
      expect(level).to.include({ figure: null, state: "disputed" });
      expect(figuresOf(level.outliers).join(" ")).to.equal(figures);
    }
  });

  it("take one that stands alone for what it is, and nothing of nobody", () => {
    expect(levelAt("7")).to.include({ figure: "7", state: "single", spreadBps: null });
    expect(levelOf([])).to.equal(null);
  });

  it("count once by their origin, with its newest figure, and once by their source, even if it names several origins", () => {
    const list = (origin: string) => said("190", { source: "list", origin });
    expect(levelOf([list("one"), list("two")])?.state).to.equal("single");
    expect(levelOf([list("one"), list("two"), said("100")])?.state).to.equal("disputed");
    const of = (origin: string, figure: string, publishedAt: number | null) =>
      said(figure, { source: `${origin} ${publishedAt}`, origin, publishedAt });
    const copies = [of("oracle", "190", 5), of("oracle", "190", 6), of("oracle", "190", 7)];
    expect(levelOf(copies)).to.include({ figure: "190", state: "single" });
    expect(levelOf([...copies, of("venue", "100", 5)])?.state).to.equal("disputed");
    const old = [of("oracle", "190", 5), of("oracle", "100", 9), of("oracle", "190", null)];
    expect(levelOf([...old, of("venue", "100", 5)])).to.include({
      figure: "100",
      state: "agreed",
      spreadBps: "0",
    });
  });

  it("that are a minority move the level no further from an honest one than two tolerances", () => {
    fc.assert(
      fc.property(believed, ([truth, lies]) => {
        const level = levelAt(...lies, ...truth)!;
        expect(level.state).to.equal("agreed");
        const nearest = truth.map((one) => differenceBps(one, level.figure!).toNumber());
        expect(Math.min(...nearest)).to.be.at.most(2.01 * TOLERANCE);
      }),
    );
  });

  it("that are a minority and no near miss move the level not beyond what the honest ones span", () => {
    fc.assert(
      fc.property(believed, ([truth, lies]) => {
        const far = lies.filter((lie) => truth.every((one) => differenceBps(one, lie).gt(2.01 * TOLERANCE)));
        const level = levelAt(...far, ...truth)!;
        expect(figuresOf(level.agreed)).to.have.members(truth);
        expect(figuresOf(level.outliers)).to.have.members(far);
        const [least, most] = [Math.min(...truth.map(Number)), Math.max(...truth.map(Number))];
        expect(Number(level.figure)).to.be.within(least, most);
        const spread = (most / least - 1) * 10_000;
        expect(Math.abs(Number(level.spreadBps) - spread)).to.be.at.most(1e-4);
      }),
    );
  });

  const rows = fc.array(
    fc.tuple(any, fc.constantFrom("one", "two", "three", "four"), fc.constantFrom(null, 5, 6)),
    { maxLength: 8 },
  );
  const witnessOf = ([figure, origin, publishedAt]: readonly [string, string, number | null]) =>
    said(figure, { source: origin, origin, publishedAt });
  const outcome = (list: readonly Witness[]) => {
    const level = levelOf(list);
    return level && [level.figure, level.state, level.spreadBps];
  };

  it("come to the same level in any order, and leave nobody out of both lists", () => {
    const cases = rows.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(cases, ([one, other]) => {
        expect(outcome(other.map(witnessOf))).to.deep.equal(outcome(one.map(witnessOf)));
        const level = levelOf(one.map(witnessOf));
        const heard = [...(level?.agreed ?? []), ...(level?.outliers ?? [])].map(({ origin }) => origin);
        expect(heard).to.have.members([...new Set(one.map(([, origin]) => origin))]);
      }),
      { numRuns: 500 },
    );
    // Two groups of one size, both a hundredth wide.
    const chain = named(["10000", "10100", "10201"]).map((one) => ({ ...one, toleranceBps: 50 }));
    expect(levelOf([...chain].reverse())?.figure).to.equal(levelOf(chain)?.figure);
  });

  it("come to the same level in any unit, and after any earlier figures of their origins", () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: -6, max: 6 }), rows, (list, power, before) => {
        const inUnits = list.map(([figure, ...rest]) =>
          witnessOf([new SeriesDecimal(figure).times(`1e${power}`).toFixed(), ...rest]),
        );
        const [figure, ...rest] = outcome(list.map(witnessOf)) ?? [];
        const scaled = figure == null ? null : new SeriesDecimal(figure).times(`1e${power}`).toFixed();
        expect(outcome(inUnits)).to.deep.equal(list.length === 0 ? null : [scaled, ...rest]);
        const origins = new Set(list.map(([, origin]) => origin));
        const known = before.filter(([, origin]) => origins.has(origin));
        const older = known.map(([old, origin]) => witnessOf([old, origin, -1]));
        expect(outcome([...list.map(witnessOf), ...older])).to.deep.equal(outcome(list.map(witnessOf)));
      }),
      { numRuns: 300 },
    );
  });
});

describe("the reference price of a stock", () => {
  const NOW = 1_795_186_800;
  const stated = (source: string, priceUsd: string, ageSeconds: number | null, more = {}): StockPrice => ({
    of: "reference",
    subject: "AAPL",
    source,
    origin: source,
    figure: priceUsd,
    at: ageSeconds === null ? null : NOW - ageSeconds,
    rawHash: null,
    confidence: null,
    ...more,
  });
  const chosen = (rows: StockPrice[], session = "regular") => {
    const { level } = chooseReference(rows, session, NOW);
    const sources = level?.agreed.map(({ source }) => source) ?? [];
    return level && [level.figure, level.state, sources.sort().join()];
  };
  const reasons = (rows: StockPrice[], session: string) =>
    chooseReference(rows, session, NOW).exclusions.map(({ row, reason }) => `${row.source} ${reason}`);

  it("the reference price of a stock is in session the median of those that are not old and agree", () => {
    const rows = [stated("pyth", "100", 30), stated("jupiter", "100.2", 1), stated("oracle", "99.9", null)];
    expect(chosen(rows)).to.deep.equal(["100", "agreed", "jupiter,oracle,pyth"]);
    for (const [row, reason] of [
      [stated("pyth", "190", 30), "pyth outlier"],
      [stated("pyth", "100", 901), "pyth stale"],
    ] as const) {
      expect(chosen([row, ...rows.slice(1)])).to.deep.equal(["100.05", "agreed", "jupiter,oracle"]);
      expect(reasons([row, ...rows.slice(1)], "regular")).to.deep.equal([reason]);
    }
  });

  it("the reference price of a stock may differ by more between sources where it trades thinly or not at all", () => {
    const rows = [stated("pyth", "100", 5), stated("jupiter", "100.7", 5)];
    expect(chosen(rows)).to.deep.equal([null, "disputed", ""]);
    expect(chosen(rows, "pre-market")).to.deep.equal(["100.35", "agreed", "jupiter,pyth"]);
    const wider = [stated("pyth", "100", 5), stated("jupiter", "101.5", 5)];
    expect(chosen(wider, "post-market")?.[1]).to.equal("disputed");
    expect(chosen(wider, "closed")?.[1]).to.equal("agreed");
  });

  it("the reference price of a stock is off hours that of those that run, and where none does that of the last ones", () => {
    const close = stated("pyth", "100", 4 * 3_600);
    const rows = [close, stated("oracle", "101", null), stated("jupiter", "101.2", 600)];
    expect(chosen(rows, "post-market")).to.deep.equal(["101.1", "agreed", "jupiter,oracle"]);
    expect(chosen(rows.slice(0, 2), "post-market")).to.deep.equal(["101", "single", "oracle"]);
    expect(chosen([stated("older", "99", 5 * 3_600), close], "closed")?.[1]).to.equal("agreed");
    expect(chosen([stated("old", "99", 6 * 86_400)], "closed")).to.equal(null);
  });

  it("the reference price of a stock is nobody's where running prices disagree, also if the last close would take sides", () => {
    const rows = [stated("one", "100", 5), stated("two", "105", 5), stated("close", "100", 4 * 3_600)];
    expect(chosen(rows, "post-market")).to.deep.equal([null, "disputed", ""]);
  });

  it("the reference price of a stock is nobody's where the one running price is far from the one last close", () => {
    const rows = [stated("running", "190", 5), stated("close", "100", 4 * 3_600)];
    expect(chosen(rows, "post-market")).to.deep.equal([null, "disputed", ""]);
    expect(reasons(rows, "post-market")).to.deep.equal(["running far_from_last"]);
  });

  it("the reference price of a stock is not one whose own confidence is wide", () => {
    const wide = stated("pyth", "100", 5, { confidence: "1.0001" });
    expect(chosen([wide])).to.equal(null);
    expect(chosen([{ ...wide, confidence: "1" }])).to.deep.equal(["100", "single", "pyth"]);
  });
});
