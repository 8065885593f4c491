import { expect } from "chai";
import { collectRound } from "../../../market/collect/collect.ts";
import { createMemory } from "../../../market/collect/round.ts";
import type { RoundReport } from "../../../market/collect/types.ts";
import { basisPoints, dailyTotals, liveTotals, premiumPoints } from "../../../market/queries.ts";
import { newestRejections } from "../../../market/series/rejected.ts";
import { memoryDatabase } from "../../support/database.ts";
import {
  REPLAY_NOW,
  type ReplayPool,
  type ReplayToken,
  replayCollector,
  replayWorld,
  startReplay,
} from "../../support/providers/replay.ts";
import { ofTest } from "../../support/suite.ts";

const TICKERS = ["AAPL", "TSLA"];
const ALL = { from: 0, to: REPLAY_NOW * 2 };

describe("a market with a provider that is wrong", () => {
  const db = ofTest(memoryDatabase);
  const replay = ofTest(() => startReplay(replayWorld(TICKERS)));
  let session: string;
  let round: () => Promise<RoundReport>;
  beforeEach(async () => {
    session = "regular";
    const memory = createMemory();
    round = () => {
      replay.world.now += 300;
      return collectRound(replayCollector(replay, db, { sessionAt: () => session }), memory);
    };
    // Two rounds in which everybody is right: depths are measured, totals stand.
    await round();
    await round();
  });

  const rejectedFor = async (reason: string) =>
    (await newestRejections(db, 1_000)).filter((rejection) => rejection.reason === reason);
  const lastPremium = async (assetKey: string) => {
    await round();
    return (await premiumPoints(db, assetKey, ALL)).at(-1);
  };
  /** @returns the point of the next round, whose premium is that of a world in which nobody is wrong */
  const soundPremium = async (assetKey: string) => {
    const point = await lastPremium(assetKey);
    expect(Math.abs(Number(point?.premiumBps)), assetKey).to.be.below(30);
    return point;
  };
  const basisOf = async (venue: string) => (await basisPoints(db, "AAPL", ALL, venue)).at(-1);
  const shutDown = (...names: string[]) => {
    for (const name of names) replay.world.down.add(name);
  };
  const onBnb = () => {
    const tokens = replay.world.tokens.filter(({ chain }) => chain === "bnb");
    expect(tokens).to.not.be.empty;
    return tokens;
  };
  /** @param place digit of the address by which it differs from the token's first pool */
  const addPool = (token: ReplayToken, place: string | RegExp, digit: string, pool: Partial<ReplayPool>) => {
    const address = token.pools[0]!.address.replace(place, digit);
    const plain = { priceFactor: 1, liquidityUsd: 800_000, volumeUsd: 5_000, trades: 3 };
    token.pools.push({ address, ...plain, ...pool });
  };

  it("serves every series while nobody is wrong, with the number of sources that agree", async () => {
    for (const { assetKey } of replay.world.tokens)
      expect(await soundPremium(assetKey), assetKey).to.include({ witnesses: 2 });
    expect(await newestRejections(db, 9)).to.deep.equal([]);
  });

  it("keeps a reference of 1.9 times the others out of every premium and basis", async () => {
    replay.world.pyth.factor = 1.9;
    for (const { assetKey } of replay.world.tokens) await soundPremium(assetKey);
    expect(Number((await basisOf("hyperliquid"))?.hiBps)).to.be.below(30);
    const aside = (await rejectedFor("odd_one_out")).find(({ subject }) => subject === "AAPL");
    expect(aside).to.include({ kind: "reference" });
    expect(aside?.sample).to.include({ source: "pyth", priceUsd: "190" });
  });

  it("a market with a provider that is wrong has no premium where two references disagree and nobody else can tell", async () => {
    replay.world.pyth.factor = 1.9;
    shutDown("hyperliquid", "binance");
    const point = await lastPremium("bnb-xstocks-AAPL");
    expect(point).to.include({ premiumBps: null, referenceSource: null });
    expect(await rejectedFor("witnesses_disagree")).to.have.length.above(0);
  });

  it("serves the figure of a single reference and says that it is one", async () => {
    shutDown("hyperliquid", "binance", "pyth");
    expect(await soundPremium("bnb-xstocks-AAPL")).to.include({ witnesses: 1, referenceSource: "jupiter" });
  });

  it("takes a quote in dollar tokens for what these are worth, and not for dollars", async () => {
    shutDown("dexscreener", "geckoterminal");
    replay.world.usdtUsd = 0.98;
    for (const { assetKey } of onBnb())
      expect((await soundPremium(assetKey))?.source, assetKey).to.equal("pancakeswap");
  });

  it("makes no price of a quote in dollar tokens that nobody prices", async () => {
    shutDown("dexscreener", "geckoterminal", "jupiter");
    replay.world.usdtUsd = 0.98;
    for (const { assetKey } of onBnb()) {
      const before = (await premiumPoints(db, assetKey, ALL)).at(-1);
      expect(await lastPremium(assetKey), assetKey).to.deep.equal(before);
    }
  });

  it("turns away a reference whose own confidence is wide", async () => {
    replay.world.pyth.confidenceBps = 300;
    expect((await lastPremium("bnb-xstocks-AAPL"))?.referenceSource).to.equal("jupiter");
    expect((await rejectedFor("wide_confidence"))[0]?.sample).to.include({ source: "pyth" });
  });

  it("takes no price from a pool that states 9 billion of liquidity", async () => {
    for (const token of replay.world.tokens)
      addPool(token, "c", "f", { priceFactor: 1.3968, liquidityUsd: 9_000_000_000 });
    const before = await liveTotals(db, replay.world.now);
    for (const { assetKey } of replay.world.tokens) await soundPremium(assetKey);
    expect(await liveTotals(db, replay.world.now)).to.deep.equal(before);
    expect((await rejectedFor("depth_not_confirmed"))[0]?.sample).to.include({ liquidityUsd: "9000000000" });
  });

  it("counts no volume of 900 million that no measured depth could have carried", async () => {
    for (const token of replay.world.tokens) addPool(token, "c", "f", { volumeUsd: 900_000_000 });
    const before = await liveTotals(db, replay.world.now);
    const midnight = Math.ceil(replay.world.now / 86_400) * 86_400;
    replay.world.now = midnight - 600;
    await round();
    expect((await liveTotals(db, replay.world.now)).volume24hUsd).to.equal(before.volume24hUsd);
    await round();
    const [all] = await dailyTotals(db, "2000-01-01", "2100-01-01");
    expect(all).to.include({ scope: "all", volumeUsd: before.volume24hUsd });
    expect(await rejectedFor("volume_beyond_depth")).to.have.length.above(0);
  });

  it("counts of many pools that each state what one may no more than what one may", async () => {
    const [token] = replay.world.tokens;
    const depth = token!.depthUsd;
    for (const digit of "0123456789")
      addPool(token!, /.$/, digit, { liquidityUsd: 4 * depth, volumeUsd: 9 * depth });
    await round();
    const day = await db
      .selectFrom("volume_days")
      .selectAll()
      .where("asset_key", "=", token!.assetKey)
      .orderBy("sampled_at", "desc")
      .executeTakeFirstOrThrow();
    expect(Number(day.liquidity_usd)).to.be.within(depth / 2, 10 * depth * 1.1);
    expect(Number(day.volume_24h_usd)).to.be.below(20 * depth * 1.1);
    expect(await rejectedFor("depth_not_confirmed")).to.have.length.above(5);
  });

  it("counts no pool in which nobody traded for a day, nor one below the floor", async () => {
    const before = await liveTotals(db, replay.world.now);
    for (const token of replay.world.tokens) {
      addPool(token, "c", "e", { liquidityUsd: 50_000, volumeUsd: 0, trades: 0 });
      addPool(token, "c", "f", { liquidityUsd: 900, volumeUsd: 90, trades: 9 });
    }
    await round();
    expect(await liveTotals(db, replay.world.now)).to.deep.equal(before);
  });

  it("sums all pools of a token, not the one that a batch names", async () => {
    const pools = replay.world.tokens.flatMap((token) => token.pools);
    const sum = pools.reduce((total, { volumeUsd }) => total + volumeUsd, 0);
    expect((await liveTotals(db, replay.world.now)).volume24hUsd).to.equal(String(sum));
    // The batch is asked where no liquidity is known yet, for the order of the tokens and for no figure.
    replay.asked.length = 0;
    await round();
    expect(replay.asked.some((path) => path.startsWith("dexscreener/token-pairs/v1/"))).to.equal(true);
    expect(replay.asked.some((path) => path.startsWith("dexscreener/tokens/v1/"))).to.equal(false);
  });

  it("a market with a provider that is wrong has no basis of a mark of 1.5 times its venue's oracle", async () => {
    replay.world.hyperliquid.markFactor = 1.5;
    await round();
    expect(Number((await basisOf("hyperliquid"))?.hiBps)).to.be.below(30);
    const aside = await rejectedFor("mark_far_from_oracle");
    expect(aside.map(({ kind, subject }) => `${kind} ${subject}`)).to.have.members([
      "perp AAPL",
      "perp TSLA",
    ]);
  });

  it("a market with a provider that is wrong has no basis of a mark and an oracle that are both 1.5 times the stock", async () => {
    Object.assign(replay.world.hyperliquid, { markFactor: 1.5, oracleFactor: 1.5 });
    await round();
    expect(Number((await basisOf("hyperliquid"))?.hiBps)).to.be.below(30);
    expect(await rejectedFor("mark_far_from_reference")).to.have.length.above(0);
  });

  it("keeps a share ratio of 1.5 times the last one out, and takes a split that the price follows", async () => {
    replay.world.ratioFactor = 1.5;
    const wrong = await lastPremium("bnb-ondo-AAPL");
    expect(Math.abs(Number(wrong?.loBps))).to.be.below(30);
    expect(await rejectedFor("share_ratio_jump")).to.have.length.above(0);
    replay.world.ratioFactor = 1;
    replay.world.tokens = replay.world.tokens.map((token) =>
      token.shares === "ratio" ? { ...token, sharesPerToken: token.sharesPerToken * 10 } : token,
    );
    const count = (await rejectedFor("share_ratio_jump")).length;
    const split = await lastPremium("bnb-ondo-AAPL");
    expect(await rejectedFor("share_ratio_jump")).to.have.length(count);
    expect(split).to.include({ samples: (wrong?.samples ?? 0) + 1 });
  });

  it("keeps the two venues of a perpetual apart, also when one of them is down", async () => {
    replay.world.down.add("hyperliquid");
    await round();
    const [hyperliquid, binance] = [await basisOf("hyperliquid"), await basisOf("binance")];
    expect(hyperliquid).to.include({ source: "hyperliquid", samples: 2 });
    expect(binance).to.include({ source: "binance", samples: 3 });
    expect(Number(binance?.basisBps)).to.be.within(15, 25);
    expect(Number(hyperliquid?.hiBps)).to.be.within(5, 15);
  });

  it("measures off hours against the freshest reference, and says how old it is", async () => {
    session = "post-market";
    replay.world.pyth = { factor: 0.99, ageSeconds: 4 * 3_600, confidenceBps: 4 };
    await round();
    const point = await basisOf("hyperliquid");
    expect(Number(point?.basisBps)).to.be.within(5, 15);
    expect(point).to.include({ referenceSource: "jupiter" });
    expect(point?.referenceAgeSeconds).to.be.within(20, 120);
    shutDown("jupiter", "binance");
    await round();
    expect(await basisOf("hyperliquid")).to.include({
      referenceSource: "hyperliquid",
      referenceAgeSeconds: null,
    });
  });
});
