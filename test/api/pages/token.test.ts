import { type IncomingMessage, request } from "node:http";
import { expect } from "chai";
import { DatabaseUnavailable } from "../../../database/errors.ts";
import { readBlock } from "../../../web/series/block.ts";
import { csvOfToken } from "../../../web/series/csvRows.ts";
import { modelOf } from "../../../web/series/model.ts";
import { expectStatus, startTestApp } from "../../support/http.ts";
import { AAPLX, DAY, HOUR, TOKEN_NOW, testTokenApp, tokenData } from "../../support/tokenHistory.ts";

const PATH = `/tokens/bnb/${AAPLX.address}`;
const HTML = { accept: "text/html" };

/** What the page embeds for its charts. */
const blockOf = (text: string) => readBlock(/id="series">(.*?)<\/script>/s.exec(text)![1]!);

describe("a token's page as the server makes it", () => {
  const app = testTokenApp();
  const page = (query = "", headers: Record<string, string> = HTML) =>
    app.call(`${PATH}${query}`, { key: null, headers });

  it("shows what the public endpoints serve of these days, to the digit", async () => {
    for (const days of [1, 7, 30]) {
      const block = blockOf((await page(`?days=${days}`)).text);
      const premium = (await app.call(`/api/premium/history?address=${AAPLX.address}&days=${days}`)).body;
      const basis = (await app.call(`/api/basis/history?address=${AAPLX.address}&days=${days}`)).body;
      const column = (name: string, { points }: any) => points.map((point: any) => point[name]);
      expect(block.premium.hour).to.deep.equal(column("t", premium));
      const others = { close: "premium", edge: "net_edge", age: "reference_age", spread: "spread_bps" };
      for (const name of ["lo", "hi", "witnesses", "samples"] as const)
        expect(block.premium[name], name).to.deep.equal(column(name, premium));
      for (const [ours, theirs] of Object.entries(others))
        expect(block.premium[ours as keyof typeof others], ours).to.deep.equal(column(theirs, premium));
      const told = block.premium.origin.map((place) => block.origins[place]);
      expect(told).to.deep.equal(
        premium.points.map(({ source, session, reference, state, halted }: any) => ({
          ...{ source, session, reference, state, halted },
          funding: null,
        })),
      );
      expect(block.basis.hour).to.deep.equal(column("t", basis));
      expect(block.basis.close).to.deep.equal(column("basis", basis));
      expect(block.basis.funding).to.deep.equal(column("funding_annual", basis));
      expect(block.basis.venue).to.equal(basis.venue);
    }
  });

  it("tells source, session and age of its reference beside every hour of its tables", async () => {
    const { text } = await page("?days=7&lang=en");
    const [premium = "", basis = ""] = [...text.matchAll(/<tbody>(.*?)<\/tbody>/gs)].map(([, rows]) => rows);
    const rows = [...premium.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
      [...row!.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => cell!.replace(/<[^>]+>/g, "")),
    );
    expect(text).to.match(/New York.{0,20} · sources agree/);
    // 168 hours without the eight of the gap.
    expect(rows).to.have.length(160);
    expect(rows[0]!.slice(0, 2)).to.deep.equal(["14 Nov, 15:00", "14 Nov, 10:00"]);
    expect(rows[0]!.slice(6)).to.deep.equal([
      ...["regular", "pancakeswap", "pyth", "12 s", "2"],
      ...["sources agree", "1.5"],
    ]);
    const closed = rows.filter((row) => row[6] === "closed");
    expect(closed.length).to.be.greaterThan(24);
    for (const row of closed) {
      expect(row.slice(7, 10)).to.deep.equal(["pancakeswap", "pyth-close", "8 h"]);
      expect(row.slice(11)).to.deep.equal(["one source alone, halted", "–"]);
    }
    expect([...basis.matchAll(/<tr>/g)]).to.have.length(160);
  });

  it("puts all of it into one file", async () => {
    const model = modelOf(blockOf((await page("?days=30")).text));
    expect(model.hours).to.have.length(720);
    expect(model.premium.close.filter((value) => value === null)).to.have.length(8);
    const lines = csvOfToken(model).trimEnd().split("\r\n");
    expect(lines).to.have.length(1 + 720 - 8);
    const cells = lines.map((line) => line.split(","));
    expect(new Set(cells.map(({ length }) => length))).to.deep.equal(new Set([cells[0]!.length]));
    const at = (name: string) => cells[0]!.indexOf(name);
    const last = cells.at(-1)!;
    expect(last[at("hour_utc")]).to.equal("2025-11-14T15:00:00.000Z");
    expect(last[at("premium_source")]).to.equal("pancakeswap");
    const told = (line: string[]) =>
      ["session", "state", "spread_bps", "halted"].map((name) => line[at(`premium_${name}`)]);
    expect(told(last)).to.deep.equal(["regular", "agreed", "1.5", "false"]);
    const night = cells.find((line) => line[at("premium_session")] === "closed")!;
    expect(told(night)).to.deep.equal(["closed", "single", "", "true"]);
    expect([last[at("basis_state")], last[at("funding_state")]]).to.deep.equal(["agreed", "single"]);
  });

  it("a token's page as the server makes it is in the language that the address or the browser asks for", async () => {
    expect((await page("?lang=zh")).text)
      .to.contain("相对股票的溢价")
      .and.to.contain("苹果");
    const browsed = await page("", { ...HTML, "accept-language": "zh-CN,zh;q=0.9" });
    expect(browsed.text).to.contain("相对股票的溢价");
  });

  it("turns any days parameter into a valid one", async () => {
    const shown = { "0": 1, "31": 30, "-5": 1, "1e9": 30, x: 7, "%00": 7, "1&days=2": 7 };
    for (const [asked, days] of Object.entries(shown))
      expect(blockOf((await page(`?days=${asked}`)).text).days, asked).to.equal(days);
  });

  it("leads to the address as it is listed, and says that there is nothing at others", async () => {
    const init = { key: null, headers: HTML, redirect: "manual" } as const;
    const lower = await app.call(`/tokens/bnb/${AAPLX.address.toLowerCase()}?days=30`, init);
    expectStatus(lower, 303);
    expect(lower.headers.get("location")).to.equal(`${PATH}?days=30`);
    for (const path of [`/tokens/solana/${AAPLX.address}`, "/tokens/bnb/0x00", "/tokens/mars/x"])
      expect((await app.call(path, { key: null, headers: HTML })).status, path).to.equal(404);
  });

  it("travels with all that it loads in less than 100 kB, thirty days included, as the reference does", async () => {
    for (const [path, island] of [
      [PATH, "token"],
      [`${PATH}?days=30`, "token"],
      [`${PATH}?days=30&lang=zh`, "token"],
      ["/docs", "frame"],
    ] as const) {
      const { text } = await app.call(path, { key: null, headers: HTML });
      const assets = [...text.matchAll(/\s(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, name]) => name!);
      const isBuilt = assets.some((name) => name.includes(`/${island}-`));
      expect(isBuilt, "the build of web/ is there").to.equal(true);
      let bytes = await sizeOf(path);
      for (const name of assets) bytes += await sizeOf(name);
      expect(bytes, path).to.be.greaterThan(20_000).and.lessThan(100_000);
    }
  });

  /** Bytes of an answer on the wire. */
  async function sizeOf(path: string): Promise<number> {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(app.url + path, { headers: { ...HTML, "accept-encoding": "br" } }, resolve)
        .on("error", reject)
        .end();
    });
    let size = 0;
    for await (const chunk of answer) size += (chunk as Buffer).length;
    return size;
  }

  it("says that figures are missing while the database is away, and nobody keeps that", async () => {
    const away = new Proxy(app.db, {
      get(target, name) {
        if (name === "selectFrom")
          return () => {
            throw new DatabaseUnavailable(new Error("away"));
          };
        return Reflect.get(target, name);
      },
    });
    await using degraded = await startTestApp({ db: app.db, data: { ...tokenData(), db: away } });
    const answer = expectStatus(await degraded.call(`${PATH}?lang=en`, { key: null, headers: HTML }), 200);
    expect(answer.text).to.contain("The database does not answer").and.to.contain("AAPLx");
    expect(answer.headers.get("cache-control")).to.equal("no-store");
  });

  it("a token's page as the server makes it stays out of the OpenAPI document", () => {
    expect(Object.keys(app.openapi.paths ?? {}).filter((path) => path.includes("tokens"))).to.deep.equal([]);
  });

  it("shows an hour as many days back as were asked for", async () => {
    const { from, to } = blockOf((await page("?days=1")).text);
    expect(to - from).to.equal(DAY);
    expect(to).to.equal(TOKEN_NOW - (TOKEN_NOW % HOUR) + HOUR);
  });
});
