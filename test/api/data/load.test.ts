/** Heavy answers of the data API: they are limited, and other requests are served while they are made. */
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { createInputsLimits } from "../../../api/data/inputsLimits.ts";
import { createLimits } from "../../../api/http/limits.ts";
import type { Problem } from "../../../api/http/problems.ts";
import type { Caller, Reply } from "../../../api/http/route.ts";
import type { Database } from "../../../database/open.ts";
import { recordBases } from "../../../market/series/basis.ts";
import { iso } from "../../support/dataApi.ts";
import { forEachEngine } from "../../support/database.ts";
import { APPLICANT, expectProblem, expectStatus, retryAfter, startTestApp } from "../../support/http.ts";
import { basisSample, listedToken, premiumSample, premiumsAt } from "../../support/samples.ts";
import { askFromOtherThread } from "./otherThread.ts";

const HOUR = 3_600;
const NOW = Date.UTC(2026, 10, 25, 15, 20) / 1_000;
const START = NOW - (NOW % HOUR);
const APPLE = listedToken("AAPL");
const KEYED = "/api/v1/premium-history?symbol=AAPLx";
const WITH_INPUTS = `${KEYED}&days=30&inputs=1`;
const BASIS = "/api/basis/history?underlying=AAPL";
const HOURS_WITH_INPUTS = 30 * 24;
const HOURS = 10_000;
const REQUESTS = 60;
/** About twenty on a machine of its own; without turns it is a second. */
const ROUND_CPU_MS = 200;

async function seed(db: Database): Promise<void> {
  const sources = ["dexscreener", "pancakeswap", "kyberswap", "jupiter", "backed", "pyth", "hyperliquid"];
  const inputs = sources.map((source) => ["price", source, "101.123456789", 3, 1] as const);
  const hours = Array.from({ length: HOURS }, (_, back) =>
    premiumSample(APPLE.assetKey, START - back * HOUR + 60, {
      inputs: back < HOURS_WITH_INPUTS ? inputs.map((input) => [...input]) : [],
    }),
  );
  await premiumsAt(db, NOW, hours);
  await recordBases(db, [basisSample("AAPL", START + 60)], NOW);
}

/** Milliseconds that this thread works in the busiest round of its event loop, until something is over. */
async function busiestRound(task: Promise<unknown>): Promise<number> {
  const worked = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let isOver = false;
  const ended = task.finally(() => {
    isOver = true;
  });
  let busiest = 0;
  for (let before = worked(); !isOver; ) {
    await setImmediate();
    const now = worked();
    busiest = Math.max(busiest, now - before);
    before = now;
  }
  await ended;
  return busiest;
}

