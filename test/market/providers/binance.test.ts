import { expect } from "chai";
import { BINANCE } from "../../../market/providers/binance.ts";
import { captured, binanceListing as listed } from "../../support/providers/captures.ts";
import { FAKE_NOW } from "../../support/providers/clock.ts";
import { bench, faultOf } from "../../support/providers/faults.ts";
import { byPath, json } from "../../support/providers/upstream.ts";

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
    "/fapi/v1/fundingInfo": more.funding ?? [{ symbol: "AAPLUSDT", fundingIntervalHours: 8 }],
    "/fapi/v1/premiumIndex": more.premiums ?? [premium("AAPLUSDT")],
  });

describe("Binance", () => {
  const at = bench();
  const binance = () => BINANCE.connect(at.deps);

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

  it("reads a funding interval where it is stated, and assumes none", async () => {
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
    const { rows, rejected } = await binance().stockPerps();
    expect(rows.map((row) => row.fundingIntervalHours)).to.eql([4, 6, null, null]);
    expect(rejected).to.eql([{ key: "CUSDT", reason: "shape", field: "fundingIntervalHours" }]);
    for (const funding of [[], [{ pair: "AUSDT", fundingIntervalHours: 4 }]]) {
      at.upstream.reply(world({ funding }));
      const told = { key: "fundingInfo", reason: "shape", field: "fundingInfo" };
      expect((await binance().stockPerps()).rejected).to.eql([told]);
    }
  });

  it("reads it from the step of the next funding where it is not stated, and contradicts one that is stated wrongly", async () => {
    const own = binance();
    const intervals = async (next: number, funding: unknown[]) => {
      at.upstream.reply(world({ funding, premiums: [premium("AAPLUSDT", { nextFundingTime: next })] }));
      at.clock.advance(1_800_000);
      const { rows, rejected } = await own.stockPerps();
      return [rows[0]?.fundingIntervalHours, rejected.map(({ reason }) => reason)];
    };
    const [other, one] = ["OTHER", "AAPLUSDT"].map((symbol) => [{ symbol, fundingIntervalHours: 8 }]);
    expect(await intervals(FAKE_NOW, other!)).to.eql([null, []]);
    expect(await intervals(FAKE_NOW + 4 * 3_600_000, other!)).to.eql([4, []]);
    expect(await intervals(FAKE_NOW + 4 * 3_600_000, one!)).to.eql([null, ["interval_contradicts_fundings"]]);
  });

  it("counts the newest of several rows of a symbol", async () => {
    const of = (age: number, markPrice: string) => premium("AAPLUSDT", { markPrice, time: FAKE_NOW - age });
    at.upstream.reply(world({ premiums: [of(9_000, "270"), of(1_000, "273"), of(60_000, "271")] }));
    expect((await binance().stockPerps()).rows.map(({ markPrice }) => markPrice)).to.eql(["273"]);
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

  it("takes a 418 for a lock-out and waits when a minute's weight is used up", async () => {
    at.upstream.reply(json({}, 418, { "retry-after": "120" }));
    const fault = await faultOf(binance().stockPerps());
    expect([fault.code, fault.retryAfterMs, at.upstream.asked.length]).to.eql(["rate_limited", 120_000, 1]);
    const heavy = [json({ symbols: [] }, 200, { "x-mbx-used-weight-1m": "2399" }), json([])];
    at.upstream.reply(...heavy);
    at.clock.advance(45_000);
    expect((await faultOf(binance().stockPerps())).code, "nothing to read").to.equal("shape");
    expect(at.clock.sleeps[0]).to.equal(15_000);
    at.clock.sleeps.length = 0;
    at.upstream.reply(...heavy);
    const raised = BINANCE.connect({ ...at.deps, limit: 200 });
    expect((await faultOf(raised.stockPerps())).code).to.equal("shape");
    expect(Math.max(0, ...at.clock.sleeps), "its weight is raised alike").to.be.below(1_000);
  });

  it("reads recorded answers of Binance", async () => {
    const capture = captured("binance");
    at.upstream.reply(
      byPath({
        "/fapi/v1/exchangeInfo": capture.exchangeInfo.response,
        "/fapi/v1/fundingInfo": capture.fundingInfo.response,
        "/fapi/v1/premiumIndex": [{ ...capture.premiumIndex.response, symbol: "AAPLUSDT" }],
      }),
    );
    const { rows } = await binance().stockPerps();
    expect(rows.map((row) => [row.market, row.markPrice, row.fundingIntervalHours])).to.eql([
      ["AAPLUSDT", "11793.63104562", null],
    ]);
  });
});
