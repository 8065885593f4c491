import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { collectRound } from "../../../market/collect/collect.ts";
import { createMemory } from "../../../market/collect/round.ts";
import type { StepReport } from "../../../market/collect/types.ts";
import { basisPoints, liquidityScores, liveTotals, premiumPoints } from "../../../market/queries.ts";
import type { Statement } from "../../../market/statement.ts";
import { forEachEngine, memoryDatabase } from "../../support/database.ts";
import { rejections } from "../../support/samples.ts";
import { ofTest } from "../../support/suite.ts";
import {
  ALL,
  ASSETS,
  type Ask,
  boom,
  DEX,
  deps,
  each,
  NOW,
  roundOf,
  step,
  stock,
  working,
} from "./madeUpMarket.ts";

describe("a round of the collector", () => {
  forEachEngine((engine) => {
    it("records every kind with source, session and time, on top of one set of references", async () => {
      const db = await engine.create();
      let asked = 0;
      const reference: Ask = (tokens) => {
        asked++;
        return working.reference(tokens);
      };
      // Impacts come last: the net edge takes those of the round before, also of another process.
      await roundOf(db, { impact: working.impact });
      const { steps } = await roundOf(db, { ...working, reference });
      expect(steps.map(({ kind, done, failed }) => `${kind} ${done} ${failed.length}`)).to.deep.equal([
        ...["days 0 0", "listings 0 0", "bases 3 0", "premiums 3 0", "volumes 3 0"],
        ...["references 0 0", "impacts 3 0", "scores 3 0", "actions 0 0", "providers 0 0", "retention 0 0"],
      ]);
      expect(asked).to.equal(1);
      const hour = NOW - (NOW % 3_600);
      const alone = { witnesses: 1, state: "single", spreadBps: null };
      expect(await premiumPoints(db, "key-TSLA", ALL)).to.deep.equal([
        {
          hour,
          premiumBps: "100",
          loBps: "100",
          hiBps: "100",
          netEdgeBps: "-114",
          source: "dex",
          session: "regular",
          referenceSource: "feed",
          referenceAgeSeconds: 5,
          ...alone,
          halted: false,
          samples: 1,
        },
      ]);
      const basis = { basisBps: "50", fundingAnnualBps: "1095", source: "venue", state: "single" };
      const [point] = await basisPoints(db, "NVDA", ALL, "venue");
      expect(point).to.include({ ...basis, fundingState: "single" });
      const [score] = await liquidityScores(db, ["key-AAPL"], NOW);
      expect(score).to.include({ impact10kBps: "40", source: "dex" });
      const totals = { volume24hUsd: "30", liquidityUsd: "60", tokensWithDexData: 3, expected: 3 };
      expect(await liveTotals(db, NOW)).to.deep.equal(totals);
    });
  });

  const db = ofTest(memoryDatabase);

  for (const kind of ["impact", "price", "reference", "perp", "volume"] as const)
    it(`goes on with the other kinds when each ${kind} fails, and says what failed`, async () => {
      const given = deps(db, { ...working, [kind]: boom });
      const { steps } = await collectRound(given, createMemory());
      const reported = steps.flatMap(({ failed }) => failed);
      expect(reported.length).to.be.greaterThan(0);
      // A line for each failed step, for any number of tokens.
      expect(given.logged).to.have.length(1);
      const done = (name: string) => step(steps, name).done;
      expect(done("impacts")).to.equal(kind === "impact" ? 0 : 3);
      expect(done("premiums")).to.equal(kind === "price" ? 0 : 3);
      expect(done("bases")).to.equal(kind === "perp" ? 0 : 3);
      expect(done("volumes")).to.equal(kind === "volume" ? 0 : 3);
      const [premium] = await premiumPoints(db, "key-AAPL", ALL);
      if (kind === "reference") expect(premium).to.include({ premiumBps: null, referenceSource: null });
      if (kind === "impact") expect(premium).to.include({ premiumBps: "100", netEdgeBps: null });
    });

  it("goes on with the other assets and providers where one fails; a failure is no missing route", async () => {
    const given = deps(db, {
      ...working,
      impact: async (tokens) => {
        const [asset] = tokens;
        if (asset?.symbol === "AAPLx") throw new Error("no answer");
        if (asset?.symbol === "NVDAx") return await working.impact(tokens);
        const none = { figure: null, impact1kBps: null, tinyPrice: null, paidIn: "usd" } as const;
        return [{ of: "impact", subject: asset!.assetKey, ...DEX, ...none }];
      },
      price: async (tokens) => ({
        statements: (await working.price(tokens.slice(1))) as Statement[],
        failures: [{ subject: "jupiter", error: new Error("down") }],
        rejected: [{ of: "price", subject: "key-AAPL", reason: "not_positive" }],
      }),
    });
    const { steps } = await collectRound(given, createMemory());
    expect(step(steps, "impacts")).to.include({ done: 2 });
    expect(step(steps, "impacts").failed).to.deep.equal(["impact"]);
    expect(step(steps, "premiums")).to.include({ done: 2, rejected: 1 });
    expect(step(steps, "premiums").failed).to.deep.equal(["jupiter"]);
    const scores = await liquidityScores(db, ["key-AAPL", "key-TSLA"], NOW);
    expect(scores.map(({ sampleN }) => sampleN)).to.deep.equal([0, 1]);
    expect((await rejections(db)).map(({ reason }) => reason)).to.deep.equal(["not_positive"]);
  });

  it("records an impact of a hundred times the price as no route", async () => {
    for (const [impact, recorded] of [
      ["1000000", "1000000"],
      ["1000000.0001", null],
    ] as const) {
      const db = await memoryDatabase();
      const stated = each((subject) => ({
        of: "impact",
        subject,
        ...DEX,
        figure: impact,
        impact1kBps: "4",
        tinyPrice: "101",
        paidIn: "usd",
      }));
      await collectRound(deps(db, { impact: stated }), createMemory());
      const [score] = await liquidityScores(db, ["key-TSLA"], NOW);
      expect(score?.impact10kBps).to.equal(recorded);
    }
  });

  it("a round of the collector does nothing for a source that is not there", async () => {
    const { steps } = await roundOf(db, {});
    expect(steps.flatMap(({ failed }) => failed)).to.deep.equal([]);
    expect(await premiumPoints(db, "key-AAPL", ALL)).to.deep.equal([]);
  });

  it("a round of the collector does not take an impact for the net edge that is older than an hour", async () => {
    const memory = createMemory();
    await collectRound(deps(db, { impact: working.impact }), memory);
    await collectRound(deps(db, { ...working, impact: async () => [] }), memory);
    const later = NOW + 3_601;
    const { price, ratio } = working;
    const reference: Ask = async () => [stock("AAPL", { at: later })];
    const afterwards = { now: () => later * 1_000, assets: ASSETS.slice(0, 1) };
    await collectRound(deps(db, { price, ratio, reference }, afterwards), memory);
    const points = await premiumPoints(db, "key-AAPL", ALL);
    expect(points.map(({ premiumBps, netEdgeBps }) => [premiumBps, netEdgeBps])).to.deep.equal([
      ["100", "-114"],
      ["100", null],
    ]);
  });

  it("takes the platform fee that it is given", async () => {
    const memory = createMemory();
    await collectRound(deps(db, { impact: working.impact }), memory);
    await collectRound(deps(db, working, { platformFeeBps: "25" }), memory);
    expect((await premiumPoints(db, "key-AAPL", ALL))[0]).to.include({ netEdgeBps: "-129" });
  });

  it("tells its progress, and measures no more at once than it may", async () => {
    let [running, most] = [0, 0];
    const told: StepReport[] = [];
    const impact: Ask = async (tokens) => {
      most = Math.max(most, ++running);
      await sleep(5);
      running--;
      return working.impact(tokens);
    };
    await roundOf(db, { impact }, { concurrency: 2, onProgress: (report) => told.push(report) });
    expect(most).to.equal(2);
    const progress = told.filter(({ kind, finished }) => kind === "impacts" && !finished);
    expect(progress.map(({ done }) => done)).to.deep.equal([1, 2, 3]);
    expect(told.filter(({ finished }) => finished)).to.have.length(11);
  });

  it("survives a database that is gone, and goes on when it is back", async () => {
    const gone = await memoryDatabase();
    await gone.destroy();
    const { steps } = await roundOf(gone, working);
    expect(step(steps, "premiums")).to.include({ done: 0 });
    expect(step((await roundOf(db, working)).steps, "bases")).to.include({ done: 3 });
  });
});
