import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect } from "chai";
import { keccak256, toUtf8Bytes } from "ethers";
import { codingOf, createCache, finish } from "../../../api/http/cache.ts";
import { createRequestIds } from "../../../api/http/requestIds.ts";
import { createCaches } from "../../../chain/caches.ts";

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

  it("the cache of answers keeps an answer for its lifetime by the clock, and makes it anew after", async () => {
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

  it("the cache of answers counts the age from before the making: a slow query makes nothing younger", async () => {
    const cache = cacheOf();
    await cache.get("a", async () => {
      now += 20_000;
      return "slow";
    });
    now += 10_000;
    expect((await cache.get("a", async () => "new")).bytes.toString()).to.equal("new");
  });

  it("the cache of answers makes one answer for many callers, and gives a failure to all of them without keeping it", async () => {
    const cache = cacheOf();
    let made = 0;
    const slowly = async () => {
      made++;
      await setImmediate();
      if (made === 1) throw new Error("away");
      return "there";
    };
    const many = () => Promise.allSettled(Array.from({ length: 50 }, () => cache.get("a", slowly)));
    expect(new Set((await many()).map(({ status }) => status))).to.deep.equal(new Set(["rejected"]));
    expect(made).to.equal(1);
    expect(new Set((await many()).map(({ status }) => status))).to.deep.equal(new Set(["fulfilled"]));
    expect(made).to.equal(2);
  });

  it("the cache of answers holds no more bytes than it may, and forgets first what was not asked for longest", async () => {
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
      Array.from({ length: 250 }, (_, part) => keccak256(toUtf8Bytes(seed + part)))
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

  it("the coding of an answer is chosen by Accept-Encoding as HTTP says", () => {
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
