import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { startCollecting } from "../../../market/collect/schedule.ts";
import type { MarketAsset } from "../../../market/queries.ts";
import { memoryDatabase, rowOf } from "../../support/database.ts";
import { listedToken } from "../../support/samples.ts";
import { ofTest } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { ASSETS, type Ask, type Asks, deps, working } from "./madeUpMarket.ts";

describe("the schedule of the collector", () => {
  const db = ofTest(memoryDatabase);

  const one = { assets: ASSETS.slice(0, 1), now: () => Date.now() };

  it("runs a round at once and then by its pattern without overlap, and stops after the running one", async () => {
    const seen = { running: 0, most: 0, rounds: 0 };
    const impact: Ask = async (tokens) => {
      seen.most = Math.max(seen.most, ++seen.running);
      await sleep(1_300);
      seen.running--;
      seen.rounds++;
      return working.impact(tokens);
    };
    const collector = startCollecting(deps(db, { impact }, one), { pattern: "* * * * * *" });
    await until("a third round", () => seen.rounds >= 2 && seen.running > 0);
    await collector.stop();
    expect(seen).to.include({ most: 1, running: 0 });
    const ended = seen.rounds;
    await sleep(1_200);
    expect(seen.rounds).to.equal(ended);
  });

  it("measures impacts of a chain again while those of another still take their time, and prices beside both", async () => {
    const begun: string[] = [];
    const solana = Promise.withResolvers<void>();
    const asks: Asks = {
      impact: async (tokens) => {
        const [{ chain }] = tokens as [MarketAsset];
        begun.push(chain);
        if (chain === "solana") await solana.promise;
        return working.impact(tokens);
      },
      price: async (assets) => {
        begun.push("prices");
        return working.price(assets);
      },
    };
    const assets = [listedToken("AAPL"), listedToken("TSLA", { chain: "solana" })];
    const given = deps(db, asks, { assets, now: () => Date.now() });
    const collector = startCollecting(given, { pattern: "* * * * * *" });
    const count = (kind: string) => begun.filter((one) => one === kind).length;
    await until("two more rounds beside it", () => count("bnb") >= 2 && count("prices") >= 2);
    expect(count("solana")).to.equal(1);
    solana.resolve();
    await collector.stop();
    await rowOf(db, "market_state", { name: "skipped/impacts of solana" });
    // They take long by design.
    const left = given.logged.flatMap((fields) => ("round" in fields ? [fields.round] : []));
    expect(left).to.not.include("impacts of solana").and.not.include("impacts");
  });

  it("leaves a round of prices out while the one before it runs, and warns of it", async () => {
    const price: Ask = async (assets) => {
      await sleep(1_200);
      return working.price(assets);
    };
    const given = deps(db, { price }, one);
    const collector = startCollecting(given, { pattern: "* * * * * *" });
    await until("a warning", () => given.logged.length > 0);
    await collector.stop();
    expect(given.logged[0]).to.deep.equal({ round: "prices" });
    await rowOf(db, "market_state", { name: "skipped/prices" });
  });

  it("begins nothing more once it was stopped", async () => {
    const begun: string[] = [];
    const impact: Ask = async ([asset]) => {
      begun.push(asset!.symbol);
      await sleep(50);
      return [];
    };
    const collector = startCollecting(deps(db, { impact }, { concurrency: 1 }));
    while (begun.length === 0) await sleep(1);
    await collector.stop();
    expect(begun).to.deep.equal(["AAPLx"]);
  });
});
