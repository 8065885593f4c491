/** A token's page as the server makes it. */
import { type IncomingMessage, request } from "node:http";
import { expect } from "chai";
import { DatabaseUnavailable } from "../../../database/errors.ts";
import { expectStatus, startTestApp } from "../../support/http.ts";
import { AAPLX, testTokenApp, tokenData } from "../../support/tokenHistory.ts";

const PATH = "/tokens/AAPLx";
const HTML = { accept: "text/html" };

describe("a token's page as the server makes it", () => {
  const app = testTokenApp();
  const page = (query = "", headers: Record<string, string> = HTML) =>
    app.call(`${PATH}${query}`, { key: null, headers });

  /** The texts of each row of each table, heads included. */
  function tablesIn(text: string): string[][][] {
    return [...text.matchAll(/<table>(.*?)<\/table>/gs)].map(([, table = ""]) =>
      [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
        [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = ""]) =>
          cell.replace(/<[^>]+>/g, ""),
        ),
      ),
    );
  }
  /** What the page hands to its charts. */
  const chartsIn = (text: string): any[] =>
    [...text.matchAll(/<script type="application\/json">(.*?)<\/script>/g)].map(([, json]) =>
      JSON.parse(json!),
    );

  it("a token's page shows what the public endpoints serve of these days", async () => {
    for (const days of [1, 7, 30]) {
      const { text } = await page(`?days=${days}`);
      const [premium, basis] = chartsIn(text);
      const asked = `address=${AAPLX.address}&days=${days}`;
      const { points } = (await app.call(`/api/premium/history?${asked}`)).body;
      expect(premium.hours).to.deep.equal(points.map(({ t }: any) => t));
      expect(premium.values).to.deep.equal(points.map(({ premium }: any) => premium));
      expect(premium.lows).to.deep.equal(points.map(({ lo }: any) => lo));
      const told = (await app.call(`/api/basis/history?${asked}`)).body.points;
      expect(basis.values).to.deep.equal(told.map(({ basis }: any) => basis));
      expect(basis.second.values).to.deep.equal(told.map(({ funding_annual }: any) => funding_annual));
      expect(tablesIn(text).map(({ length }) => length)).to.deep.equal([1 + points.length, 1 + told.length]);
    }
  });

  it("a token's page tells source, session and age of its reference beside every hour of its tables", async () => {
    const { text } = await page("?days=7&lang=en");
    expect(text).to.match(/New York.{0,20} · sources agree/);
    const [[, ...rows] = []] = tablesIn(text);
    // 168 hours without the eight of the gap.
    expect(rows).to.have.length(160);
    expect(rows[0]!.slice(0, 2)).to.deep.equal(["14 Nov, 15:00", "14 Nov, 10:00"]);
    expect(rows[0]!.slice(6)).to.deep.equal([
      ...["Regular session", "pancakeswap", "pyth", "12 s", "2"],
      ...["sources agree", "1.5"],
    ]);
    const closed = rows.filter((row) => row[6] === "Closed");
    expect(closed.length).to.be.greaterThan(24);
    for (const row of closed) {
      expect(row.slice(7, 10)).to.deep.equal(["pancakeswap", "pyth-close", "8 h"]);
      expect(row.slice(11)).to.deep.equal(["one source alone, halted", "–"]);
    }
  });

  it("a token's page links the CSV and the JSON of the days that it shows", async () => {
    const { text } = await page("?days=30");
    const links = [...text.matchAll(/href="(\/api\/[^"]*)"/g)].map(([, href]) =>
      href!.replaceAll("&amp;", "&"),
    );
    expect(links.filter((href) => href.endsWith("format=csv"))).to.have.length(2);
    for (const href of links) {
      expect(href).to.include("days=30");
      const answer = expectStatus(await app.call(href, { key: null }), 200);
      const type = href.endsWith("csv") ? "text/csv" : "application/json";
      expect(answer.headers.get("content-type")).to.include(type);
    }
  });

  it("a token's page as the server makes it is in the language that the address or the browser asks for", async () => {
    expect((await page("?lang=zh")).text)
      .to.contain("相对股票的溢价")
      .and.to.contain("苹果");
    const browsed = await page("", { ...HTML, "accept-language": "zh-CN,zh;q=0.9" });
    expect(browsed.text).to.contain("相对股票的溢价");
  });

  it("a token's page turns any days parameter into a valid one", async () => {
    const shown = { "0": 1, "31": 30, "-5": 1, "1e9": 30, x: 7, "%00": 7, "1&days=2": 7 };
    for (const [asked, days] of Object.entries(shown)) {
      const [{ from, to }] = chartsIn((await page(`?days=${asked}`)).text);
      expect((to - from) / 86_400, asked).to.equal(days);
    }
  });

  it("a token's page is found by the token's address too, and there is nothing at others", async () => {
    const init = { key: null, headers: HTML, redirect: "manual" } as const;
    const lower = await app.call(`/tokens/${AAPLX.address.toLowerCase()}?days=30`, init);
    expectStatus(lower, 303);
    expect(lower.headers.get("location")).to.equal(`${PATH}?days=30`);
    for (const path of ["/tokens/aaplx", "/tokens/0x00", "/tokens/__proto__", "/tokens/AAPLx?chain=solana"])
      expect((await app.call(path, { key: null, headers: HTML })).status, path).to.equal(404);
  });

  it("a symbol of several chains names the first, and the others with their chain", async () => {
    const solana = { ...AAPLX, assetKey: "solana:x", chain: "solana", address: "So1anaAddre55" } as const;
    await using both = await startTestApp({ data: { ...tokenData(), assets: [AAPLX, solana] } });
    const home = await (await fetch(both.url, { headers: HTML })).text();
    const links = [...home.matchAll(/<th scope="row"><a href="([^"]*)"/g)].map(([, href]) => href);
    expect(links).to.deep.equal([PATH, `${PATH}?chain=solana`]);
    for (const [path, address] of [
      [links[0], AAPLX.address],
      [links[1], solana.address],
    ])
      expect(await (await fetch(both.url + path, { headers: HTML })).text()).to.contain(`<code>${address}`);
  });

  it("a token's page travels with all that it loads in less than 100 kB, thirty days included", async () => {
    for (const path of [PATH, `${PATH}?days=30`, `${PATH}?days=30&lang=zh`]) {
      const { text } = await app.call(path, { key: null, headers: HTML });
      const assets = [...text.matchAll(/\s(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, name]) => name!);
      expect(assets.some((name) => name.includes("/token-"))).to.equal(true);
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

  it("a token's page says that figures are missing while the database is away, and nobody keeps that", async () => {
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
});
