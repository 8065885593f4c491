import { createHmac } from "node:crypto";
import { expect } from "chai";
import { BINANCE_RWA } from "../../../market/providers/binanceRwa.ts";
import { bench, expectOtherShapes, failsAsEvery } from "../../support/providers/adapter.ts";
import { captured } from "../../support/providers/captures.ts";
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
  const shareRatios = () => BINANCE_RWA.connect({ ...at.deps, apiKey: "the-key:the-secret" }).shareRatios();
  const read = async () => {
    const { statements, rejected } = await shareRatios();
    return {
      ratios: statements.filter((one) => one.of === "ratio"),
      listings: statements.filter((one) => one.of === "listing"),
      rejected,
    };
  };

  it("says how many shares a token on BNB chain is, by its address", async () => {
    at.upstream.reply(json(list(token(), token(ofTen))));
    const { ratios, rejected } = await read();
    const rawHash = ratios[0]?.rawHash;
    expect(rawHash).to.match(/^0x[0-9a-f]{64}$/);
    const common = {
      of: "ratio",
      source: "binanceRwa",
      origin: "binanceRwa",
      at: null,
      rawHash,
      change: null,
    };
    expect({ ratios, rejected }).to.deep.equal({
      ratios: [
        { ...common, subject: NVDA, figure: "1.0017152487959898", fingerprint: "100.17152487959898/100" },
        { ...common, subject: NFLX, figure: "10", fingerprint: "1001/100.1" },
      ],
      rejected: [],
    });
  });

  it("states whether a token is halted in the list's own words, and nothing where it says none", async () => {
    for (const [statusInfo, status, isHalted] of [
      [{ reasonCode: "TRADING" }, "TRADING", false],
      [{ reasonCode: "MARKET_PAUSED" }, "MARKET_PAUSED", false],
      [{ reasonCode: "UNSUPPORTED" }, "UNSUPPORTED", true],
      [{}, null, null],
      [null, null, null],
    ] as const) {
      at.upstream.reply(json(list(token({ statusInfo }))));
      expect((await read()).listings[0]).to.include({ subject: NVDA, figure: "listed", status, isHalted });
    }
  });

  it("signs each request with its time, so that the secret itself never travels", async () => {
    at.upstream.reply(json(list(token())));
    await shareRatios();
    const { headers, path } = at.upstream.asked[0]!;
    const time = String(at.time.now());
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
    const { ratios, rejected } = await read();
    expect(ratios.map(({ figure }) => figure)).to.deep.equal(["1.0017152487959898"]);
    expect(rejected).to.deep.equal([
      { of: "ratio", subject: "token 1", reason: "not_positive" },
      { of: "ratio", subject: "token 2", reason: "shape", field: "tokenToShareRatio" },
      { of: "ratio", subject: "token of no address", reason: "shape" },
      { of: "ratio", subject: NVDA, reason: "duplicate" },
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
    const { ratios, listings, rejected } = await read();
    expect(ratios.map(({ subject, figure }) => [subject, figure])).to.deep.equal([[NFLX, "10"]]);
    expect(listings.map(({ subject, status }) => [subject, status])).to.deep.equal([
      [NVDA, null],
      [OTHER, "HALT"],
      [NFLX, null],
    ]);
    expect(rejected).to.deep.equal([
      { of: "ratio", subject: NVDA, reason: "ratio_contradicts_prices", field: "tokenToShareRatio" },
      { of: "ratio", subject: OTHER, reason: "shape", field: "referencePrice" },
    ]);
    at.upstream.reply(json(list(token({ tokenPrice: 100.19 }))));
    expect((await read()).ratios[0]?.figure, "within 2 bps").to.equal(own);
  });

  it("takes an error inside a 200 for what it is", async () => {
    const wrong = [{ code: 40001, msg: "words", data: null }, { code: 40001, data: [] }, { code: 0 }, list()];
    await expectOtherShapes(at, wrong, shareRatios);
  });

  it("reads a recorded answer of Binance's list", async () => {
    const capture = captured("binanceRwa");
    at.upstream.reply(json(capture.response_tokens));
    const { ratios, rejected } = await read();
    expect(rejected).to.deep.equal([]);
    expect(ratios[0]).to.include({ figure: "1.0017152487959898" });
    expect(ratios).to.have.length(capture.response_tokens.data.length);
  });
});

failsAsEvery(
  "Binance's list of tokens",
  (deps) => BINANCE_RWA.connect({ ...deps, apiKey: "k:s" }).shareRatios(),
  (hole) => {
    const stated = { tokenToShareRatio: hole, tokenPrice: hole, referencePrice: "1", statusInfo: hole };
    return { code: 0, data: [{ binanceChainId: "56", tokenContractAddress: NVDA, ...stated }] };
  },
);
