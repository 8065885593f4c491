import { createHash } from "node:crypto";
import { expect } from "chai";
import type { Database } from "../../../database/open.ts";
import { backfillMarket, type MarketToday } from "../../../devnet/market/history.ts";
import { type RandomAt, ripple, wave } from "../../../devnet/market/noise.ts";
import { priceFactor, simulatedPerp, simulatedTurnover } from "../../../devnet/market/simulated.ts";
import { basisPoints, dailyTotals, liquidityScores, premiumPoints } from "../../../market/queries.ts";
import { listActions } from "../../../market/series/corporateActions.ts";
import { recordPremiums } from "../../../market/series/premium.ts";
import { dayOf } from "../../../market/series/totals.ts";
import { forEachEngine, rowsOf } from "../../support/database.ts";
import { listedToken, premiumSample } from "../../support/samples.ts";

const HOUR = 3_600;
const NOW = 1_795_003_300;
const ALL = { from: 0, to: NOW * 2 };

function seeded(seed: number): RandomAt {
  const drawn = new Map<string, number>();
  return (...place) => {
    const name = `${seed}/${place.join("/")}`;
    const known = drawn.get(name) ?? createHash("sha256").update(name).digest().readUInt32BE() / 2 ** 32;
    drawn.set(name, known);
    return known;
  };
}

const today = (symbol: string, more: Partial<MarketToday> = {}): MarketToday => ({
  asset: listedToken(symbol),
  tokenPriceUsd: "271.08",
  sharesPerToken: "1.004",
  referencePriceUsd: "269.73",
  referenceSource: "simulated-feed",
  impact1kBps: "4.25",
  impact10kBps: "42.5",
  liquidityUsd: "1000000",
  ...more,
});

const SEVENTH = seeded(7);

const backfill = (db: Database, more: Partial<Parameters<typeof backfillMarket>[0]> = {}) =>
  backfillMarket({
    db,
    today: [today("AAPL"), today("SPY", { impact1kBps: null, impact10kBps: null })],
    now: NOW,
    randomAt: SEVENTH,
    sessionAt: () => "regular",
    platformFeeBps: "10",
    ...more,
  });

describe("waves", () => {
  it("stay between -1 and 1, are one curve, and follow from seed and moment alone", () => {
    for (const shape of [wave, ripple]) {
      const at = (seconds: number, seed = 1) => shape(seeded(seed), "price")(seconds);
      const values = Array.from({ length: 500 }, (_, index) => at(NOW + index * 600));
      expect(values.every((value) => Math.abs(value) <= 1)).to.equal(true);
      expect(new Set(values).size).to.be.greaterThan(490);
      expect(Math.abs(at(NOW) - at(NOW + 1))).to.be.lessThan(0.01);
      expect(at(NOW)).to.equal(at(NOW));
      expect(at(NOW)).not.to.equal(at(NOW, 2));
    }
  });
});

