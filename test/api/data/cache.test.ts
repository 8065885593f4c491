import { randomBytes } from "node:crypto";
import { get as httpGet } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect } from "chai";
import { keccak256, toUtf8Bytes } from "ethers";
import { codingOf, createCache, finish } from "../../../api/http/cache.ts";
import { createRequestIds } from "../../../api/http/requestIds.ts";
import { RECENT_KEY_MS } from "../../../api/keys/authenticate.ts";
import { createCaches } from "../../../chain/caches.ts";
import { DatabaseUnavailable } from "../../../database/errors.ts";
import { type Database, openDatabase } from "../../../database/open.ts";
import { recordPremiums } from "../../../market/series/premium.ts";
import { inAll } from "../../support/all.ts";
import { memoryDatabase } from "../../support/database.ts";
import { APPLICANT, REGISTRY, startTestApp, type TestApp } from "../../support/http.ts";
import { validateAnswer } from "../../support/openapi.ts";
import { postgresServer } from "../../support/postgres.ts";
import { premiumSample } from "../../support/samples.ts";
import { watching } from "../../support/watching.ts";

const START = Date.UTC(2025, 10, 14, 15, 20);
const APPLE = REGISTRY.assets[0]!.assetKey;

async function recordHours(db: Database, hours: number, price = "100.01"): Promise<void> {
  const first = START / 1000 - hours * 3_600;
  const sampleIn = (hour: number) => premiumSample(APPLE, first + hour * 3_600, { tokenPriceUsd: price });
  const samples = Array.from({ length: hours }, (_, hour) => sampleIn(hour));
  await recordPremiums(db, samples, START / 1000);
}

/** The bytes as they come over the wire. */
function rawGet(url: string, headers: Record<string, string>) {
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; bytes: Buffer }>((resolve, reject) => {
    httpGet(url, { headers }, async (response) =>
      resolve({ headers: response.headers, bytes: await buffer(response) }),
    ).on("error", reject);
  });
}