const countsOf = (statuses: readonly number[]) => {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

forEachEngine((engine) => {
  describe("heavy answers of the data API", () => {
    const db = engine.database();
    const start = (settings = { keyLimitPerMinute: 1_000, addressLimitPerMinute: 1_000 }) =>
      startTestApp({ db, settings, data: { assets: [APPLE], simulated: true, now: () => NOW * 1_000 } });

    before(async function () {
      this.timeout(60_000);
      await seed(db);
    });

    it("no other request waits while one key asks for sixty answers with inputs", async () => {
      await using app = await start();
      const requests = Array.from({ length: REQUESTS }, () => ({ path: WITH_INPUTS, key: app.key }));
      const answers = askFromOtherThread({ url: app.url, requests });
      expect(await busiestRound(answers)).to.be.below(ROUND_CPU_MS);
      const { 200: made = 0, 429: refused = 0 } = countsOf(await answers);
      expect(made).to.be.within(2, REQUESTS / 2);
      expect(made + refused).to.equal(REQUESTS);
    });

    it("no other request waits while many keys ask for two heavy answers each", async () => {
      await using app = await start();
      const keys = [];
      for (let index = 0; index < REQUESTS / 2; index++)
        keys.push((await app.keys.create(APPLICANT, "test")).key);
      const requests = keys.flatMap((key) => [
        { path: WITH_INPUTS, key },
        { path: WITH_INPUTS, key },
      ]);
      const answers = askFromOtherThread({ url: app.url, requests });
      expect(await busiestRound(answers)).to.be.below(ROUND_CPU_MS);
      const { 200: made = 0, 429: refused = 0 } = countsOf(await answers);
      expect(made).to.be.at.least(8);
      expect(refused).to.be.above(0);
      expect(made + refused).to.equal(REQUESTS);
    });

    it("no other request waits for long windows without inputs, all of which are served", async () => {
      await using app = await start();
      const from = iso(START - (HOURS - 1) * HOUR);
      const requests = Array.from({ length: REQUESTS }, (_, index) => ({
        path: `${KEYED}&from=${from}&format=${index % 2 === 0 ? "json" : "csv"}`,
        key: app.key,
      }));
      const answers = askFromOtherThread({ url: app.url, requests });
      expect(await busiestRound(answers)).to.be.below(ROUND_CPU_MS);
      expect(countsOf(await answers)).to.deep.equal({ 200: REQUESTS });
    });

    it("a heavy answer is the same as in one piece, in JSON and in CSV", async () => {
      await using app = await start();
      const window = (back: number, length: number) =>
        `from=${iso(START - back * HOUR)}&to=${iso(START - (back - length) * HOUR)}`;
      for (const [more, back] of [
        ["&inputs=1", 700],
        ["", 9_000],
      ] as [string, number][]) {
        const asked = (length: number, from = back) => `${KEYED}&${window(from, length)}${more}`;
        const long = (await app.get(asked(back))).body.points;
        expect(long.map(({ ts }: { ts: string }) => ts)).to.deep.equal(
          Array.from({ length: back }, (_, index) => iso(START - (back - index) * HOUR)),
        );
        for (const start of [back, back - 239, back - 241, 2])
          expect((await app.get(asked(2, start))).body.points).to.deep.equal(
            long.slice(back - start, back - start + 2),
          );
        const lines = (await app.get(`${asked(back)}&format=csv`)).text.split("\r\n");
        expect(lines.filter((line) => line.startsWith("20"))).to.have.length(back);
      }
    });

    it("answers with inputs have a rate of their own, and requests without inputs count one each", async () => {
      await using app = await start({ keyLimitPerMinute: 9, addressLimitPerMinute: 2 });
      const path = `${KEYED}&days=1`;
      for (const left of [2, 1, 0]) {
        const { headers } = expectStatus(await app.get(`${path}&inputs=1`), 200);
        expect(headers.get("ratelimit-policy")).to.equal('"key";q=9;w=60, "inputs";q=3;w=60');
        expect(headers.get("ratelimit")).to.match(
          new RegExp(`^"key";r=\\d;t=\\d+, "inputs";r=${left};t=\\d+$`),
        );
      }
      const over = expectProblem(await app.get(`${path}&inputs=1`), 429, "rate_limited");
      expect(over.body.limit).to.deep.equal({ name: "inputs", quota: 3, windowSeconds: 60, scope: "key" });
      expect(over.body.detail).to.equal('over the limit "inputs": 3 requests a minute of this API key');
      expect(retryAfter(over)).to.be.within(1, 60);
      const { headers } = expectStatus(await app.get(`${KEYED}&days=90`), 200);
      expect(headers.get("ratelimit")).to.match(/^"key";r=4;t=\d+$/);

      for (let call = 0; call < 2; call++) expectStatus(await app.get(`${BASIS}&inputs=1`, null), 200);
      const { body } = expectProblem(await app.get(`${BASIS}&inputs=1`, null), 429, "rate_limited");
      expect(body.limit).to.include({ name: "data-inputs", quota: 2, scope: "address" });
      expectStatus(await app.get(BASIS, null), 200);
    });

    it("an answer with inputs that is refused for its window does not count as one", async () => {
      await using app = await start({ keyLimitPerMinute: 9, addressLimitPerMinute: 2 });
      for (let call = 0; call < 4; call++) {
        const { headers } = expectProblem(await app.get(`${KEYED}&days=31&inputs=1`), 400, "window_too_long");
        expect(headers.get("ratelimit-policy")).to.equal('"key";q=9;w=60');
        expectProblem(await app.get(`${BASIS}&days=8&inputs=1`, null), 400, "window_too_long");
      }
      expectStatus(await app.get(`${KEYED}&days=1&inputs=1`), 200);
    });
  });
});

describe("answers with inputs that are being made", () => {
  const keyed = (keyId: string): { caller: Caller; address: string } => ({
    caller: { kind: "key", keyId, limitPerMinute: 1_000 },
    address: "192.0.2.1",
  });
  const from = (address: string): { caller: Caller; address: string } => ({
    caller: { kind: "public" },
    address,
  });
  const REPLY: Reply = { status: 200, body: "", headers: { ETag: '"1"' } };

  /** Answers that are made until they are released. */
  function waiting() {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    return {
      make: () => promise,
      release: () => resolve(REPLY),
      fail: () => reject(new Error("no database")),
    };
  }
  const refusalOf = (answer: Promise<Reply>): Promise<Problem> =>
    answer.then(
      () => expect.fail("was not refused"),
      (error) => error,
    );

  it("a key has two answers with inputs made at a time, and is told to come again for a third", async () => {
    const limits = createInputsLimits(createLimits(), 1_000);
    const { make, release } = waiting();
    const both = [limits.within(keyed("a"), make), limits.within(keyed("a"), make)];
    const refused = await refusalOf(limits.within(keyed("a"), make));
    expect(refused).to.include({ code: "rate_limited", status: 429 });
    expect(refused.headers).to.include({ "Retry-After": "1", RateLimit: '"inputs-in-flight";r=0;t=1' });
    expect(refused.members).to.deep.equal({
      limit: { name: "inputs-in-flight", quota: 2, windowSeconds: null, scope: "key" },
    });
    const other = limits.within(keyed("b"), make);
    release();
    for (const { status, headers } of await Promise.all([...both, other])) {
      expect(status).to.equal(200);
      expect(headers).to.include({ ETag: '"1"', "RateLimit-Policy": '"inputs";q=334;w=60' });
    }
    expect((await limits.within(keyed("a"), make)).status).to.equal(200);
  });

  it("a process makes eight answers with inputs at a time for keys, and two for an address besides", async () => {
    const limits = createInputsLimits(createLimits(), 1_000);
    const { make, release } = waiting();
    const made = Array.from({ length: 8 }, (_, index) => limits.within(keyed(`key-${index}`), make));
    const refused = await refusalOf(limits.within(keyed("another"), make));
    expect(refused.members).to.deep.equal({
      limit: { name: "inputs-in-flight", quota: 8, windowSeconds: null, scope: "process" },
    });
    made.push(limits.within(from("2001:db8:1:1::1"), make), limits.within(from("2001:db8:1:1::2"), make));
    const ofNetwork = await refusalOf(limits.within(from("2001:db8:1:1::3"), make));
    expect(ofNetwork.members.limit).to.include({ name: "data-inputs-in-flight", quota: 2, scope: "address" });
    release();
    await Promise.all(made);
    expect((await limits.within(keyed("another"), make)).status).to.equal(200);
  });

  it("an answer with inputs gives up its place also when it fails, or is over the rate", async () => {
    const limits = createInputsLimits(createLimits(), 1);
    const { make, fail } = waiting();
    const failing = [limits.within(keyed("a"), make), limits.within(keyed("a"), make)].map(refusalOf);
    fail();
    await Promise.all(failing);
    expect((await limits.within(keyed("a"), async () => REPLY)).status).to.equal(200);
    await limits.within(from("192.0.2.1"), async () => REPLY);
    for (let call = 0; call < 3; call++) {
      const { members } = await refusalOf(limits.within(from("192.0.2.1"), async () => REPLY));
      expect(members.limit).to.include({ name: "data-inputs" });
    }
  });
});
