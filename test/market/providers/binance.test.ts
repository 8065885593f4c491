import { expect } from "chai";
import { BINANCE } from "../../../market/providers/binance.ts";
import { createLimits } from "../../../market/providers/limits.ts";
import { bench, failsAsEvery, faultOf } from "../../support/providers/adapter.ts";
import { captured, binanceListing as listed } from "../../support/providers/captures.ts";
import { byPath, json } from "../../support/providers/upstream.ts";
import { FAKE_NOW } from "../../support/providers/virtualTime.ts";

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
  const connected = (deps = at.deps) => {
    const binance = BINANCE.connect(deps);
    return async () => {
      const { statements, rejected } = await binance.stockPerps();
      const perps = statements.filter((one) => one.of === "perp");
      const references = statements.filter((one) => one.of === "reference");
      expect(
        references.map(({ figure, subject }) => [figure, subject]),
        "its index beside each",
      ).to.eql(perps.map(({ oracleUsd, subject }) => [oracleUsd, subject]));
      return { perps, rejected };
    };
  };
  const stockPerps = () => connected()();

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
    const { perps, rejected } = await stockPerps();
    expect(rejected).to.eql([]);
    expect(perps).to.have.length(1);
    expect(perps[0]).to.include({
      source: "binance",
      origin: "binance",
      subject: "AAPL",
      market: "AAPLUSDT",
      figure: "272.1",
      oracleUsd: "271.9",
      fundingRate: "0.0001",
      at: Math.floor((FAKE_NOW - 1_500) / 1_000),
    });
    expect(perps[0]?.rawHash).to.match(/^0x[0-9a-f]{64}$/);
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
    const { perps, rejected } = await stockPerps();
    expect(perps.map((row) => row.fundingIntervalHours)).to.eql([4, 6, null, null]);
    const misshapen = { of: "perp", reason: "shape" } as const;
    expect(rejected).to.eql([{ ...misshapen, subject: "CUSDT", field: "fundingIntervalHours" }]);
    for (const funding of [[], [{ pair: "AUSDT", fundingIntervalHours: 4 }]]) {
      at.upstream.reply(world({ funding }));
      const told = { ...misshapen, subject: "fundingInfo", field: "fundingInfo" };
      expect((await stockPerps()).rejected).to.eql([told]);
    }
  });

  it("reads it from the step of the next funding where it is not stated, and contradicts one that is stated wrongly", async () => {
    const own = connected();
    const intervals = async (next: number, funding: unknown[]) => {
      at.upstream.reply(world({ funding, premiums: [premium("AAPLUSDT", { nextFundingTime: next })] }));
      at.time.advance(1_800_000);
      const { perps, rejected } = await own();
      return [perps[0]?.fundingIntervalHours, rejected.map(({ reason }) => reason)];
    };
    const [other, one] = ["OTHER", "AAPLUSDT"].map((symbol) => [{ symbol, fundingIntervalHours: 8 }]);
    expect(await intervals(FAKE_NOW, other!)).to.eql([null, []]);
    expect(await intervals(FAKE_NOW + 4 * 3_600_000, other!)).to.eql([4, []]);
    expect(await intervals(FAKE_NOW + 4 * 3_600_000, one!)).to.eql([null, ["interval_contradicts_fundings"]]);
  });

  it("counts the newest of several rows of a symbol", async () => {
    const of = (age: number, markPrice: string) => premium("AAPLUSDT", { markPrice, time: FAKE_NOW - age });
    at.upstream.reply(world({ premiums: [of(9_000, "270"), of(1_000, "273"), of(60_000, "271")] }));
    expect((await stockPerps()).perps.map(({ figure }) => figure)).to.eql(["273"]);
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
    const { perps, rejected } = await stockPerps();
    expect(perps.map((row) => [row.market, row.figure])).to.eql([["E", "272.5"]]);
    expect(rejected).to.eql([
      { of: "perp", subject: "A", reason: "not_positive" },
      { of: "perp", subject: "B", reason: "shape", field: "markPrice" },
      { of: "perp", subject: "C", reason: "shape", field: "lastFundingRate" },
      { of: "perp", subject: "D", reason: "missing" },
    ]);
  });

  it("takes a 418 for a lock-out and waits when a minute's weight is used up", async () => {
    at.upstream.reply(json({}, 418, { "retry-after": "120" }));
    const fault = await faultOf(stockPerps());
    expect([fault.code, fault.retryAfterMs, at.upstream.asked.length]).to.eql(["rate_limited", 120_000, 1]);
    const heavy = [json({ symbols: [] }, 200, { "x-mbx-used-weight-1m": "2399" }), json([])];
    const took = async (deps: typeof at.deps) => {
      at.upstream.reply(...heavy);
      const from = at.time.now();
      expect((await faultOf(connected(deps)())).code, "nothing to read").to.equal("shape");
      return at.time.now() - from;
    };
    const own = () => ({ ...at.deps, limits: createLimits() });
    at.time.advance(45_000);
    expect(await took(own())).to.be.within(15_000, 17_000);
    expect(await took({ ...own(), limit: 200 }), "its weight is raised alike").to.be.below(2_000);
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
    const { perps } = await stockPerps();
    expect(perps.map((row) => [row.market, row.figure, row.fundingIntervalHours])).to.eql([
      ["AAPLUSDT", "11793.63104562", null],
    ]);
  });
});

failsAsEvery(
  "Binance",
  (deps) => BINANCE.connect(deps).stockPerps(),
  (hole) => ({ symbols: [hole, { symbol: hole, baseAsset: hole }] }),
);
