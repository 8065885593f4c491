/** What a cache says it holds is what the process holds: each is filled beyond its bound, and the process measured. */
import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "chai";
import { createCache } from "../../../api/http/cache.ts";
import { createTreeReader } from "../../../api/log/tiles.ts";
import { type Caches, createCaches, openAnswers } from "../../../chain/caches.ts";
import { createBlockMemo } from "../../../chain/facts/blockMemo.ts";
import type { Database } from "../../../database/open.ts";
import { soundReport } from "../../attestor/fixtures.ts";

const MB = 1024 * 1024;
/** Of garbage that a collection leaves, and of the measuring itself. */
const NOISE = 2 * MB;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

async function memory(): Promise<number> {
  // Buffers are freed in the turn after the collection that found them.
  for (let round = 0; round < 3; round++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const hex = (bytes: number) => `0x${randomBytes(bytes).toString("hex")}`;

/** As large as those that a job is judged by, and shared with nobody. */
const FACTS = JSON.stringify(soundReport().evidence);
const facts = () => JSON.parse(FACTS);

/** More entries than each may hold, or a share of them. Each returns what holds them. */
const FILLS: Record<string, (caches: Caches, share: number) => Promise<unknown>> = {
  async "data answers"(caches, share) {
    const cache = createCache({
      caches,
      name: "data answers",
      now: () => 0,
      lifetimeMs: 60_000,
      maxBytes: 8 * MB,
    });
    for (let entry = 0; entry < 2_500 * share; entry++) {
      const answer = await cache.get(`token ${entry}`, async () => hex(200 + (entry % 50) * 100));
      await Promise.all([answer.compressed("br"), answer.compressed("gzip")]);
    }
    return cache;
  },
  async "block facts"(caches, share) {
    const memo = createBlockMemo(caches);
    for (let entry = 0; entry < 4_000 * share; entry++)
      await memo(hex(32), `token ${entry}`, async () => facts());
    return memo;
  },
  async "chain reads"(caches, share) {
    const reads = openAnswers(caches, "chain reads", { maxBytes: 8 * MB, lifetimeMs: 60_000 });
    for (let entry = 0; entry < 40_000 * share; entry++)
      await reads(`${hex(32)} eth_call ${hex(100)}`, async () => hex(64));
    return reads;
  },
};

describe("memory of the caches", function () {
  this.timeout(60_000);

  for (const [name, fill] of Object.entries(FILLS))
    it(`${name}: a cache that was filled beyond its bound holds what it says, and no more`, async () => {
      const warm = createCaches(() => performance.now());
      // Compiles the code, which would count otherwise.
      await fill(warm, 0.1);
      warm.held();
      const before = await memory();
      const caches = createCaches(() => performance.now());
      const filled = await fill(caches, 1);
      const grown = (await memory()) - before;
      const held = caches.held();
      const said = held.reduce((sum, { bytes }) => sum + bytes, 0);
      expect(held.find(({ cache }) => cache === name)?.entries).to.be.above(100);
      expect(grown, `grew by ${(grown / MB).toFixed(1)} MB, says ${(said / MB).toFixed(1)} MB`).to.be.at.most(
        said * 1.1 + NOISE,
      );
      expect(filled).not.to.equal(undefined);
    });

  it("what nobody asks for again goes when its time is over", async () => {
    let now = 1_000;
    const caches = createCaches(() => now);
    const memo = createBlockMemo(caches);
    await memo("0x01", "token", async () => facts());
    expect(caches.held()[0]).to.deep.include({ cache: "block facts", entries: 1 });
    now += 60_001;
    expect(caches.held()[0]).to.deep.equal({ cache: "block facts", bytes: 0, entries: 0 });
    await memo("0x02", "token", async () => facts());
  });

  it("a cache that nobody has any more goes, as that of a lease that was lost", async () => {
    const caches = createCaches(() => 1);
    for (let reader = 0; reader < 50; reader++) createTreeReader({} as Database, caches);
    await memory();
    expect(caches.held()).to.deep.equal([]);
  });

  it("a failed question is asked again, unless its failure is an answer", async () => {
    const answers = openAnswers(
      createCaches(() => 1),
      "questions",
      { maxBytes: MB, lifetimeMs: 1_000 },
    );
    let asked = 0;
    const fail = () => Promise.reject(new Error(`refusal ${++asked}`));
    const ask = (key: string, isAnswer: boolean) =>
      answers(key, fail, () => isAnswer).catch(({ message }: Error) => message);
    expect([await ask("a", false), await ask("a", false)]).to.deep.equal(["refusal 1", "refusal 2"]);
    expect([await ask("b", true), await ask("b", true)]).to.deep.equal(["refusal 3", "refusal 3"]);
  });
});