describe("the simulated market", () => {
  it("has a perpetual near the stock whose funding leans as its basis does, and volume of the liquidity's size", () => {
    for (let seconds = NOW; seconds < NOW + 40 * HOUR; seconds += HOUR) {
      const perp = simulatedPerp(seeded(1), "AAPL")(200, seconds);
      expect(Number(perp.markUsd)).to.be.within(199.59, 200.41);
      expect(Math.abs(Number(perp.fundingRate))).to.be.lessThan(0.00003);
      expect(simulatedTurnover(seeded(1), "key")(seconds)).to.be.within(0.09, 0.81);
    }
  });

  it("has prices that follow from seed and moment, in small steps around their base for as long as one likes", () => {
    const factor = priceFactor(seeded(1), "AAPL");
    const [factors, steps]: [number[], number[]] = [[], []];
    for (let seconds = NOW; seconds < NOW + 90 * 24 * HOUR; seconds += HOUR / 2) {
      factors.push(factor(seconds));
      steps.push(Math.abs(factor(seconds + 30) / factor(seconds) - 1) * 10_000);
    }
    expect(Math.max(...steps)).to.be.within(0.5, 10);
    expect(Math.min(...factors)).to.be.within(0.94, 0.99);
    expect(Math.max(...factors)).to.be.within(1.01, 1.06);
    expect(priceFactor(seeded(1), "AAPL")(NOW)).to.equal(factor(NOW));
    expect(priceFactor(seeded(2), "AAPL")(NOW)).to.not.equal(factor(NOW));
    expect(priceFactor(seeded(1), "TSLA")(NOW)).to.not.equal(factor(NOW));
  });

  forEachEngine((engine) => {
    it("tells of tokens that are more than a share the dividend that made them so, and its history has both ratios", async () => {
      const db = await engine.create();
      const plain = { asset: listedToken("TSLA"), sharesPerToken: "1" };
      const tokens = [today("SPY", { sharesPerToken: "1.0057" }), today("TSLA", plain)];
      for (const _ of [1, 2]) await backfill(db, { today: tokens });
      const [action, ...more] = await listActions(db, { limit: 10 });
      expect(more).to.eql([]);
      expect(action).to.include({ assetKey: "key-SPY", kind: "dividend", announcedAt: null });
      expect(action).to.include({ before: "1.003892992613296", after: "1.0057" });
      const { effectiveAt } = action!;
      expect(effectiveAt).to.be.within(NOW - 46 * 24 * HOUR, NOW - 45 * 24 * HOUR);
      const samples = (await rowsOf(db, "raw_samples")).filter(({ sample }) => sample.includes("1.00389299"));
      const before = (await rowsOf(db, "raw_samples")).filter(
        ({ sampled_at }) => sampled_at < (effectiveAt ?? 0),
      );
      expect(samples.length).to.be.greaterThan(100);
      expect(samples.every(({ sampled_at }) => sampled_at < (effectiveAt ?? 0))).to.equal(true);
      expect(before.filter(({ sample }) => sample.includes('"1.0057"'))).to.eql([]);
    });

    it("gets 90 days of every series, all of it simulated, that end in what is there today", async () => {
      const db = await engine.create();
      expect(await backfill(db)).to.deep.equal(["key-AAPL", "key-SPY", "AAPL", "SPY", "totals"]);
      const points = await premiumPoints(db, "key-AAPL", ALL);
      expect(points.length).to.be.within(2_159, 2_160);
      expect(points[0]?.hour).to.be.within(NOW - 90 * 24 * HOUR, NOW - 90 * 24 * HOUR + HOUR);
      const first = points[0]!.hour;
      const named = { source: "simulated", session: "regular", referenceSource: "simulated-feed" };
      for (const [index, point] of points.entries())
        expect(point).to.include({ ...named, hour: first + index * HOUR });
      // Today's premium is (271.08 / 1.004) / 269.73 - 1 = 10.002 bps.
      expect(Number(points.at(-1)?.premiumBps)).to.be.within(10 - 5, 10 + 5);
      expect(points.every(({ premiumBps }) => Math.abs(Number(premiumBps) - 10) <= 50)).to.equal(true);
      expect(points.some(({ loBps, hiBps }) => loBps !== hiBps)).to.equal(true);
      const ofSpy = await premiumPoints(db, "key-SPY", ALL);
      expect(ofSpy.every(({ netEdgeBps }) => netEdgeBps === null)).to.equal(true);

      const basis = await basisPoints(db, "SPY", ALL, "simulated");
      expect(basis.length).to.equal(points.length);
      const figures = basis.flatMap(({ basisBps, fundingAnnualBps }) => [basisBps, fundingAnnualBps]);
      expect(figures).to.not.include(null);
      const [aapl, spy] = await liquidityScores(db, ["key-AAPL", "key-SPY"], NOW);
      expect(aapl).to.include({ grade: "A", sampleN: 168, source: "simulated" });
      expect(spy).to.include({ grade: "D", sampleN: 168, impact10kBps: null });

      const totals = await dailyTotals(db, "2000-01-01", "2100-01-01");
      expect(new Set(totals.map(({ day }) => day)).size).to.equal(90);
      expect(totals.at(-1)?.day).to.equal(dayOf(NOW - 86_400));
      const ofIssuer = totals.filter(({ scope, count }) => scope === "issuer:xstocks" && count === 2);
      expect(ofIssuer).to.have.length(90);
    });

    it("gets it once, the same from the same seed, and beside samples that were collected just now", async () => {
      const [one, other] = [await engine.create(), await engine.create()];
      const reference = { referencePriceUsd: "269.73", referenceSource: "simulated-feed" };
      const collected = { source: "simulated", tokenPriceUsd: "271", sharesPerToken: "1.004", ...reference };
      await recordPremiums(other, [premiumSample("key-AAPL", NOW - 5, collected)], NOW);
      const alone = { today: [today("AAPL")] };
      await backfill(one, alone);
      expect(await backfill(other, alone)).to.include("key-AAPL");
      const before = { from: 0, to: NOW - HOUR };
      const history = await premiumPoints(one, "key-AAPL", before);
      expect(await premiumPoints(other, "key-AAPL", before)).to.deep.equal(history);
      expect(await backfill(one, { ...alone, now: NOW + 5 * 86_400, randomAt: seeded(8) })).to.deep.equal([]);
      expect(await premiumPoints(one, "key-AAPL", before)).to.deep.equal(history);
      // A stock that is listed later gets its own.
      const later = await backfill(one, { today: [today("AAPL"), today("TSLA")] });
      expect(later).to.deep.equal(["key-TSLA", "TSLA"]);
    });
  });
});
