import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Database } from "../../../database/open.ts";
import { collectRound } from "../../../market/collect/collect.ts";
import { createMemory } from "../../../market/collect/round.ts";
import { startCollecting } from "../../../market/collect/schedule.ts";
import type { MarketDeps, StepReport } from "../../../market/collect/types.ts";
import {
  basisPoints,
  liquidityScores,
  liveTotals,
  type MarketAsset,
  premiumPoints,
} from "../../../market/queries.ts";
import { createMarket, type Market } from "../../../market/round.ts";
import { createUnchanged } from "../../../market/rules/fresh.ts";
import type { Answer, Kind, ListingState, Source, Statement, StockPrice } from "../../../market/statement.ts";
import { forEachEngine, memoryDatabase, rowOf, rowsOf } from "../../support/database.ts";
import { listedToken, rejections } from "../../support/samples.ts";
import { ofTest } from "../../support/suite.ts";
import { until } from "../../support/until.ts";

const NOW = 1_795_003_300;
const ALL = { from: 0, to: NOW * 2 };

const ASSETS = ["AAPL", "TSLA", "NVDA"].map((underlying) => listedToken(underlying));

type Ask = (tokens: readonly MarketAsset[]) => Promise<readonly Statement[] | Answer>;
/** What a source of each kind answers. */
type Asks = Partial<Record<Kind, Ask>>;

const by = (source: string, at: number | null = NOW) => ({ source, origin: source, at, rawHash: null });
const stock = (underlying: string, more: Partial<StockPrice> = {}): StockPrice => ({
  of: "reference",
  subject: underlying,
  ...by("feed", NOW - 5),
  figure: "100",
  confidence: null,
  ...more,
});
const stocksOf = (tokens: readonly MarketAsset[]) => [...new Set(tokens.map(({ underlying }) => underlying))];
const each =
  (one: (subject: string) => Statement): Ask =>
  async (tokens) =>
    tokens.map(({ assetKey }) => one(assetKey));
const eachStock =
  (one: (subject: string) => Statement): Ask =>
  async (tokens) =>
    stocksOf(tokens).map(one);

const DEX = by("dex");
const working = {
  impact: each((subject) => ({
    of: "impact",
    subject,
    ...DEX,
    figure: "40",
    impact1kBps: "4",
    tinyPrice: "101",
    paidIn: "usd",
  })),
  price: each((subject) => ({ of: "price", subject, ...DEX, by: "quote", paidIn: "usd", figure: "101" })),
  ratio: each((subject) => ({ of: "ratio", subject, ...DEX, figure: "1", fixed: true, change: null })),
  reference: eachStock((ticker) => stock(ticker)),
  perp: eachStock((subject) => ({
    of: "perp",
    subject,
    ...by("venue"),
    market: subject,
    figure: "100.5",
    oracleUsd: null,
    fundingRate: "0.0001",
    fundingIntervalHours: 8,
  })),
  volume: each((subject) => ({ of: "volume", subject, ...by("index"), figure: "10", liquidityUsd: "20" })),
} satisfies Asks;

const answerOf = (told: readonly Statement[] | Answer): Answer =>
  "statements" in told ? told : { statements: told, rejected: [] };

function marketOf(asks: Asks, now: () => number, more: Partial<Market> = {}): Market {
  const sources = Object.entries(asks).map(
    ([of, ask]): Source => ({
      asks: "each",
      name: of,
      of: [of as Kind],
      ask: async (tokens) => answerOf(await ask(tokens)),
    }),
  );
  return { ...createMarket(sources, now), ...more };
}

function deps(db: Database, asks: Asks, more: Partial<MarketDeps> = {}) {
  const logged: object[] = [];
  const tell = (fields: object) => void logged.push(fields);
  const { now = () => NOW * 1_000 + 999 } = more;
  const log = { warn: tell, error: tell };
  const market = marketOf(asks, now);
  return { db, assets: ASSETS, market, sessionAt: () => "regular", log, ...more, now, logged };
}

/** A round of a collector that remembers nothing. */
const roundOf = (db: Database, asks: Asks, more: Partial<MarketDeps> = {}) =>
  collectRound(deps(db, asks, more), createMemory());

const step = (steps: readonly StepReport[], kind: string) => steps.find((each) => each.kind === kind)!;

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

  const boom = async (): Promise<never> => {
    throw new Error("no answer");
  };

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

it("since when a figure has not changed is remembered for a week after it was stated last", () => {
  const { since } = createUnchanged();
  const day = 86_400;
  const seen = [0, 7 * day, 7 * day + 1, 15 * day].map((now) => since("pool", "1", now));
  expect(seen).to.deep.equal([0, 0, 0, 15 * day]);
});

describe("the schedule of the collector", () => {
  const db = ofTest(memoryDatabase);

  const counting = (takesMs = 650) => {
    const seen = { running: 0, most: 0, rounds: 0 };
    const asks: Asks = {
      impact: async (tokens) => {
        seen.most = Math.max(seen.most, ++seen.running);
        await sleep(takesMs);
        seen.running--;
        seen.rounds++;
        return working.impact(tokens);
      },
    };
    return { seen, asks };
  };
  const one = { assets: ASSETS.slice(0, 1), now: () => Date.now() };

  it("runs a round at once and then by its pattern without overlap, and stops after the running one", async () => {
    const { seen, asks } = counting(1_300);
    const collector = startCollecting(deps(db, asks, one), { pattern: "* * * * * *" });
    while (seen.running === 0) await sleep(5);
    while (seen.rounds < 2) await sleep(20);
    while (seen.running === 0) await sleep(20);
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
    while (given.logged.length === 0) await sleep(20);
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
