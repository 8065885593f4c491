import { expect } from "chai";
import { createBinance, indexReference } from "../../../market/providers/binance.ts";
import { onCapture } from "../../support/providers/captures.ts";
import { FAKE_NOW } from "../../support/providers/clock.ts";
import { bench, failsLikeEveryUpstream, faultOf } from "../../support/providers/faults.ts";
import { byPath, json } from "../../support/providers/upstream.ts";

const listed = (symbol: string, more: object = {}) => ({
  symbol,
  baseAsset: symbol.replace("USDT", ""),
  contractType: "TRADIFI_PERPETUAL",
  underlyingType: "EQUITY",
  status: "TRADING",
  ...more,
});
const premium = (symbol: string, more: object = {}) => ({
  symbol,
  markPrice: "272.10000000",
  indexPrice: "271.90000000",
  lastFundingRate: "0.00010000",
  nextFundingTime: FAKE_NOW,
  time: FAKE_NOW - 1_500,
  ...more,
});
const world = (more: { symbols?: unknown[]; funding?: unknown[]; premiums?: unknown[] } = {}) =>
  byPath({
    "/fapi/v1/exchangeInfo": { symbols: more.symbols ?? [listed("AAPLUSDT")] },
    "/fapi/v1/fundingInfo": more.funding ?? [],
    "/fapi/v1/premiumIndex": more.premiums ?? [premium("AAPLUSDT")],
  });
const HOUR = 3_600;
const START = FAKE_NOW / 1_000;

