import { get as httpGet } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect } from "chai";
import { RECENT_KEY_MS } from "../../../api/keys/authenticate.ts";
import type { Database } from "../../../database/open.ts";
import { recordHours } from "../../support/dataApi.ts";
import { memoryDatabase } from "../../support/database.ts";
import { APPLICANT, startTestApp, type TestApp } from "../../support/http.ts";
import { validateAnswer } from "../../support/openapi.ts";
import { watching } from "../../support/watching.ts";

const START = Date.UTC(2025, 10, 14, 15, 20);

/** The bytes as they come over the wire. */
function rawGet(url: string, headers: Record<string, string>) {
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; bytes: Buffer }>((resolve, reject) => {
    httpGet(url, { headers }, async (response) =>
      resolve({ headers: response.headers, bytes: await buffer(response) }),
    ).on("error", reject);
  });
}

describe("the data API over HTTP", () => {
  let app: TestApp;
  let db: Database;
  let now: number;
  let queries: number;
  const counting = watching(({ node }) => {
    if (JSON.stringify(node).includes("hour_buckets")) queries++;
  });
  const path = "/api/premium/history?symbol=AAPLx&days=30";

  beforeEach(async () => {
    now = START;
    queries = 0;
    db = await memoryDatabase();
    await recordHours(db, 100, START);
    const clocks = { now: () => now, monotonic: () => now };
    app = await startTestApp({ db, data: { db: db.withPlugin(counting), ...clocks } });
  });
  afterEach(async () => {
    await app.stop();
    await db.destroy();
  });

  it("the data API asks the database once for many callers, and again after 30 seconds", async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => app.call(path, { key: null })));
    expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
    expect(queries).to.equal(1);
    now += 29_999;
    await app.call(path);
    expect(queries).to.equal(1);
    now += 1;
    await app.call(path);
    expect(queries).to.equal(2);
  });

  it("the data API never asks the database for what nobody lists", async () => {
    for (const symbol of ["ZZZZ", "", "AAPLy"]) {
      await app.call(`/api/premium/history?symbol=${symbol}`);
      await app.call(`/api/basis/history?underlying=${symbol}`);
    }
    await app.call("/api/v1/premium-history?symbol=ZZZZ");
    expect(queries).to.equal(0);
  });

  it("the data API answers the same bytes and ETag for the same data, and new ones when the data are new", async () => {
    const first = await app.call(path);
    now += 60_000;
    const second = await app.call(path);
    expect([second.text, second.headers.get("etag")]).to.deep.equal([first.text, first.headers.get("etag")]);
    await recordHours(db, 1, START, "100.5");
    now += 60_000;
    expect((await app.call(path)).headers.get("etag")).to.not.equal(first.headers.get("etag"));
  });

  it("the data API answers 304 to who has the answer already, with the headers that matter", async () => {
    const first = await app.call(path);
    const etag = first.headers.get("etag")!;
    for (const tag of [etag, etag.slice(2), `"x", ${etag}`, "*"]) {
      const again = await app.call(path, { headers: { "if-none-match": tag } });
      expect([again.status, again.text], tag).to.deep.equal([304, ""]);
      const kept = { etag, "cache-control": "public, max-age=30", vary: "Accept-Encoding" };
      expect(Object.fromEntries(again.headers)).to.include(kept);
      expect(again.headers.get("ratelimit")).to.be.a("string");
      validateAnswer(app.openapi, "GET", path, 304, undefined);
    }
    for (const tag of ["", '"other"', etag.slice(3, -1)])
      expect((await app.call(path, { headers: { "if-none-match": tag } })).status, tag).to.equal(200);
  });

  it("the data API lets public answers be kept by anyone for 30 seconds, those to a key by its holder", async () => {
    const control = async (path: string) => (await app.call(path)).headers.get("cache-control");
    for (const path of ["/api/market-overview", "/api/premium/history", "/api/basis/history?underlying=AAPL"])
      expect(await control(path)).to.equal("public, max-age=30");
    for (const path of ["/api/v1/assets", "/api/v1/liquidity-scores", "/api/v1/premium-history?symbol=AAPLx"])
      expect(await control(path)).to.equal("private, max-age=30");
    expect(await control("/api/v1/premium-history")).to.equal("no-store, private");
    const without = await app.call("/api/v1/assets", { key: null });
    expect(without.headers.get("cache-control")).to.equal("no-store, private");
  });

  it("the data API compresses answers for clients that accept it, and the bytes unpack to the same", async () => {
    const url = `${app.url}${path}`;
    const plain = await rawGet(url, {});
    expect(plain.headers["content-encoding"]).to.equal(undefined);
    const br = await rawGet(url, { "accept-encoding": "gzip, deflate, br" });
    expect(br.headers["content-encoding"]).to.equal("br");
    expect(brotliDecompressSync(br.bytes)).to.deep.equal(plain.bytes);
    expect(br.bytes.length).to.be.lessThan(plain.bytes.length / 5);
    const gzip = await rawGet(url, { "accept-encoding": "gzip" });
    expect(gzip.headers["content-encoding"]).to.equal("gzip");
    expect(gunzipSync(gzip.bytes)).to.deep.equal(plain.bytes);
    for (const { headers, bytes } of [plain, br, gzip]) {
      expect(Number(headers["content-length"])).to.equal(bytes.length);
      expect(headers["content-type"]).to.equal("application/json; charset=utf-8");
      expect([headers.etag, headers.vary]).to.deep.equal([plain.headers.etag, "Accept-Encoding"]);
    }
    const small = await rawGet(`${app.url}/api/basis/history`, { "accept-encoding": "br" });
    expect(small.headers["content-encoding"]).to.equal(undefined);
  });

  it("the data API answers HEAD with the headers of GET and no body", async () => {
    const get = await rawGet(`${app.url}${path}`, {});
    const head = await app.call(path, { method: "HEAD", headers: { "accept-encoding": "identity" } });
    expect([head.status, head.text]).to.deep.equal([200, ""]);
    expect(head.headers.get("content-length")).to.equal(String(get.bytes.length));
    expect(head.headers.get("etag")).to.equal(get.headers.etag);
  });

  it("the data API takes a key's revocation a second late at most, and elsewhere at once", async () => {
    const { key, record } = await app.keys.create(APPLICANT, "test");
    const code = async (path: string) => (await app.call(path, { key })).body.code;
    expect(await code("/api/v1/assets")).to.equal(undefined);
    await app.keys.revoke(record.id, "test");
    expect(await code("/v1/assets")).to.equal("revoked_api_key");
    now += RECENT_KEY_MS;
    expect(await code("/api/v1/assets")).to.equal(undefined);
    now += 1;
    expect(await code("/api/v1/assets")).to.equal("revoked_api_key");
    expect(await code("/api/v1/assets")).to.equal("revoked_api_key");
  });

  it("the data API looks a key up once a second, and one that was refused every time", async () => {
    let lookups = 0;
    const counting = watching(({ node }) => {
      if (JSON.stringify(node).includes("api_keys")) lookups++;
    });
    await app.stop();
    app = await startTestApp({ db: db.withPlugin(counting), data: { monotonic: () => now } });
    lookups = 0;
    for (let call = 0; call < 10; call++) await app.call("/api/v1/assets");
    expect(lookups).to.equal(1);
    now += RECENT_KEY_MS + 1;
    await app.call("/api/v1/assets");
    expect(lookups).to.equal(2);
    const pending = await app.keys.apply(APPLICANT);
    const early = await app.call("/api/v1/assets", { key: pending.key });
    expect(early.body.code).to.equal("key_pending_approval");
    await app.keys.approve(pending.record.id, "test");
    expect((await app.call("/api/v1/assets", { key: pending.key })).status).to.equal(200);
    lookups = 0;
    for (let call = 0; call < 3; call++) await app.call("/v1/assets");
    expect(lookups).to.equal(3);
  });

  it("the data API limits the public endpoints together by address, generously, and keys by theirs", async () => {
    await app.stop();
    app = await startTestApp({ db, settings: { addressLimitPerMinute: 1, keyLimitPerMinute: 3 } });
    const paths = ["/api/market-overview", "/api/premium/history", "/api/basis/history"];
    for (let call = 0; call < 15; call++) {
      const { status, headers } = await app.call(paths[call % 3]!, { key: null });
      expect(status).to.equal(200);
      expect(headers.get("ratelimit-policy")).to.equal('"data";q=15;w=60');
      expect(headers.get("ratelimit")).to.match(new RegExp(`^"data";r=${14 - call};t=\\d+$`));
    }
    for (const path of paths) {
      const over = await app.call(path, { key: null });
      expect([over.status, over.body.code]).to.deep.equal([429, "rate_limited"]);
      expect(Number(over.headers.get("retry-after"))).to.be.within(1, 60);
      validateAnswer(app.openapi, "GET", path, 429, over.body, over.headers);
    }
    for (const expected of [200, 200, 200, 429])
      expect((await app.call("/api/v1/assets")).status).to.equal(expected);
    const other = await app.keys.create(APPLICANT, "test");
    await app.keys.setLimit(other.record.id, 1, "test");
    for (const expected of [200, 429])
      expect((await app.call("/api/v1/liquidity-scores", { key: other.key })).status).to.equal(expected);
  });
});
