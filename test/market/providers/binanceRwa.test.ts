import { createHmac } from "node:crypto";
import { expect } from "chai";
import { BINANCE_RWA } from "../../../market/providers/binanceRwa.ts";
import { captured } from "../../support/providers/captures.ts";
import { bench, expectOtherShapes } from "../../support/providers/faults.ts";
import { json } from "../../support/providers/upstream.ts";

const NVDA = "0xA9eE28C80f960B889dFbd1902055218cBa016F75";
const OTHER = "0x5b1910eAaD6450E50f816082Aa078C41F10C292f";
const NFLX = "0x02Fca66C1D1aFB4E2A7884261eB00F63598a7436";

const token = (more: object = {}) => ({
  binanceChainId: "56",
  tokenContractAddress: NVDA.toLowerCase(),
  platformId: "ondo",
  tokenSymbol: "NVDAon",
  tokenToShareRatio: "1.0017152487959898",
  tokenPrice: "100.17152487959898",
  referencePrice: "100",
  ...more,
});
const ofTen = {
  tokenContractAddress: NFLX,
  tokenToShareRatio: "10",
  tokenPrice: 1_001,
  referencePrice: 100.1,
};
const list = (...data: unknown[]) => ({ code: 0, msg: "success", data, success: true });

describe("Binance's list of tokenized stocks", () => {
  const at = bench();
  const binance = () => BINANCE_RWA.connect({ ...at.deps, apiKey: "the-key:the-secret" });

  it("says how many shares a token on BNB chain is, by its address", async () => {
    at.upstream.reply(json(list(token(), token(ofTen))));
    const receivedAt = at.clock.now() / 1_000;
    const { rows, rejected } = await binance().shareRatios();
    const rawHash = rows[0]?.rawHash;
    expect(rawHash).to.match(/^0x[0-9a-f]{64}$/);
    const common = { status: null, receivedAt, rawHash };
    expect({ rows, rejected }).to.deep.equal({
      rows: [
        {
          address: NVDA,
          sharesPerToken: "1.0017152487959898",
          fingerprint: "100.17152487959898/100",
          ...common,
        },
        { address: NFLX, sharesPerToken: "10", fingerprint: "1001/100.1", ...common },
      ],
      rejected: [],
    });
  });

  it("hands over the status of a token, and none where none is stated", async () => {
    const stated = [{ reasonCode: "TRADING" }, { reasonCode: "MARKET_PAUSED" }, {}, null];
    for (const [index, status] of ["TRADING", "MARKET_PAUSED", null, null].entries()) {
      at.upstream.reply(json(list(token({ statusInfo: stated[index] }))));
      expect((await binance().shareRatios()).rows[0]?.status).to.equal(status);
    }
  });

  it("signs each request with its time, so that the secret itself never travels", async () => {
    at.upstream.reply(json(list(token())));
    await binance().shareRatios();
    const { headers, path } = at.upstream.asked[0]!;
    const time = String(at.clock.now());
    expect(headers["x-oc-apikey"]).to.equal("the-key");
    expect(headers["x-oc-timestamp"]).to.equal(time);
    expect(headers["x-oc-sign"]).to.equal(
      createHmac("sha256", "the-secret").update(`${time}GET${path}`).digest("base64"),
    );
    expect(JSON.stringify(headers)).not.to.include("the-secret");
  });

  it("leaves out other chains, and rejects a ratio of 0, a row without one and a second row of an address", async () => {
    at.upstream.reply(
      json(
        list(
          token({ binanceChainId: "CT_501" }),
          token({ tokenContractAddress: NFLX, tokenToShareRatio: "0" }),
          { binanceChainId: "56", tokenContractAddress: NFLX },
          token({ tokenContractAddress: "0x12" }),
          token(),
          token({ tokenToShareRatio: "2" }),
        ),
      ),
    );
    const { rows, rejected } = await binance().shareRatios();
    expect(rows.map(({ sharesPerToken }) => sharesPerToken)).to.deep.equal(["1.0017152487959898"]);
    expect(rejected).to.deep.equal([
      { key: "token 1", reason: "not_positive" },
      { key: "token 2", reason: "shape", field: "tokenToShareRatio" },
      { key: "token of no address", reason: "shape" },
      { key: NVDA, reason: "duplicate" },
    ]);
  });

  it("turns away a ratio that is not the quotient of the prices beside it, and one without both, and still says whether they trade", async () => {
    const own = "1.0017152487959898";
    const drifted = token({ tokenToShareRatio: "1.0207" });
    const unpriced = token({
      tokenContractAddress: OTHER,
      referencePrice: 0,
      statusInfo: { reasonCode: "HALT" },
    });
    at.upstream.reply(json(list(drifted, unpriced, token(ofTen))));
    const { rows, rejected } = await binance().shareRatios();
    expect(rows.map(({ sharesPerToken, status }) => [sharesPerToken, status])).to.deep.equal([
      [null, null],
      [null, "HALT"],
      ["10", null],
    ]);
    expect(rejected).to.deep.equal([
      { key: NVDA, reason: "ratio_contradicts_prices", field: "tokenToShareRatio" },
      { key: OTHER, reason: "shape", field: "referencePrice" },
    ]);
    at.upstream.reply(json(list(token({ tokenPrice: 100.19 }))));
    expect((await binance().shareRatios()).rows[0]?.sharesPerToken, "within 2 bps").to.equal(own);
  });

  it("takes an error inside a 200 for what it is", async () => {
    const wrong = [{ code: 40001, msg: "words", data: null }, { code: 40001, data: [] }, { code: 0 }, list()];
    await expectOtherShapes(at, wrong, () => binance().shareRatios());
  });

  it("reads a recorded answer of Binance's list", async () => {
    const capture = captured("binanceRwa");
    at.upstream.reply(json(capture.response_tokens));
    const { rows, rejected } = await binance().shareRatios();
    expect(rejected).to.deep.equal([]);
    expect(rows[0]).to.include({ sharesPerToken: "1.0017152487959898" });
    expect(rows).to.have.length(capture.response_tokens.data.length);
  });
});
