import { expect } from "chai";
import { FINNHUB } from "../../../market/providers/finnhub.ts";
import { captured } from "../../support/providers/captures.ts";
import { bench, expectOtherShapes } from "../../support/providers/faults.ts";
import { json } from "../../support/providers/upstream.ts";

const QUOTE = { c: 271.74, d: 2.29, dp: 0.8, h: 273, l: 270, o: 271, pc: 269.45, t: 1795186790 };
const quote = (more: object = {}) => ({ ...QUOTE, ...more });

describe("Finnhub", () => {
  const at = bench();
  const finnhub = () => FINNHUB.connect({ ...at.deps, apiKey: "k" });

  it("quotes a stock with its time and previous close, under its key", async () => {
    at.upstream.reply(json(quote()));
    expect(await finnhub().quote("AAPL")).to.deep.include({
      provider: "finnhub",
      source: "quote",
      symbol: "AAPL",
      price: "271.74",
      previousClose: "269.45",
      confidence: null,
      publishedAt: 1795186790,
      receivedAt: at.clock.now() / 1_000,
    });
    expect(at.upstream.asked[0]?.headers["x-finnhub-token"]).to.equal("k");
    expect(at.upstream.asked[0]?.path).to.equal("/api/v1/quote?symbol=AAPL");
  });

  it("takes zeros for an unknown symbol", async () => {
    at.upstream.reply(json({ c: 0, d: null, dp: null, h: 0, l: 0, o: 0, pc: 0, t: 0 }));
    expect(await finnhub().quote("NOPE")).to.equal(null);
  });

  it("turns away a price of 0 with a time, a price without one, and an error inside a 200", async () => {
    const wrong = [quote({ c: 0 }), quote({ t: 0 }), quote({ c: null }), { error: "words" }, {}];
    await expectOtherShapes(at, wrong, () => finnhub().quote("AAPL"));
  });

  it("Finnhub has no previous close where it is 0 or null, and reads numbers as strings", async () => {
    for (const pc of [0, null, undefined]) {
      at.upstream.reply(json(quote({ c: "271.7400", pc })));
      expect(await finnhub().quote("AAPL")).to.include({ price: "271.74", previousClose: null });
    }
  });

  it("reads recorded answers of Finnhub", async () => {
    const capture = captured("finnhub");
    at.upstream.reply(json(capture["GET /api/v1/quote?symbol=AAPL"]));
    expect(await finnhub().quote("AAPL")).to.include({ price: "261.74", publishedAt: 1582641000 });
    at.upstream.reply(json(capture._unknown_symbol));
    expect(await finnhub().quote("NOPE")).to.equal(null);
  });
});
