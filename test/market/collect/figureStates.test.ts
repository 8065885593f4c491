/** What a collector makes of figures that are odd, stale or stated by one source alone, from round to round. */
import { expect } from "chai";
import { collectRound } from "../../../market/collect/collect.ts";
import { createMemory } from "../../../market/collect/round.ts";
import { premiumPoints } from "../../../market/queries.ts";
import type { ListingState } from "../../../market/statement.ts";
import { forEachEngine, memoryDatabase, rowOf, rowsOf } from "../../support/database.ts";
import { listedToken, rejections } from "../../support/samples.ts";
import { ofTest } from "../../support/suite.ts";
import {
  ALL,
  ASSETS,
  type Ask,
  boom,
  by,
  DEX,
  deps,
  each,
  NOW,
  roundOf,
  step,
  stock,
  stocksOf,
  working,
} from "./madeUpMarket.ts";

describe("the collector, from round to round,", () => {
  forEachEngine((engine) => {
    it("holds a share ratio that one source alone states against the last one that counted, also after restarts while it is disputed", async () => {
      const db = await engine.create();
      const states: unknown[] = [];
      for (const [index, sharesPerToken] of ["1", "1.09", "1.09", "1"].entries()) {
        const ratio = each((subject) => ({
          of: "ratio",
          subject,
          ...DEX,
          figure: sharesPerToken,
          change: null,
        }));
        const now = () => (NOW + 30 * index) * 1_000;
        await roundOf(db, { ...working, ratio }, { now, assets: ASSETS.slice(0, 1) });
        states.push((await premiumPoints(db, "key-AAPL", ALL)).at(-1)?.state);
      }
      expect(states).to.deep.equal(["single", "disputed", "disputed", "single"]);
    });
  });

  const db = ofTest(memoryDatabase);

  it("keeps a price aside that jumps absurdly, and takes a new level after it was seen three times", async () => {
    const memory = createMemory();
    let now = NOW;
    const round = async (priceUsd: string) => {
      now += 60;
      const { perp: _, ...others } = working;
      const reference: Ask = async () => [stock("AAPL", { figure: priceUsd, at: now })];
      const more = { now: () => now * 1_000, assets: ASSETS.slice(0, 1) };
      const { steps } = await collectRound(deps(db, { ...others, reference }, more), memory);
      return step(steps, "premiums").rejected;
    };
    const told: number[] = [];
    for (const priceUsd of ["100", "100000", "100", "10", "100000", "10", "10.1"])
      told.push(await round(priceUsd));
    expect(told).to.deep.equal([0, 1, 0, 1, 1, 1, 1]);
    // A split: from now on the reference is a tenth, and it is the token's price that does not fit.
    const rejected = await round("9.9");
    expect((await rejections(db))[0]).to.include({ kind: "price", reason: "far_from_reference" });
    expect(rejected).to.equal(1);
    const kept = await rejections(db);
    expect(kept.filter(({ reason }) => reason === "absurd_jump")).to.have.length(5);
  });

  it("keeps a token halted until the list that halted it says otherwise, also after a restart without any list", async () => {
    const list = (source: string, isHalted: boolean | null): ListingState => ({
      of: "listing",
      subject: "key-AAPL",
      ...by(source),
      figure: "listed",
      isHalted,
    });
    let [memory, now] = [createMemory(), NOW];
    const halted = async (listing: Ask) => {
      now += 30;
      await collectRound(deps(db, { ...working, listing }, { now: () => now * 1_000 }), memory);
      const ofKey = async (key: string) => (await premiumPoints(db, key, ALL)).at(-1)?.halted;
      expect(await ofKey("key-TSLA")).to.equal(false);
      return ofKey("key-AAPL");
    };
    const said = (...rows: ListingState[]) => halted(async () => rows);
    expect(await said(list("issuer", false), list("mints", true))).to.equal(true);
    expect(await said(list("issuer", false))).to.equal(true);
    expect(await said(list("issuer", false), list("mints", null))).to.equal(true);
    memory = createMemory();
    expect(await halted(boom)).to.equal(true);
    expect(await said(list("issuer", false))).to.equal(false);
  });

  it("takes a list of share ratios that does not change for stale after an hour in which the stock trades, and off hours after days", async () => {
    const pointsIn = async (session: string, pauseSeconds: number) => {
      await using own = await memoryDatabase();
      const memory = createMemory();
      for (const at of [NOW, NOW + pauseSeconds]) {
        const ratio: Ask = async () => [
          {
            of: "ratio",
            subject: "key-AAPL",
            ...by("dex", null),
            figure: "1",
            fingerprint: "99/99",
            change: null,
          },
        ];
        const more = { now: () => at * 1_000, sessionAt: () => session };
        await collectRound(deps(own, { price: working.price, ratio }, more), memory);
      }
      return (await premiumPoints(own, "key-AAPL", ALL)).length;
    };
    expect(await pointsIn("regular", 7_200)).to.equal(1);
    expect(await pointsIn("closed", 7_200)).to.equal(2);
    expect(await pointsIn("closed", 5 * 86_400 + 1)).to.equal(1);
  });

  it("warns once of figures that one source alone has stated for an hour", async () => {
    const told = [];
    for (const minutes of [0, 50, 70, 90]) {
      const more = { now: () => (NOW + 60 * minutes) * 1_000, sessionAt: () => "closed" };
      const given = deps(db, working, more);
      await collectRound(given, createMemory());
      told.push(given.logged.filter((fields: any) => "state" in fields && fields.kind === "premium"));
    }
    expect(told).to.deep.equal([[], [], [{ kind: "premium", state: "single", count: 3 }], []]);
  });

  it("reports a state again after hours of downtime, and dates it from then on", async () => {
    const listed: ListingState = {
      of: "listing",
      subject: "key-AAPL",
      ...by("issuer"),
      figure: "listed",
      isHalted: true,
    };
    const told = async (at: number) => {
      const given = deps(db, { listing: async () => [listed] }, { now: () => at * 1_000 });
      await collectRound(given, createMemory());
      return [given.logged.length, (await rowOf(db, "market_figures")).since - NOW];
    };
    expect(await told(NOW)).to.deep.equal([1, 0]);
    expect(await told(NOW + 3_600)).to.deep.equal([0, 0]);
    expect(await told(NOW + 20_000)).to.deep.equal([1, 20_000]);
  });

  it("excludes a provider where a tenth of the tokens that it states is excluded, and not for one of many", async () => {
    const standings = async (count: number) => {
      const assets = Array.from({ length: count }, (_, index) => listedToken(`STOCK${index}`));
      const price: Ask = async (asked) =>
        asked.map(({ assetKey: subject }, index) => ({
          of: "price",
          subject,
          ...DEX,
          by: "quote",
          paidIn: "usd",
          figure: index === 0 ? "900" : "101",
        }));
      await collectRound(deps(db, { ...working, price }, { assets }), createMemory());
      const rows = await rowsOf(db, "market_figures", { kind: "provider" });
      return rows.map(({ subject, state }) => `${subject} ${state}`);
    };
    expect(await standings(11)).to.deep.equal(["dex counts"]);
    expect(await standings(10)).to.deep.equal(["dex excluded"]);
  });

  it("excludes a provider for one kind of its figures, however many sound ones of another kind it states", async () => {
    const assets = Array.from({ length: 30 }, (_, index) =>
      listedToken(index < 29 ? "AAPL" : "TSLA", { assetKey: `${index}` }),
    );
    const reference: Ask = async (tokens) =>
      stocksOf(tokens).flatMap((ticker) => [
        stock(ticker),
        stock(ticker, { source: "other", origin: "other" }),
        stock(ticker, { source: "dex", origin: "dex", figure: "130" }),
      ]);
    await collectRound(deps(db, { ...working, reference }, { assets }), createMemory());
    const rows = await rowsOf(db, "market_figures", { state: "excluded" });
    expect(rows.map(({ subject }) => subject)).to.deep.equal(["dex"]);
  });
});
