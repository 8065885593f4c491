/** What a round gets of the live market, source by source. */
import { expect } from "chai";
import { collectRound } from "../../market/collect/collect.ts";
import { createMemory } from "../../market/collect/round.ts";
import { connectMarket, type LiveDeps } from "../../market/providers/connect.ts";
import { USDT_MINT } from "../../market/providers/jupiter.ts";
import { USDT_FEED } from "../../market/providers/pyth.ts";
import { MOST_MULTIPLIERS } from "../../market/providers/xstocks.ts";
import { premiumPoints } from "../../market/queries.ts";
import { chooseDollar, pricedInUsd } from "../../market/rules/dollar.ts";
import { chooseRatio } from "../../market/rules/prices.ts";
import type { Kind } from "../../market/statement.ts";
import { memoryDatabase, rowsOf } from "../support/database.ts";
import { replayCollector, startReplay } from "../support/providers/replay.ts";
import { REPLAY_NOW, type ReplayWorld, replayWorld } from "../support/providers/replayWorld.ts";
import { ofTest } from "../support/suite.ts";

const QUOTED = "bnb-xstocks-AAPL";
const SCALED = "solana-xstocks-AAPL";
const BEARING = "bnb-ondo-AAPL";

describe("the sources of the live market", () => {
  const replay = ofTest(() => startReplay(replayWorld(["AAPL", "TSLA"])));
  const db = ofTest(memoryDatabase);
  const live = (more: Partial<LiveDeps> = {}) => {
    return connectMarket({ ...replay.deps, tokens: replay.world.tokens, ...more });
  };
  /** Changes what one provider answers. */
  const lie = (provider: string, change: (body: any) => void) => {
    replay.world.rewrite = (asked, body) => {
      if (asked === provider) change(body);
      return body;
    };
  };
  const quoteOf = async () => {
    const { ask } = live();
    const { tokens } = replay.world;
    const { statements } = await ask("price", tokens);
    const told = chooseDollar((await ask("dollar", [])).statements, replay.world.now);
    const quote = statements.find(({ subject }) => subject === QUOTED)!;
    const [price] = pricedInUsd(quote, told.dollar);
    return { price, reasons: told.rejections.map(({ kind, reason }) => `${kind} ${reason}`) };
  };

  it("the sources of the live market convert quotes by a dollar that Jupiter and Pyth agree on, and by none that they dispute", async () => {
    replay.world.usdtUsd = 0.998;
    const { price } = await quoteOf();
    const stated = { by: "quote", source: "pancakeswap", origin: "pancakeswap", converted: "agreed" };
    expect(price).to.include({ ...stated, paidIn: "usd" });
    expect(Number(price?.figure).toFixed(2)).to.equal("100.00");
    lie("jupiter", (body) => {
      if (body[USDT_MINT]) body[USDT_MINT].usdPrice = 1.017;
    });
    const disputed = await quoteOf();
    expect(disputed.price).to.equal(undefined);
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
    const { tokens } = replay.world;
    const ratiosOf = async (more: Partial<LiveDeps> = {}) => {
      const { statements, failures } = await live(more).ask("ratio", tokens);
      const own = (key: string) => statements.filter(({ subject }) => subject === key);
      const stated = (key: string) =>
        own(key).map((row) => `${row.origin} ${chooseRatio([row], replay.world.now)?.figure}`);
      return { own, stated, failures };
    };
    const { stated, own } = await ratiosOf();
    expect(stated(SCALED)).to.have.members(["jupiter 1.0057", "solana 1.0057"]);
    expect(stated(BEARING)).to.have.members(["binanceRwa 2", "chain 2"]);
    expect(own(QUOTED)[0]).to.include({ figure: "1", fixed: true });
    const factsOf: LiveDeps["factsOf"] = async (assetKey, at) => {
      if (assetKey !== BEARING) throw new Error("no node");
      return replay.deps.factsOf!(assetKey, at);
    };
    const withChain = await ratiosOf({ factsOf });
    expect(withChain.stated(BEARING)).to.have.members(["binanceRwa 2", "chain 2"]);
    expect(withChain.failures.map(({ subject }) => subject)).to.deep.equal(["bnb-ondo-TSLA"]);
    lie("jupiter", (body) => {
      for (const row of Object.values<any>(body)) delete row.scaledUiConfig;
    });
    expect((await ratiosOf()).stated(SCALED)).to.deep.equal(["solana 1.0057"]);
  });

  it("ask the issuer for the multipliers of some tokens after each round, which serve the next ones for an hour", async () => {
    const tickers = Array.from({ length: MOST_MULTIPLIERS + 1 }, (_, index) => `T${index}`);
    const { tokens } = replayWorld(tickers);
    replay.world.tokens = tokens;
    const { ask, afterwards } = live();
    const stated = async () => {
      const { statements } = await ask("ratio", tokens);
      const own = statements.filter(({ source }) => source === "xstocks");
      return own.map((row) => chooseRatio([row], replay.world.now)?.figure);
    };
    expect(await stated()).to.deep.equal([]);
    await afterwards();
    expect(await stated()).to.deep.equal(new Array(MOST_MULTIPLIERS).fill("1.0057"));
    replay.world.now += 1_800;
    const effective = new Date((replay.world.now + 60) * 1_000).toISOString();
    lie("xstocks", (body) => Object.assign(body, { newMultiplier: "2", activationDateTime: effective }));
    await afterwards();
    expect(new Set(await stated())).to.deep.equal(new Set(["1.0057"]));
    replay.world.now += 60;
    expect((await stated()).filter((shares) => shares === "2")).to.have.length(MOST_MULTIPLIERS);
    expect(await stated()).to.have.length(tickers.length);
    replay.world.now += 3_600;
    expect(await stated()).to.deep.equal([]);
  });

  it("ask one stock at a time about those that no other source knows, again after four minutes", async () => {
    const asked: string[] = [];
    const fetch = (async (input: URL, init?: RequestInit) => {
      if (!input.pathname.includes("/finnhub/")) return replay.deps.fetch(input, init);
      const symbol = input.searchParams.get("symbol")!;
      asked.push(symbol);
      return Response.json({ c: 7, pc: 6, t: replay.world.now });
    }) as typeof globalThis.fetch;
    const keys = { ...replay.deps.keys, finnhub: "key" };
    const tokens = [
      ...replay.world.tokens,
      { ...replay.world.tokens[1]!, assetKey: "x", underlying: "RARE" },
    ];
    const { ask, afterwards } = live({ fetch, keys, tokens });
    const stated = async () => {
      const { statements } = await ask("reference", tokens);
      return statements.filter(({ source }) => source === "finnhub").map(({ subject }) => subject);
    };
    expect(await stated()).to.eql([]);
    await afterwards();
    await afterwards();
    expect([asked, await stated()]).to.eql([["RARE"], ["RARE"]]);
    replay.world.now += 240;
    await afterwards();
    expect(asked).to.eql(["RARE", "RARE"]);
  });

  it("tell once what a list gave before and does not give now", async () => {
    const { ask } = live();
    const { tokens } = replay.world;
    const told = async () => {
      replay.world.now += 300;
      const found = [];
      for (const kind of ["perp", "price", "price", "ratio", "reference"] as const)
        found.push(await ask(kind, tokens));
      const rejected = found.flatMap(({ rejections }) => rejections);
      return rejected.map(({ kind, subject, reason }) => `${kind} ${subject} ${reason}`);
    };
    expect(await told()).to.deep.equal([]);
    const [scaled, other] = tokens.filter(({ shares }) => shares === "multiplier");
    replay.world.rewrite = (provider, body: any) => {
      if (provider === "jupiter") delete body[scaled!.address];
      if (provider === "jupiter") body[other!.address].usdPrice = "much";
      if (provider === "binance" && body.symbols) body.symbols.shift();
      if (provider === "pyth") body.parsed?.shift();
      return body;
    };
    expect(await told()).to.have.members([
      "perp AAPL missing",
      `price ${scaled!.assetKey} missing`,
      `price ${other!.assetKey} shape`,
      `ratio ${scaled!.assetKey} missing`,
      `ratio ${other!.assetKey} missing`,
      // By Jupiter both, by Pyth and Binance one each.
      ...["AAPL", "AAPL", "AAPL", "TSLA"].map((ticker) => `reference ${ticker} missing`),
    ]);
    expect(await told(), "of a new answer").to.deep.equal([`price ${other!.assetKey} shape`]);
  });

  it("tell an answer that holds nothing as a failure of its provider, once for all that it serves", async () => {
    const nothing: Record<string, (body: any) => unknown> = {
      pyth: (body) => (body.parsed ? { parsed: [] } : body),
      jupiter: () => ({}),
      binance: () => ({ symbols: [] }),
      hyperliquid: (body) => (body[0].universe ? [{ universe: [] }, []] : body),
      binanceRwa: () => ({ code: 0, data: [] }),
      solana: () => ({ result: { value: [] } }),
      xstocks: () => ({ nodes: [], page: { currentPage: 0, hasNextPage: false } }),
    };
    for (const [provider, empty] of Object.entries(nothing)) {
      const asked: string[] = [];
      replay.world.rewrite = (by, body, request) => {
        if (by === provider) asked.push(request);
        return by === provider ? empty(body) : body;
      };
      const { ask } = live();
      const failed = new Set<string>();
      for (const kind of ["reference", "perp", "ratio", "listing", "price"] satisfies Kind[])
        for (const { subject } of (await ask(kind, replay.world.tokens)).failures) failed.add(subject);
      expect([...failed], provider).to.deep.equal([provider]);
      expect(new Set(asked).size, provider).to.equal(asked.length);
    }
  });

  it("say which tokens are halted, have moved or are gone, and nothing of one that an unreadable row may be about", async () => {
    const statesOf = async (world: ReplayWorld) => {
      world.now += 600;
      const { statements } = await live().ask("listing", world.tokens);
      return statements.map((one) => `${one.subject} ${one.source} ${one.figure} ${one.isHalted}`);
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
    const memory = createMemory();
    // Buys of 10,000 dollars are as cheap as tiny ones, and the token's price is a tenth above that of its buys.
    lie("pancakeswap", ({ best }) => {
      if (best.inputAmount.length === 21) best.outputAmount = String(BigInt(best.outputAmount) * 2n);
    });
    const rejected = async () => {
      await collectRound(replayCollector(replay, db), memory, "impacts");
      const reasons = (await rowsOf(db, "rejected_samples", { kind: "impact" })).map(({ reason }) => reason);
      return [...new Set(reasons)];
    };
    await rejected();
    expect(replay.asked.some((path) => path.startsWith("pyth"))).to.equal(false);
    replay.world.rewrite = (_provider, body) => body;
    await collectRound(replayCollector(replay, db), memory, "prices");
    expect(Number(memory.dollar?.usd)).to.equal(1);
    const pricier = memory.prices.get(QUOTED)!;
    memory.prices.set(QUOTED, { ...pricier, tokenPriceUsd: String(Number(pricier.tokenPriceUsd) * 1.1) });
    expect(await rejected()).to.include("price_too_good");
  });
});
