import { expect } from "chai";
import { TICKERHOUSE } from "../../../market/providers/tickerhouse.ts";
import { captured } from "../../support/providers/captures.ts";
import { failsAsEvery } from "../../support/providers/everyFault.ts";
import { bench } from "../../support/providers/faults.ts";
import { json } from "../../support/providers/upstream.ts";

const LAST = { symbol: "AAPL", last: "271.74", asOf: "2026-11-20T14:59:50Z" };

describe("Tickerhouse", () => {
  const at = bench();
  const lastOf = (...tickers: string[]) => TICKERHOUSE.connect({ ...at.deps, apiKey: "k" }).last(tickers);

  it("states the price of each stock with its time, under its key", async () => {
    at.upstream.reply(json(captured("tickerhouse")["GET /v1/last?symbols=AAPL,TSLA"]));
    const { statements, rejected } = await lastOf("AAPL", "TSLA", "NVDA");
    const stated = { of: "reference", source: "tickerhouse", origin: "tickerhouse", confidence: null };
    expect(statements[0]).to.include({ ...stated, subject: "AAPL", figure: "271.74", at: 1795186790 });
    expect(statements[1]).to.include({ ...stated, subject: "TSLA", figure: "401.2", at: 1795186788 });
    expect(rejected).to.eql([{ of: "reference", subject: "NVDA", reason: "missing" }]);
    expect(at.upstream.asked[0]?.headers["x-tickerhouse-key"]).to.equal("k");
    expect(at.upstream.asked[0]?.path).to.equal("/v1/last?symbols=AAPL,TSLA,NVDA");
  });

  it("takes the newest of several rows, and leaves out a price of 0", async () => {
    const older = { ...LAST, last: "270", asOf: "2026-11-20T14:00:00Z" };
    at.upstream.reply(json({ quotes: [LAST, older, { ...LAST, symbol: "TSLA", last: 0 }] }));
    const { statements, rejected } = await lastOf("AAPL", "TSLA");
    expect(statements.map(({ figure }) => figure)).to.eql(["271.74"]);
    expect(rejected).to.eql([{ of: "reference", subject: "TSLA", reason: "not_positive" }]);
  });
});

failsAsEvery(
  "Tickerhouse",
  (deps) => TICKERHOUSE.connect({ ...deps, apiKey: "k" }).last(["AAPL"]),
  (hole) => ({ quotes: [{ ...LAST, last: hole }] }),
);
