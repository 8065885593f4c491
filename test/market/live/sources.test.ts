/** What the live market hands to the collector, source by source. */
import { expect } from "chai";
import { collectRound } from "../../../market/collect/collect.ts";
import { createMemory } from "../../../market/collect/round.ts";
import { USDT_FEED, USDT_MINT } from "../../../market/live/dollar.ts";
import { createLiveMarket, type LiveDeps } from "../../../market/live/live.ts";
import { MOST_MULTIPLIERS } from "../../../market/providers/xstocks.ts";
import { premiumPoints } from "../../../market/queries.ts";
import { memoryDatabase } from "../../support/database.ts";
import {
  REPLAY_NOW,
  type ReplayWorld,
  replayCollector,
  replayWorld,
  startReplay,
} from "../../support/providers/replay.ts";
import { ofTest } from "../../support/suite.ts";

const QUOTED = "bnb-xstocks-AAPL";
const SCALED = "solana-xstocks-AAPL";
const BEARING = "bnb-ondo-AAPL";

describe("the sources of the live market", () => {
  const replay = ofTest(() => startReplay(replayWorld(["AAPL", "TSLA"])));
  const db = ofTest(memoryDatabase);
  const live = (more: Partial<LiveDeps> = {}) =>
    createLiveMarket({ ...replay.deps, assets: replay.world.tokens, ...more }).sources;
  /** Changes what one provider answers. */
  const lie = (provider: string, change: (body: any) => void) => {
    replay.world.rewrite = (asked, body) => {
      if (asked === provider) change(body);
      return body;
    };
  };
  const quoteOf = async () => {
    const sources = live();
    const { rows, rejected = [] } = await sources.pricesOf!(replay.world.tokens);
    expect((await sources.pricesOf!(replay.world.tokens)).rejected, "told once").to.deep.equal([]);
    const reasons = rejected.map(({ kind, reason }) => `${kind} ${reason}`);
    return { quote: rows.find(({ assetKey }) => assetKey === QUOTED), reasons };
  };

  it("the sources of the live market convert quotes by a dollar that Jupiter and Pyth agree on, and by none that they dispute", async () => {
    replay.world.usdtUsd = 0.998;
    const { quote } = await quoteOf();
    const said = { kind: "quote", source: "pancakeswap", origin: "pancakeswap", converted: "agreed" };
    expect(quote).to.include(said);
    expect(Number(quote?.tokenPriceUsd).toFixed(2)).to.equal("100.00");
    lie("jupiter", (body) => {
      if (body[USDT_MINT]) body[USDT_MINT].usdPrice = 1.017;
    });
    const disputed = await quoteOf();
    expect(disputed.quote).to.equal(undefined);
    expect(disputed.reasons).to.deep.equal(["dollar disputed"]);
  });

  it("tell a figure that one dollar alone converted as single, and count no dollar of long ago", async () => {
    const stateOf = async () => {
      replay.world.now += 300;
      await collectRound(replayCollector(replay, db), createMemory(), "prices");
      const points = await premiumPoints(db, QUOTED, { from: REPLAY_NOW - 3_600, to: REPLAY_NOW * 2 });
      return points.at(-1)?.state;
    };
    expect(await stateOf()).to.equal("agreed");
    lie("pyth", ({ parsed }) => {
      const usdt = parsed?.find(({ id }: { id: string }) => id === USDT_FEED.id);
      if (usdt) usdt.price.publish_time -= 86_400;
    });
    expect((await quoteOf()).reasons).to.deep.equal(["dollar no_running_dollar"]);
    expect(await stateOf()).to.equal("single");
  });

  it("state shares per token by origin: Jupiter's list and the mint itself, Binance's list and the token's contract, and nothing where nothing is converted", async () => {
    const ratiosOf = async (more: Partial<LiveDeps> = {}) => {
      const { rows, failures } = await live(more).ratiosOf!(replay.world.tokens);
      const said = (key: string) =>
        rows.filter(({ assetKey }) => assetKey === key).map((row) => `${row.origin} ${row.sharesPerToken}`);
      return { said, rows, failures };
    };
    const { said, rows } = await ratiosOf();
    expect(said(SCALED)).to.have.members(["jupiter 1.0057", "solana 1.0057"]);
    expect(said(BEARING)).to.have.members(["binanceRwa 2", "chain 2"]);
    expect(rows.find(({ assetKey }) => assetKey === QUOTED)).to.include({ sharesPerToken: "1", fixed: true });
    const chainRatio = async (assetKey: string) => {
      if (assetKey !== BEARING) throw new Error("no node");
      return "2";
    };
    const withChain = await ratiosOf({ chainRatio });
    expect(withChain.said(BEARING)).to.have.members(["binanceRwa 2", "chain 2"]);
    expect(withChain.failures?.map(({ subject }) => subject)).to.deep.equal(["bnb-ondo-TSLA"]);
    lie("jupiter", (body) => {
      for (const row of Object.values<any>(body)) delete row.scaledUiConfig;
    });
    expect((await ratiosOf()).said(SCALED)).to.deep.equal(["solana 1.0057"]);
  });

  it("ask the issuer for the multipliers of some tokens after each round, which serve the next ones for an hour", async () => {
    const tickers = Array.from({ length: MOST_MULTIPLIERS + 1 }, (_, index) => `T${index}`);
    replay.world.tokens = replayWorld(tickers).tokens;
    const sources = live();
    const said = async () => {
      const { rows } = await sources.ratiosOf!(replay.world.tokens);
      return rows.filter(({ origin }) => origin === "xstocks").map(({ sharesPerToken }) => sharesPerToken);
    };
    expect(await said()).to.deep.equal([]);
    await sources.afterwards!();
    expect(await said()).to.deep.equal(new Array(MOST_MULTIPLIERS).fill("1.0057"));
    replay.world.now += 1_800;
    const effective = new Date((replay.world.now + 60) * 1_000).toISOString();
    lie("xstocks", (body) => Object.assign(body, { newMultiplier: "2", activationDateTime: effective }));
    await sources.afterwards!();
    expect(new Set(await said())).to.deep.equal(new Set(["1.0057"]));
    replay.world.now += 60;
    expect((await said()).filter((shares) => shares === "2")).to.have.length(MOST_MULTIPLIERS);
    expect(await said()).to.have.length(tickers.length);
    replay.world.now += 3_600;
    expect(await said()).to.deep.equal([]);
  });

  it("tell once what a list gave before and does not give now", async () => {
    const sources = live();
    const told = async () => {
      replay.world.now += 300;
      const found = [
        await sources.perpsOf!(["AAPL", "TSLA"]),
        await sources.pricesOf!(replay.world.tokens),
        await sources.pricesOf!(replay.world.tokens),
        await sources.referencesOf!(["AAPL", "TSLA"]),
      ];
      const rejected = found.flatMap(({ rejected = [] }) => rejected);
      return rejected.map(({ kind, subject, reason }) => [kind, subject, reason].join(" "));
    };
    expect(await told()).to.deep.equal([]);
    const [scaled, other] = replay.world.tokens.filter(({ shares }) => shares === "multiplier");
    replay.world.rewrite = (provider, body: any) => {
      if (provider === "jupiter") delete body[scaled!.address];
      if (provider === "jupiter") body[other!.address].usdPrice = "much";
      if (provider === "binance" && body.symbols) body.symbols.shift();
      if (provider === "pyth") body.parsed?.shift();
      return body;
    };
    expect(await told()).to.have.members([
      "perp AAPLUSDT missing",
      `price ${scaled!.address} missing`,
      `price ${other!.address} shape`,
      ...["AAPL", "AAPL", "TSLA"].map((ticker) => `reference ${ticker} missing`),
    ]);
    expect(await told(), "of a new answer").to.deep.equal([`price ${other!.address} shape`]);
  });

  it("tell an answer that holds nothing as a failure of its provider", async () => {
    const nothing: Record<string, (body: any) => unknown> = {
      pyth: (body) => (body.parsed ? { parsed: [] } : body),
      jupiter: () => ({}),
      binance: () => ({ symbols: [] }),
      hyperliquid: (body) => (body[0].universe ? [{ universe: [] }, []] : body),
      binanceRwa: () => ({ code: 0, data: [] }),
      solana: () => ({ result: { value: [] } }),
      xstocks: () => ({ nodes: [], page: { currentPage: 0, hasNextPage: false } }),
    };
    const { tokens } = replay.world;
    for (const [provider, empty] of Object.entries(nothing)) {
      replay.world.rewrite = (asked, body) => (asked === provider ? empty(body) : body);
      const { referencesOf, perpsOf, ratiosOf, listingsOf } = live();
      const found = [
        await referencesOf!(["AAPL"]),
        await perpsOf!(["AAPL"]),
        await ratiosOf!(tokens),
        await listingsOf!(tokens),
      ];
      const failed = found.flatMap(({ failures = [] }) => failures.map(({ subject }) => subject));
      expect([...new Set(failed)], provider).to.deep.equal([provider]);
    }
  });

  it("say which tokens are halted, have moved or are gone, and nothing of one that an unreadable row may be about", async () => {
    const statesOf = async (world: ReplayWorld) => {
      world.now += 600;
      const { rows } = await live().listingsOf!(world.tokens);
      return rows.map((row) => `${row.assetKey} ${row.source} ${row.state} ${row.isHalted}`);
    };
    const { world } = replay;
    const usual = await statesOf(world);
    expect(usual).to.include.members([
      "bnb-ondo-AAPL binanceRwa listed false",
      "bnb-xstocks-AAPL xstocks listed false",
      "solana-xstocks-AAPL solana listed false",
      "solana-xstocks-AAPL xstocks listed false",
    ]);
    expect(usual).to.have.length(8);
    world.rewrite = (provider, body: any) => {
      if (provider === "xstocks") {
        const [aapl, tsla] = body.nodes;
        aapl.isTradingHalted = true;
        tsla.deployments[0].address = `${tsla.deployments[0].address.slice(0, -1)}9`;
      }
      if (provider === "binanceRwa") {
        body.data[0].statusInfo = { reasonCode: "UNSUPPORTED" };
        body.data.pop();
      }
      if (provider === "solana") {
        const { extensions } = body.result.value[1].data.parsed.info;
        extensions.find(({ state }: any) => "paused" in state).state.paused = true;
      }
      return body;
    };
    expect(await statesOf(world)).to.have.members([
      "bnb-ondo-AAPL binanceRwa listed true",
      "bnb-ondo-TSLA binanceRwa missing null",
      "bnb-xstocks-AAPL xstocks listed true",
      "bnb-xstocks-TSLA xstocks migrated false",
      "solana-xstocks-AAPL solana listed false",
      "solana-xstocks-AAPL xstocks listed true",
      "solana-xstocks-TSLA solana listed true",
      "solana-xstocks-TSLA xstocks migrated false",
    ]);
    lie("binanceRwa", ({ data }) => {
      data[0].statusInfo = { reasonCode: "MARKET_PAUSED" };
    });
    expect(await statesOf(world)).to.include("bnb-ondo-AAPL binanceRwa listed false");
    lie("xstocks", ({ nodes }) => {
      nodes[0].isTradingHalted = null;
    });
    expect((await statesOf(world)).filter((state) => state.startsWith("bnb-xstocks-AAPL"))).to.deep.equal([]);
  });

  it("know what a tiny buy paid where the dollar is known already, and ask nobody for it", async () => {
    const sources = live();
    const token = replay.world.tokens.find(({ assetKey }) => assetKey === QUOTED)!;
    expect((await sources.impactsOf!(token))?.tinyPriceUsd).to.equal(null);
    expect(replay.asked.every((path) => path.startsWith("pancakeswap"))).to.equal(true);
    await sources.pricesOf!([token]);
    expect(Number((await sources.impactsOf!(token))?.tinyPriceUsd).toFixed(2)).to.equal("100.00");
  });
});
