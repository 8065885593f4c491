import { expect } from "chai";
import { keccak256, toUtf8Bytes } from "ethers";
import { KNOWN_KEYS } from "../../../attestor/publishers/publisherKeys.ts";
import { checkPriceProof } from "../../../attestor/publishers/publishers.ts";
import { signedUpdate } from "../../../devnet/hermes/update.ts";
import { PYTH } from "../../../market/providers/pyth.ts";
import { bench, failsAsEvery, faultOf } from "../../support/providers/adapter.ts";
import { captured } from "../../support/providers/captures.ts";
import { json, status } from "../../support/providers/upstream.ts";

const id = (digit: string) => digit.repeat(64);
const FEED = { id: `0x${id("A")}`, symbol: "AAPL" };
const PRICE = { price: "27150125", conf: "1525", expo: -5, publish_time: 1795186799 };
const updates = (...rows: unknown[]) => ({ binary: { encoding: "hex", data: [] }, parsed: rows });
const row = (digit: string, more = {}) => ({ id: id(digit), price: { ...PRICE, ...more }, ema_price: {} });

describe("Pyth Hermes", () => {
  const at = bench();
  const pyth = () => PYTH.connect({ ...at.deps, apiKey: "k" });

  it("tells prices and confidence as exact decimals, with the time they were published and the answer's hash", async () => {
    const answer = updates(row("a"));
    at.upstream.reply(json(answer));
    expect(await pyth().latest([FEED])).to.eql({
      rejected: [],
      statements: [
        {
          of: "reference",
          subject: "AAPL",
          source: "pyth",
          origin: "pyth",
          figure: "271.50125",
          confidence: "0.01525",
          at: 1795186799,
          rawHash: keccak256(toUtf8Bytes(JSON.stringify(answer))),
          feedId: `0x${id("a")}`,
          proof: null,
        },
      ],
    });
    const [asked] = at.upstream.asked;
    expect(asked?.headers.authorization).to.equal("Bearer k");
    expect(asked?.query.getAll("ids[]")).to.eql([id("a")]);
    expect(asked?.query.get("parsed")).to.equal("true");
  });

  it("counts the newest of several rows of a feed, whichever comes last", async () => {
    const rows = [40, 5, 90].map((age) =>
      row("a", { price: String(27150000 + age), publish_time: 1795186799 - age }),
    );
    at.upstream.reply(json(updates(...rows)));
    const { statements } = await pyth().latest([FEED]);
    expect(statements.map(({ figure, at }) => [figure, at])).to.eql([["271.50005", 1795186794]]);
  });

  it("keeps of what the routers signed each feed's own part, however it is encoded", async () => {
    const feeds = [..."abc"].map((digit) => ({ id: id(digit), symbol: digit }));
    const stated = { price: 27150125n, confidence: 1525n, exponent: -5, publishedAt: 1795186799 };
    const messages = feeds.slice(0, 2).map((feed) => ({ feedId: `0x${feed.id}`, ...stated }));
    const signed = signedUpdate(messages, 1795186800);
    for (const encoding of ["hex", "base64"] as const) {
      const binary = { encoding, data: [Buffer.from(signed).toString(encoding)] };
      at.upstream.reply(json({ binary, parsed: [row("a"), row("b"), row("c")] }));
      const { statements } = await pyth().latest(feeds);
      const format = "pyth-accumulator";
      expect(statements.map(({ proof }) => proof?.format)).to.eql([format, format, undefined]);
      for (const { proof, feedId, figure: price, confidence, at: publishedAt } of statements.slice(0, 2))
        expect(checkPriceProof(proof!, KNOWN_KEYS, 31_337)).to.deep.include({
          outcome: "signed",
          price: { feedId, price, confidence, publishedAt, signedAt: 1795186800, session: null },
        });
    }
  });

  it("states the price without signatures where they are missing or cannot be read", async () => {
    for (const binary of [
      undefined,
      null,
      "504e4155",
      { encoding: "hex", data: [] },
      { encoding: "hex", data: ["504e41550100", "not hexadecimal", ""] },
      { encoding: "base85", data: ["00"] },
      { encoding: "hex", data: [7] },
    ]) {
      at.upstream.reply(json({ binary, parsed: [row("a")] }));
      const { statements } = await pyth().latest([FEED]);
      expect(statements.map(({ figure, proof }) => [figure, proof])).to.eql([["271.50125", null]]);
    }
  });

  it("loses no digit, at any exponent", async () => {
    for (const [digits, expo, text] of [
      ["123456789012345678901234567890", -18, "123456789012.34567890123456789"],
      ["5", -18, "0.000000000000000005"],
      ["5", 3, "5000"],
      [33223750, -5, "332.2375"],
    ] as const) {
      at.upstream.reply(json(updates(row("a", { price: digits, expo, conf: "0" }))));
      expect((await pyth().latest([FEED])).statements[0]?.figure).to.equal(text);
    }
  });

  it("records a price of 0 or below, a misshapen one and a missing feed, and keeps the others", async () => {
    const wrong = [row("a", { price: "0" }), row("b", { price: "-1" }), row("c", { conf: null })];
    at.upstream.reply(json(updates(...wrong, row("d", { price: "1.5" }), null, row("f"))));
    const feeds = [..."abcdef"].map((digit) => ({ id: id(digit), symbol: digit }));
    const batch = await pyth().latest(feeds);
    expect(batch.statements.map(({ subject }) => subject)).to.eql(["f"]);
    expect(batch.rejected).to.eql([
      { of: "reference", subject: "a", reason: "not_positive" },
      { of: "reference", subject: "b", reason: "not_positive" },
      { of: "reference", subject: "c", reason: "shape", field: "price.conf" },
      { of: "reference", subject: "d", reason: "shape", field: "price.price" },
      { of: "reference", subject: "e", reason: "missing" },
    ]);
  });

  it("hands on the time of a clock ahead as it is, for the plausibility rule to judge", async () => {
    at.upstream.reply(json(updates(row("a", { publish_time: 1795186799 + 86_400 }))));
    expect((await pyth().latest([FEED])).statements[0]?.at).to.equal(1795273199);
  });

  it("distinguishes a missing key, a missing license and unknown feeds by their status alone", async () => {
    for (const code of [401, 403, 404]) {
      at.upstream.reply(status(code, "Price ids not found: 0xabc"));
      const fault = await faultOf(pyth().latest([FEED]));
      expect([fault.code, fault.status]).to.eql(["status", code]);
      expect(fault.message).to.equal(`pyth: status (status ${code})`);
    }
  });

  it("asks for fifty feeds at a time, and nothing for none", async () => {
    at.upstream.reply(json(updates()));
    await pyth().latest(Array.from({ length: 51 }, () => FEED));
    expect(at.upstream.asked.map(({ query }) => query.getAll("ids[]").length)).to.eql([50, 1]);
    expect(await pyth().latest([])).to.eql({ statements: [], rejected: [] });
  });

  it("takes a 429 for a lock-out of a minute, which a call does not wait for", async () => {
    at.upstream.reply(status(429, "slow down"));
    const own = pyth();
    const fault = await faultOf(own.latest([FEED]));
    expect([fault.code, fault.retryAfterMs]).to.eql(["rate_limited", 60_000]);
    expect((await faultOf(own.latest([FEED]))).retryAfterMs).to.equal(60_000);
    expect(at.upstream.asked).to.have.length(1);
  });

  describe("as catalogue", () => {
    const entry = (digit: string, symbol: string) => ({
      id: id(digit),
      attributes: { base: "AAPL", symbol, asset_type: "Equity" },
    });

    it("finds the stock's own feed, without a key", async () => {
      const own = entry("a", "Equity.US.AAPL/USD");
      const others = [entry("b", "Equity.US.AAPL/USD.PRE"), entry("c", "Equity.GB.AAPL/GBP")];
      at.upstream.reply(json([own, ...others, { id: "short" }]));
      expect(await PYTH.connect(at.deps).catalogue("AAPL")).to.eql([{ id: id("a"), symbol: "AAPL" }]);
      expect(at.upstream.asked[0]?.headers.authorization).to.equal(undefined);
      expect(at.upstream.asked[0]?.path).to.equal("/v2/price_feeds?query=AAPL&asset_type=equity");
    });
  });

  it("reads recorded answers of Pyth Hermes", async () => {
    const capture = captured("pyth");
    at.upstream.reply(json(capture.response));
    const { AAPL, TSLA } = capture.feed_ids;
    const feeds = Object.entries({ AAPL, TSLA }).map(([symbol, id]) => ({ id, symbol }));
    const { statements } = await pyth().latest(feeds);
    expect(statements.map(({ figure, confidence, at }) => [figure, confidence, at])).to.eql([
      ["332.2375", "0.15272", 1785424136],
      ["305.57932", "0.59461", 1785424136],
    ]);
    at.upstream.reply(json(capture.catalogue.response));
    expect((await pyth().catalogue("AAPL"))[0]?.symbol).to.equal("AAPL");
  });
});

failsAsEvery(
  "Pyth's prices",
  (deps) => PYTH.connect(deps).latest([FEED]),
  (hole) => updates({ id: id("a"), price: { price: hole, conf: hole, expo: -5, publish_time: 1 } }),
);
failsAsEvery(
  "Pyth's catalogue",
  (deps) => PYTH.connect(deps).catalogue("A"),
  (hole) => [{ id: id("a"), attributes: { base: "A", symbol: "Equity.US.A/USD", schedule: hole } }],
);