describe("Binance", () => {
  const at = bench();
  const binance = () => createBinance(at.deps);

  it("lists perpetuals on stocks, and no others", async () => {
    at.upstream.reply(
      world({
        symbols: [
          listed("AAPLUSDT"),
          listed("XAUUSDT", { underlyingType: "COMMODITY" }),
          listed("BTCUSDT", { contractType: "PERPETUAL", underlyingType: "COIN" }),
          listed("OLDUSDT", { status: "SETTLING" }),
          null,
        ],
        premiums: ["AAPLUSDT", "XAUUSDT", "BTCUSDT", "OLDUSDT"].map((symbol) => premium(symbol)),
      }),
    );
    const { rows, rejected } = await binance().stockPerps();
    expect(rejected).to.eql([]);
    expect(rows).to.have.length(1);
    expect(rows[0]).to.include({
      provider: "binance",
      market: "AAPLUSDT",
      ticker: "AAPL",
      markPrice: "272.1",
      indexPrice: "271.9",
      fundingRate: "0.0001",
      publishedAt: Math.floor((FAKE_NOW - 1_500) / 1_000),
      receivedAt: Math.floor(at.clock.now() / 1_000),
    });
  });

  it("takes eight hours for a funding interval that is not stated", async () => {
    const symbols = ["A", "B", "C", "D"].map((name) => `${name}USDT`);
    at.upstream.reply(
      world({
        symbols: symbols.map((symbol) => listed(symbol)),
        funding: [
          { symbol: "AUSDT", fundingIntervalHours: 4 },
          { symbol: "BUSDT", fundingIntervalHours: 6 },
          { symbol: "CUSDT" },
        ],
        premiums: symbols.map((symbol) => premium(symbol)),
      }),
    );
    const { rows } = await binance().stockPerps();
    expect(rows.map((row) => row.fundingIntervalHours)).to.eql([4, 6, 8, 8]);
  });

  it("records what is missing, of price 0 or misshapen, and keeps the others", async () => {
    const symbols = ["A", "B", "C", "D", "E"];
    at.upstream.reply(
      world({
        symbols: symbols.map((symbol) => listed(symbol)),
        premiums: [
          premium("A", { indexPrice: "0.00000000" }),
          premium("B", { markPrice: null }),
          premium("C", { lastFundingRate: "" }),
          premium("E", { markPrice: 272.5 }),
          null,
        ],
      }),
    );
    const { rows, rejected } = await binance().stockPerps();
    expect(rows.map((row) => [row.market, row.markPrice])).to.eql([["E", "272.5"]]);
    expect(rejected).to.eql([
      { key: "A", reason: "not_positive" },
      { key: "B", reason: "shape", field: "markPrice" },
      { key: "C", reason: "shape", field: "lastFundingRate" },
      { key: "D", reason: "missing" },
    ]);
  });

  it("hands its index on as a reference of the stock", async () => {
    at.upstream.reply(world());
    const [perp] = (await binance().stockPerps()).rows;
    expect(indexReference(perp!)).to.include({
      provider: "binance",
      source: "indexPrice",
      symbol: "AAPL",
      price: "271.9",
      confidence: null,
      publishedAt: perp!.publishedAt,
      rawHash: perp!.rawHash,
    });
  });

  it("tells the sessions of stocks, oldest first", async () => {
    const session = (type: string, startTime: number, endTime: number) => ({ type, startTime, endTime });
    const sessions = [session("REGULAR", 9_000, 12_000), session("PRE_MARKET", 6_000, 9_000)];
    at.upstream.reply(json({ marketSchedules: { EQUITY: { sessions }, COMMODITY: { sessions: [] } } }));
    expect(await binance().stockSessions()).to.eql([
      { state: "pre-market", opensAt: 6, closesAt: 9 },
      { state: "regular", opensAt: 9, closesAt: 12 },
    ]);
    at.upstream.reply(json({ marketSchedules: { EQUITY: { sessions: [session("LUNCH", 1, 2)] } } }));
    expect((await faultOf(binance().stockSessions())).code).to.equal("shape");
  });

  it("takes a 418 for a lock-out and waits when a minute's weight is used up", async () => {
    at.upstream.reply(json({}, 418, { "retry-after": "120" }));
    const fault = await faultOf(binance().stockPerps());
    expect([fault.code, fault.retryAfterMs, at.upstream.asked.length]).to.eql(["rate_limited", 120_000, 1]);
    at.upstream.reply(json([], 200, { "x-mbx-used-weight-1m": "2399" }));
    const own = createBinance(at.deps);
    at.clock.advance(45_000);
    await own.fundingHistory("AAPLUSDT", START, START);
    await own.fundingHistory("AAPLUSDT", START, START);
    expect(at.clock.sleeps).to.eql([15_000]);
  });

  it("reads past funding page by page", async () => {
    const row = (hour: number) => ({
      symbol: "AAPLUSDT",
      fundingRate: "0.0001",
      fundingTime: (START + hour * 4 * HOUR) * 1_000 + 3,
    });
    at.upstream.reply(json(Array.from({ length: 1_000 }, (_, index) => row(index))), json([row(1_000)]));
    const points = await binance().fundingHistory("AAPLUSDT", START, START + 9_000 * HOUR);
    expect(points).to.have.length(1_001);
    expect(points[1]).to.eql({ market: "AAPLUSDT", at: START + 4 * HOUR, rate: "0.0001" });
    expect(Object.fromEntries(at.upstream.asked[1]!.query)).to.include({
      symbol: "AAPLUSDT",
      startTime: String((START + 3_996 * HOUR) * 1_000 + 4),
      limit: "1000",
    });
  });

  failsLikeEveryUpstream({
    good: { symbols: [listed("AAPLUSDT")] },
    call: (deps) => createBinance(deps).stockPerps(),
  });

  onCapture("binance-fapi", (capture) =>
    it("reads recorded answers of Binance", async () => {
      at.upstream.reply(
        byPath({
          "/fapi/v1/exchangeInfo": capture.exchangeInfo.response,
          "/fapi/v1/fundingInfo": capture.fundingInfo.response,
          "/fapi/v1/premiumIndex": [{ ...capture.premiumIndex.response, symbol: "AAPLUSDT" }],
          "/fapi/v1/tradingSchedule": capture.tradingSchedule.response,
          "/fapi/v1/fundingRate": capture.fundingRate.response,
        }),
      );
      const own = binance();
      const { rows } = await own.stockPerps();
      expect(rows.map((row) => [row.market, row.markPrice, row.fundingIntervalHours])).to.eql([
        ["AAPLUSDT", "11793.63104562", 8],
      ]);
      expect(await own.stockSessions()).to.have.length(2);
      expect(await own.fundingHistory("AAPLUSDT", 1_785_427_200, 1_785_430_800)).to.have.length(1);
    }),
  );
});