describe("the cache of answers", () => {
  let now = 0;
  const cacheOf = (maxBytes = 100_000) => {
    const caches = createCaches(() => now);
    return createCache({ caches, name: "answers", now: () => now, lifetimeMs: 30_000, maxBytes });
  };
  const texts = (...list: string[]) => {
    let made = 0;
    return { make: async () => list[made++] ?? "more", made: () => made };
  };

  beforeEach(() => {
    now = 1_000_000;
  });

  it("keeps an answer for its lifetime by the clock, and makes it anew after", async () => {
    const cache = cacheOf();
    const { make } = texts("one", "two", "three");
    const read = async () => (await cache.get("a", make)).bytes.toString();
    expect(await read()).to.equal("one");
    now += 29_999;
    expect(await read()).to.equal("one");
    now += 1;
    expect(await read()).to.equal("two");
    // A clock that is set back keeps nothing alive.
    now -= 3_600_000;
    expect(await read()).to.equal("three");
  });

  it("counts the age from before the making: a slow query makes nothing younger", async () => {
    const cache = cacheOf();
    await cache.get("a", async () => {
      now += 20_000;
      return "slow";
    });
    now += 10_000;
    expect((await cache.get("a", async () => "new")).bytes.toString()).to.equal("new");
  });

  it("makes one answer for many callers, and gives a failure to all of them without keeping it", async () => {
    const cache = cacheOf();
    let made = 0;
    const slowly = async () => {
      made++;
      await sleep(5);
      if (made === 1) throw new Error("away");
      return "there";
    };
    const many = () => Promise.allSettled(Array.from({ length: 50 }, () => cache.get("a", slowly)));
    expect(new Set((await many()).map(({ status }) => status))).to.deep.equal(new Set(["rejected"]));
    expect(made).to.equal(1);
    expect(new Set((await many()).map(({ status }) => status))).to.deep.equal(new Set(["fulfilled"]));
    expect(made).to.equal(2);
  });

  it("holds no more bytes than it may, and forgets first what was not asked for longest", async () => {
    const cache = cacheOf(25_000);
    let made = 0;
    const large = async () => {
      made++;
      return "x".repeat(10_000);
    };
    for (const key of ["a", "b", "a", "c"]) await cache.get(key, large);
    expect(made).to.equal(3);
    expect(cache.size()).to.be.within(20_000, 25_000);
    for (const key of ["a", "c"]) await cache.get(key, large);
    expect(made).to.equal(3);
    await cache.get("b", large);
    expect(made).to.equal(4);
    // Larger than the cache: served, not stored.
    expect((await cache.get("big", async () => "x".repeat(50_000))).bytes).to.have.length(50_000);
    expect(cache.size()).to.be.at.most(25_000);
  });

  it("a compressed form that is made later counts at once, and makes room", async () => {
    const cache = cacheOf(25_000);
    const noise = (seed: string) => async () =>
      Array.from({ length: 250 }, (_, n) => keccak256(toUtf8Bytes(seed + n)))
        .join("")
        .slice(0, 9_000);
    const one = await cache.get("a", noise("a"));
    const other = await cache.get("b", noise("b"));
    expect(cache.size()).to.be.above(18_000);
    await other.compressed("gzip");
    await one.compressed("gzip");
    // Both with their forms are too many: what was used longest ago went.
    expect(cache.size()).to.be.within(9_000, 25_000);
  });

  it("the cache of answers has the same ETag for the same bytes, another for others, and counts compressed forms", async () => {
    const [one, same, other] = [finish("x".repeat(2_000)), finish("x".repeat(2_000)), finish("y")];
    expect(one.etag)
      .to.equal(same.etag)
      .and.to.match(/^W\/"[\w-]{22}"$/);
    expect(one.etag).to.not.equal(other.etag);
    const [br, gzip] = await Promise.all([one.compressed("br"), one.compressed("gzip")]);
    expect(brotliDecompressSync(br).toString()).to.equal("x".repeat(2_000));
    expect(gunzipSync(gzip).toString()).to.equal("x".repeat(2_000));
    expect(await one.compressed("br")).to.equal(br);
    expect(one.size() - same.size()).to.equal(br.length + gzip.length);
  });

  it("reads Accept-Encoding as HTTP says", () => {
    const codings: [string | undefined, string | undefined][] = [
      [undefined, undefined],
      ["", undefined],
      ["identity", undefined],
      ["gzip, deflate, br", "br"],
      ["gzip", "gzip"],
      ["GZIP;Q=0.5", "gzip"],
      ["br;q=0, gzip;q=1", "gzip"],
      ["br;q=0.0, gzip;q=0", undefined],
      ["*", "br"],
      ["*;q=0, gzip", "gzip"],
      ["br;q=0, *", "gzip"],
      ["zstd", undefined],
      ["br;q=x", undefined],
      ["br;q=0.5, gzip", "gzip"],
      ["br;q=0.5, gzip;q=0.5", "br"],
    ];
    for (const [header, coding] of codings) expect(codingOf(header), header).to.equal(coding);
  });
});

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
    await recordHours(db, 100);
    app = await startTestApp({ db, data: { db: db.withPlugin(counting), now: () => now } });
  });
  afterEach(async () => {
    await app.stop();
    await db.destroy();
  });

  it("asks the database once for many callers, and again after 30 seconds", async () => {
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

  it("never asks the database for what nobody lists", async () => {
    for (const symbol of ["ZZZZ", "", "AAPLy"]) {
      await app.call(`/api/premium/history?symbol=${symbol}`);
      await app.call(`/api/basis/history?underlying=${symbol}`);
    }
    await app.call("/api/v1/premium-history?symbol=ZZZZ");
    expect(queries).to.equal(0);
  });

  it("answers the same bytes and ETag for the same data, and new ones when the data are new", async () => {
    const first = await app.call(path);
    now += 60_000;
    const second = await app.call(path);
    expect([second.text, second.headers.get("etag")]).to.deep.equal([first.text, first.headers.get("etag")]);
    await recordHours(db, 1, "100.5");
    now += 60_000;
    expect((await app.call(path)).headers.get("etag")).to.not.equal(first.headers.get("etag"));
  });

  it("answers 304 to who has the answer already, with the headers that matter", async () => {
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

  it("lets public answers be kept by anyone for 30 seconds, those to a key by its holder", async () => {
    const control = async (path: string) => (await app.call(path)).headers.get("cache-control");
    for (const path of ["/api/market-overview", "/api/premium/history", "/api/basis/history?underlying=AAPL"])
      expect(await control(path)).to.equal("public, max-age=30");
    for (const path of ["/api/v1/assets", "/api/v1/liquidity-scores", "/api/v1/premium-history?symbol=AAPLx"])
      expect(await control(path)).to.equal("private, max-age=30");
    expect(await control("/api/v1/premium-history")).to.equal("no-store, private");
    const without = await app.call("/api/v1/assets", { key: null });
    expect(without.headers.get("cache-control")).to.equal("no-store, private");
  });

  it("compresses answers for clients that accept it, and the bytes unpack to the same", async () => {
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

  it("answers HEAD with the headers of GET and no body", async () => {
    const get = await rawGet(`${app.url}${path}`, {});
    const head = await app.call(path, { method: "HEAD", headers: { "accept-encoding": "identity" } });
    expect([head.status, head.text]).to.deep.equal([200, ""]);
    expect(head.headers.get("content-length")).to.equal(String(get.bytes.length));
    expect(head.headers.get("etag")).to.equal(get.headers.etag);
  });

  it("takes a key's revocation a second late at most, and elsewhere at once", async () => {
    const { key, record } = await app.keys.create(APPLICANT, "test");
    const code = async (path: string) => (await app.call(path, { key })).body.code;
    expect(await code("/api/v1/assets")).to.equal(undefined);
    await app.keys.revoke(record.id, "test");
    expect(await code("/v1/assets")).to.equal("revoked_api_key");
    await sleep(RECENT_KEY_MS);
    expect(await code("/api/v1/assets")).to.equal("revoked_api_key");
    expect(await code("/api/v1/assets")).to.equal("revoked_api_key");
  });

  it("looks a key up once a second, and one that was refused every time", async () => {
    const asked = { keys: 0 };
    const counting = watching(({ node }) => {
      if (JSON.stringify(node).includes("api_keys")) asked.keys++;
    });
    await app.stop();
    app = await startTestApp({ db: db.withPlugin(counting) });
    asked.keys = 0;
    for (let call = 0; call < 10; call++) await app.call("/api/v1/assets");
    expect(asked.keys).to.be.within(1, 2);
    const pending = await app.keys.apply(APPLICANT);
    const early = await app.call("/api/v1/assets", { key: pending.key });
    expect(early.body.code).to.equal("key_pending_approval");
    await app.keys.approve(pending.record.id, "test");
    expect((await app.call("/api/v1/assets", { key: pending.key })).status).to.equal(200);
    asked.keys = 0;
    for (let call = 0; call < 3; call++) await app.call("/v1/assets");
    expect(asked.keys).to.equal(3);
  });

  it("limits the public endpoints together by address, generously, and keys by theirs", async () => {
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

describe("names of requests", () => {
  it("names of requests are each their own, and drawn many at once", () => {
    let draws = 0;
    const next = createRequestIds((count) => {
      draws++;
      return randomBytes(count);
    });
    const names = Array.from({ length: 1_000 }, next);
    expect(new Set(names).size).to.equal(1_000);
    for (const name of names) expect(name).to.match(/^[\w-]{12}$/);
    expect(draws).to.equal(4);
  });
});

describe("the data API while its database is away", () => {
  const histories = ["/api/premium/history?symbol=AAPLx", "/api/basis/history?underlying=AAPL"];
  const publicPaths = ["/api/market-overview", ...histories];
  const keyPaths = ["/api/v1/assets", "/api/v1/liquidity-scores", "/api/v1/premium-history?symbol=AAPLx"];

  async function expectAway(app: TestApp): Promise<void> {
    for (const path of keyPaths) {
      const { status, body, headers } = await app.call(path);
      expect([status, body.code], path).to.deep.equal([503, "unavailable"]);
      expect(headers.get("retry-after")).to.equal("5");
      validateAnswer(app.openapi, "GET", path, status, body);
    }
    for (const path of publicPaths) {
      const { status, body, headers } = await app.call(path, { key: null });
      expect(status, path).to.equal(200);
      expect(headers.get("cache-control")).to.equal("no-store");
      expect(body.points ?? body.series).to.deep.equal([]);
      if ("series" in body) expect(body.live).to.equal(null);
      validateAnswer(app.openapi, "GET", path, status, body);
    }
    const [overview, premium, basis] = await Promise.all(
      publicPaths.map(async (path) => (await app.call(path, { key: null })).body),
    );
    expect([overview.days, premium.days]).to.deep.equal([90, 7]);
    expect([premium.symbol, basis.underlying]).to.deep.equal(["AAPLx", "AAPL"]);
  }

  async function expectThere(app: TestApp): Promise<void> {
    for (const path of [...keyPaths, ...publicPaths]) expect((await app.call(path)).status).to.equal(200);
    expect((await app.call(publicPaths[1]!)).body.points).to.have.length(24);
    expect((await app.call(publicPaths[0]!)).body.live).to.include({ assetCount: 1 });
  }

  inAll(
    "says so or says less, and recovers without a restart, when PostgreSQL stops while it serves",
    async () => {
      const server = await postgresServer();
      await using db = openDatabase(await server.createDatabase());
      await recordHours(db, 24);
      let now = START;
      await using app = await startTestApp({ db, data: { now: () => now } });
      await expectThere(app);
      await server.stop();
      try {
        // What was answered before may still be: answers live for 30 seconds.
        expect((await app.call(publicPaths[1]!, { key: null })).body.points).to.have.length(24);
        now += 30_000;
        await sleep(RECENT_KEY_MS);
        await expectAway(app);
        await expectAway(app);
        expect((await app.call("/healthz")).status).to.equal(200);
      } finally {
        await server.start();
      }
      await expectThere(app);
    },
  );

  it("answers from its memory when the file of SQLite fails", async () => {
    await using db = await memoryDatabase();
    await recordHours(db, 24);
    let away = false;
    const failing = watching(() => {
      if (away) throw new DatabaseUnavailable(new Error("disk I/O error"));
    });
    let now = START;
    await using app = await startTestApp({ db, data: { db: db.withPlugin(failing), now: () => now } });
    await expectThere(app);
    away = true;
    now += 30_000;
    await expectAway(app);
    away = false;
    await expectThere(app);
  });

  it("tells of any other fault as its own, also to the public", async () => {
    await using db = await memoryDatabase();
    const broken = watching(() => {
      throw new Error("a mistake of ours");
    });
    await using app = await startTestApp({ db, data: { db: db.withPlugin(broken) } });
    for (const path of publicPaths) expect((await app.call(path)).body.code).to.equal("internal");
  });
});
