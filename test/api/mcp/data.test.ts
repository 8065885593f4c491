/** The tools that read market data: for hosts without a key, and the same with one. */
import { expect } from "chai";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { recordBases } from "../../../market/series/basis.ts";
import { startTestApp } from "../../support/http.ts";
import { connectHost } from "../../support/mcp.ts";
import { basisSample, premiumSample, premiumsAt } from "../../support/samples.ts";
import { ofSuite } from "../../support/suite.ts";
import { AAPLX, HOUR, TOKEN_NOW } from "../../support/tokenHistory.ts";

const HOURS = 30;

describe("MCP tools of market data", () => {
  const app = ofSuite(() =>
    startTestApp({
      async seed(db) {
        const thisHour = TOKEN_NOW - (TOKEN_NOW % HOUR);
        const hours = Array.from({ length: HOURS }, (_, n) => thisHour - n * HOUR + 60);
        await premiumsAt(
          db,
          TOKEN_NOW,
          hours.map((at, n) =>
            premiumSample(
              AAPLX.assetKey,
              at,
              n === 1 ? { referencePriceUsd: null, referenceSource: null } : {},
            ),
          ),
        );
        await recordBases(
          db,
          hours.map((at) => basisSample("AAPL", at)),
          TOKEN_NOW,
        );
      },
      data: { assets: [AAPLX], now: () => TOKEN_NOW * 1_000 },
    }),
  );
  const host = ofSuite(() => connectHost("2026", app.url, null));

  it("answer the last hours of a token's premium as the public endpoint has them, to a host without a key", async () => {
    const { body } = await app.call("/api/premium/history?symbol=AAPLx&days=2", { key: null });
    const told = await host.use("get_market_history", { symbol: "AAPLx", days: 2 });
    expect(told).to.include({ of: "AAPLx", chain: "bnb", venue: null, hours: HOURS });
    expect(told.columns).to.deep.equal(["hour", "premium_bps", "net_edge_bps", "state", "session"]);
    expect(told.rows).to.deep.equal(
      body.points
        .slice(-24)
        .map(({ t, premium, net_edge, state, session }: any) => [
          new Date(t * 1_000).toISOString().replace(":00.000Z", "Z"),
          ...[premium, net_edge, state, session],
        ]),
    );
    // The hour without a reference is there, and has no figure.
    expect(told.rows.at(-2).slice(1, 3)).to.deep.equal([null, null]);
    expect(told.attribution).to.equal(body.attribution);
    expect(told.next).to.match(/^Earlier hours: raise limit\. /);
    const all = await host.use("get_market_history", { symbol: "AAPLx", days: 2, limit: 168 });
    expect([all.rows.length, all.next.includes("raise limit")]).to.deep.equal([HOURS, false]);
  });

  it("cost a model no more than 2,000 tokens with a day of hours", async () => {
    const { content, structuredContent } = await host.call("get_market_history", { symbol: "AAPLx" });
    expect(structuredContent.rows).to.have.length(24);
    expect(encode(JSON.stringify({ content, structuredContent })).length).to.be.at.most(2_000);
  });

  it("answer the basis of a stock's perpetual, by its venue", async () => {
    const told = await host.use("get_market_history", { underlying: "AAPL", limit: 2 });
    expect(told).to.include({ of: "AAPL", chain: null, venue: "test" });
    expect(told.rows.map(([, basis]: [string, number]) => basis)).to.deep.equal([100, 100]);
    const other = await host.failure("get_market_history", { underlying: "AAPL", venue: "nowhere" });
    expect(other).to.include({ code: "not_found", detail: "The venues are test." });
  });

  it("link to the whole series, which anybody can read", async () => {
    const { content } = await host.call("get_market_history", { symbol: "AAPLx", limit: 1 });
    expect(content[1]).to.include({ type: "resource_link", uri: "assay://premium/AAPLx" });
    const read = async (uri: string) =>
      JSON.parse(((await host.client.readResource({ uri })).contents[0] as { text: string }).text);
    expect((await read("assay://premium/AAPLx")).points).to.have.length(HOURS);
    expect((await read("assay://basis/AAPL")).points).to.have.length(HOURS);
  });

  it("say that there is no such token, and want one name", async () => {
    expect(await host.failure("get_market_history", { symbol: "AAPL" })).to.include({ code: "not_found" });
    expect(await host.failure("get_market_history", { underlying: "TSLA" })).to.include({
      code: "not_found",
    });
    for (const args of [{}, { symbol: "AAPLx", underlying: "AAPL" }])
      expect((await host.failure("get_market_history", args)).errors[0].path).to.equal("symbol");
  });
});
