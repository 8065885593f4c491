import { expect } from "chai";
import { FINNHUB } from "../../../market/providers/finnhub.ts";
import { bench, expectOtherShapes, failsAsEvery } from "../../support/providers/adapter.ts";
import { captured } from "../../support/providers/captures.ts";
import { json } from "../../support/providers/upstream.ts";

const QUOTE = { c: 271.74, d: 2.29, dp: 0.8, h: 273, l: 270, o: 271, pc: 269.45, t: 1795186790 };
const quote = (more: object = {}) => ({ ...QUOTE, ...more });

describe("Finnhub", () => {
  const at = bench();
  const quoteOf = async (symbol: string) =>
    (await FINNHUB.connect({ ...at.deps, apiKey: "k" }).quote(symbol)).statements;

  it("quotes a stock with its time and previous close, under its key", async () => {
    at.upstream.reply(json(quote()));
    const [price, close, ...more] = await quoteOf("AAPL");
    const stated = { subject: "AAPL", source: "finnhub", origin: "finnhub", at: 1795186790 };
    expect(price).to.include({ ...stated, of: "reference", figure: "271.74", confidence: null });
    expect(close).to.include({ ...stated, of: "close", figure: "269.45" });
    expect(more).to.eql([]);
    expect(price?.rawHash).to.match(/^0x[0-9a-f]{64}$/);
    expect(at.upstream.asked[0]?.headers["x-finnhub-token"]).to.equal("k");
    expect(at.upstream.asked[0]?.path).to.equal("/api/v1/quote?symbol=AAPL");
  });

  it("takes zeros for an unknown symbol", async () => {
    at.upstream.reply(json({ c: 0, d: null, dp: null, h: 0, l: 0, o: 0, pc: 0, t: 0 }));
    expect(await quoteOf("NOPE")).to.eql([]);
  });

  it("turns away a price of 0 with a time, a price without one, and an error inside a 200", async () => {
    const wrong = [quote({ c: 0 }), quote({ t: 0 }), quote({ c: null }), { error: "words" }, {}];
    await expectOtherShapes(at, wrong, () => quoteOf("AAPL"));
  });

  it("Finnhub has no previous close where it is 0 or null, and reads numbers as strings", async () => {
    for (const pc of [0, null, undefined]) {
      at.upstream.reply(json(quote({ c: "271.7400", pc })));
      expect((await quoteOf("AAPL")).map(({ of, figure }) => [of, figure])).to.eql([["reference", "271.74"]]);
    }
  });

  it("reads recorded answers of Finnhub", async () => {
    const capture = captured("finnhub");
    at.upstream.reply(json(capture["GET /api/v1/quote?symbol=AAPL"]));
    expect((await quoteOf("AAPL"))[0]).to.include({ figure: "261.74", at: 1582641000 });
    at.upstream.reply(json(capture._unknown_symbol));
    expect(await quoteOf("NOPE")).to.eql([]);
  });
});

failsAsEvery(
  "Finnhub",
  (deps) => FINNHUB.connect({ ...deps, apiKey: "k" }).quote("A"),
  (hole) => ({ c: hole, pc: hole, t: 1 }),
);
