/** The pages as HTTP has them: who gets one, in which language, kept for how long, and what they weigh. */
import { brotliCompressSync } from "node:zlib";
import { expect } from "chai";
import { readerOf } from "../../../api/pages/language.ts";
import { prefersHtml } from "../../../api/pages/page.ts";
import { DatabaseUnavailable } from "../../../database/errors.ts";
import { migrate } from "../../../database/migrate.ts";
import { openDatabase } from "../../../database/open.ts";
import { pathFor } from "../../../web/props.ts";
import { expectStatus, startTestApp } from "../../support/http.ts";
import { PAGES_NOW, testPagesApp } from "../../support/pages.ts";

/** What a browser says that it takes. */
const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
/** A page with all that it loads, as it travels. */
const BUDGET = 100_000;

describe("pages over HTTP", () => {
  const app = testPagesApp();

  const open = (path: string, headers: Record<string, string> = BROWSER) =>
    app.call(path, { key: null, headers });

  it("pages over HTTP are for requests that prefer HTML: at / all others get a 404", async () => {
    expect((await open("/")).headers.get("content-type")).to.equal("text/html; charset=utf-8");
    for (const accept of ["*/*", "application/json", "text/html;q=0.5, application/json", "text/html;q=0"]) {
      const answer = await open("/", { accept });
      expect([answer.status, answer.body.code], accept).to.deep.equal([404, "not_found"]);
    }
  });

  it("pages over HTTP are chosen by the weights of the Accept header", () => {
    expect(prefersHtml(BROWSER.accept)).to.equal(true);
    for (const accept of [undefined, "", "text/*", "TEXT/HTML;q=0", "application/json"])
      expect(prefersHtml(accept), accept).to.equal(false);
    expect(prefersHtml("Text/HTML; q=0.3")).to.equal(true);
  });

  it("pages over HTTP may load their own scripts and answers, and nothing of anybody else", async () => {
    for (const path of ["/", "/status"]) {
      const { headers } = await open(path);
      expect(headers.get("content-security-policy"), path).to.match(
        /^default-src 'none'; script-src 'self'; style-src 'sha256-[A-Za-z0-9+/]{43}='; connect-src 'self'; img-src 'self' data:; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
      );
      expect(headers.get("x-content-type-options")).to.equal("nosniff");
      expect(headers.get("referrer-policy")).to.equal("no-referrer");
    }
  });

  it("pages over HTTP are kept as the public JSON is, and told apart by what the reader takes", async () => {
    for (const path of ["/", "/status"]) {
      const { headers } = await open(path);
      expect(headers.get("cache-control"), path).to.equal("public, max-age=30");
      expect(headers.get("vary")).to.equal("Accept, Accept-Encoding, Accept-Language");
      const again = await open(path, { ...BROWSER, "if-none-match": headers.get("etag")! });
      expect([again.status, again.text]).to.deep.equal([304, ""]);
    }
  });

  it("pages over HTTP say on /status how many figures rest on what, in the reader's language", async () => {
    for (const [language, told] of Object.entries({ en: "sources disagree", zh: "来源不一致" }))
      expect((await open(`/status?lang=${language}`)).text).to.match(
        new RegExp(`premium</th><td[^>]*>${told}</td><td[^>]*>1</td><td[^>]*>1</td>`),
      );
  });

  it("pages over HTTP speak the language of ?lang=, then that of the browser, and say so", async () => {
    const title = async (path: string, language: string) => {
      const answer = await open(path, { ...BROWSER, "accept-language": language });
      return [answer.headers.get("content-language"), /<html lang="([^"]+)"/.exec(answer.text)?.[1]];
    };
    expect(await title("/", "en-GB,en;q=0.9")).to.deep.equal(["en", "en"]);
    expect(await title("/", "fr;q=1, zh-TW;q=0.8, en;q=0.5")).to.deep.equal(["zh", "zh-CN"]);
    expect(await title("/?lang=en", "zh")).to.deep.equal(["en", "en"]);
    expect(await title("/status?lang=zh", "en")).to.deep.equal(["zh", "zh-CN"]);
    expect(await title("/?lang=xx", "zh")).to.deep.equal(["zh", "zh-CN"]);
    // A chosen language is kept from page to page.
    const { text } = await open("/?lang=zh");
    for (const [, href] of text.matchAll(/<a [^>]*href="(\/[^"]*)"/g))
      if (!href!.startsWith("/api")) expect(href).to.match(/[?&;]lang=(zh|en)/);
  });

  it("pages over HTTP find no language in what is none", () => {
    for (const asked of [undefined, ["zh"], "ZH", 7, "__proto__"])
      expect(readerOf(asked, undefined).language).to.equal("en");
    expect(readerOf(undefined, "zh;q=x, *, ;;;,").language).to.be.oneOf(["en", "zh"]);
    expect(pathFor({ language: "zh", explicit: true }, "/a?b=c#d")).to.equal("/a?b=c&lang=zh#d");
  });

  it(`pages over HTTP weigh less than ${BUDGET / 1_000} kB with all that they load, unpacked, a full page of tokens included`, async () => {
    for (const path of ["/", "/?page=2", "/status"]) {
      const { text } = await open(path);
      const assets = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, asset]) => asset!);
      expect(assets.length).to.be.greaterThan(0);
      let bytes = Buffer.byteLength(text);
      let packed = brotliCompressSync(text).length;
      for (const asset of assets) {
        const { status, headers, text: content } = await open(asset);
        expect(status).to.equal(200);
        expect(headers.get("cache-control")).to.equal("public, max-age=31536000, immutable");
        bytes += Buffer.byteLength(content);
        packed += brotliCompressSync(content).length;
        const { headers: as } = await open(asset, { "accept-encoding": "br" });
        expect(as.get("content-encoding")).to.equal(content.length < 1_024 ? null : "br");
      }
      expect(bytes, path).to.be.lessThan(BUDGET);
      expect(packed, path).to.be.lessThan(BUDGET / 3);
    }
  });

  it("pages over HTTP say what is wrong in words, with the status that it has", async () => {
    expect((await open("/assets/nothing.js")).status).to.equal(404);
    expect((await open("/sign")).status).to.equal(200);
    expect((await open("/assets/..%2f..%2fpackage.json")).status).to.equal(404);
    const post = await app.call("/status", { method: "POST", key: null });
    expect([post.status, post.headers.get("allow")]).to.deep.equal([405, "GET, HEAD, OPTIONS"]);
    const head = await app.call("/", { method: "HEAD", key: null, headers: BROWSER });
    expect([head.status, head.text]).to.deep.equal([200, ""]);
  });

  it("unknown addresses are a page for browsers and a problem in JSON for all others", async () => {
    for (const path of ["/nope", "/reports/0x1234", "/tokens/MOONx"]) {
      const page = await open(path);
      expect([page.status, page.headers.get("content-type")], path).to.deep.equal([
        404,
        "text/html; charset=utf-8",
      ]);
      expect(page.text, path).to.contain("<h1>Nothing is here</h1>");
      expect(page.headers.get("cache-control"), path).to.equal("no-store");
      const json = await open(path, { accept: "*/*" });
      expect([json.status, json.body.code], path).to.deep.equal([404, "not_found"]);
    }
    expect((await open("/nope", { ...BROWSER, "accept-language": "zh" })).text).to.contain("此地址没有页面");
    const post = await app.call("/nope", { method: "POST", key: null, headers: BROWSER });
    expect(post.headers.get("content-type")).to.equal("application/problem+json");
  });

  it("browsers, crawlers and researchers find icon, robots.txt and security.txt at their addresses", async () => {
    const icon = await open("/favicon.ico");
    expect([icon.status, icon.headers.get("content-type")]).to.deep.equal([200, "image/x-icon"]);
    expect((await open("/robots.txt")).text).to.equal("User-agent: *\nDisallow:\n");
    // No contact is invented.
    expectStatus(await open("/.well-known/security.txt"), 404);
    const settings = { securityContact: "mailto:security@example.org" };
    await using told = await startTestApp({ settings, data: { assets: app.assets, simulated: false } });
    const { text } = await told.call("/.well-known/security.txt", { key: null });
    expect(text).to.match(
      /^Contact: mailto:security@example\.org\nExpires: \d{4}-\d\d-\d\dT00:00:00\.000Z\n/,
    );
    expect(text).to.contain(`Canonical: ${told.url}/.well-known/security.txt`);
  });

  it("the market table sorts and filters by its address, and every choice stays in its links", async () => {
    const symbols = async (path: string) => {
      const { text } = await open(path);
      return [...text.matchAll(/<th scope="row"><a href="[^"]*">([^<]*)</g)].map(([, symbol]) => symbol!);
    };
    const premiums = async (path: string) =>
      [...(await open(path)).text.matchAll(/<td class="number premium [^"]*">([^<]*)</g)].map(([, text]) =>
        Number(text!.replace("−", "-").replace(",", "")),
      );
    const down = await premiums("/?sort=premium");
    expect(down)
      .to.have.length(40)
      .and.deep.equal(down.toSorted((one, other) => other - one));
    const up = await premiums("/?sort=premium&order=asc");
    expect(up).to.deep.equal(up.toSorted((one, other) => one - other));
    expect(up[0]).to.be.lessThan(down.at(-1)!);
    const names = await symbols("/?sort=symbol&order=desc");
    expect(names).to.deep.equal(names.toSorted().reverse());
    // One token's hours are of a session of another name.
    expect(await symbols("/?session=regular&page=2")).to.have.length(4);
    expect(await symbols("/?chain=solana")).to.have.length(40, "a chain without a token is no filter");
    expect(await symbols("/?issuer=xstocks&page=99")).to.have.length(5);
    expect((await open("/?session=overnight")).text).to.contain("No token matches.");
    const { text } = await open("/?sort=premium&issuer=xstocks&lang=zh");
    expect(text).to.contain('href="/?issuer=xstocks&amp;sort=premium&amp;page=2&amp;lang=zh"');
    expect(text)
      .to.contain('<option value="xstocks" selected>xStocks</option>')
      .and.contain("xStocks · BNB 链");
    expect(text).to.contain('aria-sort="descending"');
  });

  it("the box finds tokens by symbol, name and address, and opens a report by its hash", async () => {
    const found = async (words: string) => {
      const { text } = await open(`/?q=${encodeURIComponent(words)}`);
      return [...text.matchAll(/<th scope="row"><a href="[^"]*">([^<]*)</g)].map(([, symbol]) => symbol!);
    };
    expect(await found("aaplX")).to.deep.equal(["AAPLx"]);
    expect(await found("苹果")).to.deep.equal(["AAPLx"]);
    expect(await found("token tok17")).to.deep.equal(["TOK17x"]);
    expect(await found(app.assets[3]!.address.toUpperCase().replace("0X", "0x"))).to.deep.equal(["TOK3x"]);
    expect(await found("<nothing>")).to.deep.equal([]);
    const hash = `0x${"5E".repeat(32)}`;
    const answer = await app.call(`/?q=${hash}&lang=zh`, { key: null, headers: BROWSER, redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).to.deep.equal([
      303,
      `/reports/${hash.toLowerCase()}?lang=zh`,
    ]);
  });

  it("pages over HTTP have prices and grades only where the operator lets everybody see them, and no such column elsewhere", async () => {
    expect((await open("/")).text).not.to.match(/>Price<|>Grade</);
    const data = { assets: app.assets, simulated: false, now: () => PAGES_NOW * 1_000 };
    await using priced = await startTestApp({ db: app.db, data, settings: { pagePrices: true } });
    const { text } = await priced.call("/", { key: null, headers: BROWSER });
    expect(text).to.match(/>Price<.*>Grade<.*AAPLx.*\$99\.04.*<td>A<\/td>/s);
  });

  it("pages over HTTP tell who shares their link what they are, without the query", async () => {
    const { text } = await open("/?lang=zh&page=2");
    expect(text).to.contain('<meta property="og:title" content="经过核验的代币化美股"/>');
    expect(text).to.contain(`<meta property="og:url" content="${app.url}/"/>`);
  });

  it("pages over HTTP show what they can while the database is away, and nobody keeps that", async () => {
    let away = false;
    const onQuery = () => {
      if (away) throw new DatabaseUnavailable(new Error("disk I/O error"));
    };
    await using db = openDatabase("sqlite::memory:", { onQuery });
    await migrate(db);
    await using broken = await startTestApp({ db, data: { assets: app.assets, simulated: false } });
    away = true;
    for (const path of ["/", "/status"]) {
      const answer = await fetch(broken.url + path, { headers: BROWSER });
      expect([answer.status, answer.headers.get("cache-control")], path).to.deep.equal([200, "no-store"]);
      const text = await answer.text();
      expect(text).to.match(/the database does not answer/i);
      expect(text, path).to.not.contain("no price this week");
    }
    const hash = `0x${"00".repeat(32)}`;
    const asked = await fetch(`${broken.url}/reports/${hash}`, { headers: BROWSER });
    expectStatus(asked, 503);
    expect(await asked.text()).to.contain("<h1>This page cannot be shown</h1>");
    away = false;
    const back = await fetch(broken.url, { headers: BROWSER });
    expect(back.headers.get("cache-control")).to.equal("public, max-age=30");
  });
});
