import { expect } from "chai";
import { HYPERLIQUID } from "../../../market/providers/hyperliquid.ts";
import { bench, expectOtherShapes, failsAsEvery } from "../../support/providers/adapter.ts";
import { captured } from "../../support/providers/captures.ts";
import { json, type Reply, status } from "../../support/providers/upstream.ts";

const context = (more: object = {}) => ({
  funding: "-0.00000125",
  oraclePx: "378.81",
  markPx: "378.98",
  premium: null,
  midPx: null,
  impactPxs: null,
  openInterest: "1",
  dayNtlVlm: "2",
  ...more,
});
const market = (name: string, more: object = {}) => ({ name, szDecimals: 3, maxLeverage: 20, ...more });
const markets = (universe: unknown[], contexts: unknown[]) => [{ universe, collateralToken: 0 }, contexts];
const HOUR = 3_600;
/** Beside its markets the venue tells the fundings of one of them, so many hours apart. */
const answering =
  (answer: unknown, hours = 1): Reply =>
  (asked, response) => {
    const { type, coin, startTime, endTime } = asked.body;
    const fundings = [];
    for (let time = startTime; time <= endTime; time += hours * HOUR * 1_000)
      fundings.push({ coin, fundingRate: "0.1", time });
    json(type === "fundingHistory" ? fundings : answer)(asked, response);
  };
const START = 1_795_183_200;

