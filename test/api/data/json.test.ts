import { expect } from "chai";
import { array, basisHistory, number, premiumHistory, publicPremium } from "../../../api/data/json.ts";
import type { PremiumPoint } from "../../../market/queries.ts";

const point = (hour: number, changes: Partial<PremiumPoint> = {}): PremiumPoint => ({
  hour,
  premiumBps: "1",
  loBps: "0",
  hiBps: "2",
  netEdgeBps: null,
  source: "simulated",
  session: "regular",
  referenceSource: "pyth",
  referenceAgeSeconds: 12,
  witnesses: 2,
  state: "agreed",
  spreadBps: "1.5",
  halted: false,
  samples: 1,
  ...changes,
});

describe("the data API's JSON", () => {
  it("the data API's JSON writes figures digit by digit, also those that a float would change", () => {
    for (const text of ["0", "-0.0001", "12.5", "123456789012345678901234567890.000000000000000001"])
      expect(number(text)).to.equal(text);
    expect(number(null)).to.equal("null");
    const long = "9007199254740993.1";
    expect(publicPremium([point(0, { hiBps: long })])).to.contain(`"hi":${long},`);
  });

  it("the data API's JSON refuses what JSON would not read as that number", () => {
    for (const text of ["", "1e5", "+1", ".5", "1.", "01", "NaN", "Infinity", "0x1", " 1", "1\n", '1,"x":2'])
      expect(() => number(text), text).to.throw("not a decimal number");
  });

  it("the data API's JSON writes every hour of a day as the clock does, over midnights", () => {
    const first = Date.UTC(2025, 11, 31) / 1000;
    const hours = Array.from({ length: 60 }, (_, hour) => first + hour * 3_600);
    const points = JSON.parse(array([premiumHistory(hours.map((hour) => point(hour)))]));
    expect(points.map(({ ts }: { ts: string }) => ts)).to.deep.equal(
      hours.map((hour) => new Date(hour * 1000).toISOString()),
    );
  });

  it("the data API's JSON gives each point its own origin, not its neighbor's", () => {
    const origins = [
      point(0),
      point(3_600, { source: 'a"b' }),
      point(7_200, { source: 'a"b', session: "pre" }),
      point(10_800, { source: 'a"b', session: "pre", referenceSource: null }),
      point(14_400, { state: "disputed", spreadBps: null }),
      point(18_000, { state: "disputed", halted: true }),
      point(21_600, { state: null }),
      point(25_200),
    ];
    const points = JSON.parse(array([premiumHistory(origins)]));
    for (const [index, { source, session, referenceSource, state, halted, spreadBps }] of origins.entries()) {
      const told = { source, session, reference: referenceSource, state, halted };
      expect(points[index]).to.include({ ...told, spread_bps: spreadBps && Number(spreadBps) });
    }
    expect(points[0]).to.not.have.property("funding_state");
    const funded = { basisBps: "1", fundingAnnualBps: null };
    const { premiumBps, netEdgeBps, ...common } = point(0);
    const states = ["single", "disputed", null] as const;
    const bases = states.map((fundingState) => ({ ...common, ...funded, fundingState }));
    const told = JSON.parse(array([basisHistory(bases)])).map(({ funding_state }: any) => funding_state);
    expect(told).to.deep.equal(states);
  });
});