describe("Hyperliquid", () => {
  const at = bench();
  const hyperliquid = () => HYPERLIQUID.connect(at.deps);
  const perpsBy = async (own: ReturnType<typeof hyperliquid>, dex = "xyz") => {
    const { statements, rejected } = await own.perps(dex);
    return { perps: statements.filter((one) => one.of === "perp"), statements, rejected };
  };
  const perps = (dex?: string) => perpsBy(hyperliquid(), dex);

  it("joins markets and figures by their place, nulls where nobody trades included", async () => {
    at.upstream.reply(
      answering(markets([market("xyz:TSLA"), market("xyz:AAPL")], [context(), context({ markPx: "271.5" })])),
    );
    const { perps: stated, statements, rejected } = await perps();
    expect(rejected).to.eql([]);
    expect(stated.map((row) => [row.market, row.subject, row.figure, row.oracleUsd])).to.eql([
      ["xyz:TSLA", "TSLA", "378.98", "378.81"],
      ["xyz:AAPL", "AAPL", "271.5", "378.81"],
    ]);
    const references = statements.filter((one) => one.of === "reference");
    expect(references.map(({ subject, figure }) => [subject, figure])).to.eql([
      ["TSLA", "378.81"],
      ["AAPL", "378.81"],
    ]);
    expect(stated[0]).to.include({ fundingRate: "-0.00000125", fundingIntervalHours: 1, at: null });
    expect(stated[0]?.rawHash).to.match(/^0x[0-9a-f]{64}$/);
    expect(at.upstream.asked[0]?.body).to.eql({ type: "metaAndAssetCtxs", dex: "xyz" });
  });

  it("leaves out what is delisted without moving the others", async () => {
    at.upstream.reply(
      answering(
        markets(
          [market("xyz:OLD", { isDelisted: true }), market("xyz:TSLA")],
          [null, context({ markPx: "5" })],
        ),
      ),
    );
    const { perps: stated, rejected } = await perps();
    expect(stated.map((row) => [row.market, row.figure])).to.eql([["xyz:TSLA", "5"]]);
    expect(rejected).to.eql([]);
  });

  it("refuses lists of unequal lengths, and an exchange that does not exist", async () => {
    const unequal = markets([market("xyz:TSLA"), market("xyz:AAPL")], [context()]);
    await expectOtherShapes(at, [unequal], () => perps());
    await expectOtherShapes(at, [null], () => perps("nope"));
  });

  it("records a price of 0 and a misshapen row, and keeps the others", async () => {
    const universe = ["a", "b", "c", "d"].map((name) => market(`xyz:${name}`));
    at.upstream.reply(
      answering(
        markets(universe, [context({ markPx: "0.0" }), context({ oraclePx: null }), null, context()]),
      ),
    );
    const { perps: stated, rejected } = await perps();
    expect(stated.map((row) => row.subject)).to.eql(["d"]);
    expect(rejected).to.eql([
      { of: "perp", subject: "market 0", reason: "not_positive" },
      { of: "perp", subject: "market 1", reason: "shape", field: "oraclePx" },
      { of: "perp", subject: "market 2", reason: "shape", field: "answer" },
    ]);
  });

  it("reads the interval from the times of fundings, once an hour, and knows none where they are not evenly apart, or more than a day", async () => {
    const own = hyperliquid();
    const lists = markets([market("xyz:TSLA")], [context()]);
    const interval = async (reply: Reply) => {
      at.upstream.reply(reply);
      const { perps: stated, rejected } = await perpsBy(own);
      return [stated[0]?.fundingIntervalHours, rejected.length];
    };
    const down: Reply = (asked, response) =>
      (asked.body.type === "fundingHistory" ? status(400) : json(lists))(asked, response);
    expect(await interval(down)).to.eql([null, 1]);
    expect(await interval(answering(lists, 8))).to.eql([8, 0]);
    expect(await interval(answering(lists, 4))).to.eql([8, 0]);
    at.time.advance(HOUR * 1_000);
    expect(await interval(answering(lists, 4))).to.eql([4, 0]);
    at.time.advance(HOUR * 1_000);
    const paid =
      (...hours: number[]): Reply =>
      (asked, response) =>
        json(
          asked.body.type === "fundingHistory"
            ? hours.map((hour) => ({ coin: "xyz:TSLA", fundingRate: "0", time: hour * HOUR * 1_000 }))
            : lists,
        )(asked, response);
    expect(await interval(paid(1, 2, 5))).to.eql([null, 1]);
    at.time.advance(HOUR * 1_000);
    expect(await interval(paid(1, 26))).to.eql([null, 1]);
  });

  describe("as funding history", () => {
    const row = (hour: number, more: object = {}) => ({
      coin: "xyz:TSLA",
      fundingRate: "0.0000125",
      premium: "0",
      time: (START + hour * HOUR) * 1_000 + 58,
      ...more,
    });

    it("rounds times of Hyperliquid's funding history down to the hour", async () => {
      at.upstream.reply(json([row(1), row(0, { fundingRate: "-0.5" })]));
      const paid = await hyperliquid().fundingHistory("xyz:TSLA", START, START + 2 * HOUR);
      expect(paid.map(({ of, subject, at, figure }) => [of, subject, at, figure])).to.eql([
        ["funding", "TSLA", START, "-0.5"],
        ["funding", "TSLA", START + HOUR, "0.0000125"],
      ]);
      expect(at.upstream.asked[0]?.body).to.include({ coin: "xyz:TSLA", startTime: START * 1_000 });
    });

    it("reads on after a full page, from behind its last row", async () => {
      const rows = (from: number, count: number) =>
        Array.from({ length: count }, (_, index) => row(from + index));
      at.upstream.reply(json(rows(0, 500)), json(rows(500, 20)));
      const points = await hyperliquid().fundingHistory("xyz:TSLA", START, START + 600 * HOUR);
      expect(points).to.have.length(520);
      expect(points.map((point) => point.at)).to.eql(points.map((_, index) => START + index * HOUR));
      expect(at.upstream.asked[1]?.body.startTime).to.equal((START + 499 * HOUR) * 1_000 + 59);
    });

    it("ends with a server that always repeats one full page", async () => {
      at.upstream.reply(json(Array.from({ length: 500 }, (_, index) => row(index))));
      expect(await hyperliquid().fundingHistory("xyz:TSLA", START, START + 9_000 * HOUR)).to.have.length(500);
      expect(at.upstream.asked).to.have.length(2);
    });

    it("leaves out rows after the end, which a clock ahead would make", async () => {
      at.upstream.reply(json([row(0), row(50)]));
      expect(await hyperliquid().fundingHistory("xyz:TSLA", START, START + HOUR)).to.have.length(1);
    });

    it("Hyperliquid as funding history is empty for a market that is unknown, and refuses rows of another", async () => {
      for (const nothing of [[], null]) {
        at.upstream.reply(json(nothing));
        expect(await hyperliquid().fundingHistory("xyz:NO", START, START + HOUR)).to.eql([]);
      }
      await expectOtherShapes(at, [[row(0, { coin: "xyz:AAPL" })]], () =>
        hyperliquid().fundingHistory("xyz:TSLA", START, START + HOUR),
      );
    });
  });

  it("reads recorded answers of Hyperliquid", async () => {
    const capture = captured("hyperliquid");
    at.upstream.reply(answering(capture.metaAndAssetCtxs.response));
    const { perps: stated, rejected } = await perps();
    expect(rejected).to.eql([]);
    expect(stated.map((row) => [row.market, row.figure, row.fundingRate])).to.eql([
      ["xyz:TSLA", "378.98", "0.00000625"],
    ]);
    const { request, response } = capture.fundingHistory;
    at.upstream.reply(json(response));
    const points = await hyperliquid().fundingHistory(
      "xyz:TSLA",
      request.startTime / 1_000,
      request.endTime / 1_000,
    );
    expect(points.map((point) => point.at)).to.eql([1790686800, 1790690400]);
  });
});

failsAsEvery(
  "Hyperliquid",
  (deps) => HYPERLIQUID.connect(deps).perps("xyz"),
  (hole) => [{ universe: [{ name: "xyz:A" }] }, [{ funding: hole, oraclePx: hole, markPx: "1" }]],
);
failsAsEvery(
  "Hyperliquid's history",
  (deps) => HYPERLIQUID.connect(deps).fundingHistory("xyz:A", 0, 10_000),
  (hole) => [{ coin: "xyz:A", fundingRate: hole, time: 3_600_000 }],
);
