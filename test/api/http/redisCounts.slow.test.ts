/** Limits that processes count together in a real Redis, and what becomes of them while it is away. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { CompiledQuery } from "kysely";
import { createDailyCap, createLimits, type Limits } from "../../../api/http/limits.ts";
import { openRedisCounts, type RedisCounts } from "../../../api/http/redisCounts.ts";
import { createKeys } from "../../../api/keys/keys.ts";
import { expositionOf } from "../../../api/metrics/instruments.ts";
import { Secret } from "../../../api/settings/secret.ts";
import { limitFamilies } from "../../../api/status/engines.ts";
import { openDatabase } from "../../../database/open.ts";
import { type ApiProcess, startApi } from "../../support/apiProcess.ts";
import { APPLICANT, startTestApp } from "../../support/http.ts";
import { postgresServer } from "../../support/postgres.ts";
import { REDIS_PASSWORD, startRedis } from "../../support/redis.ts";
import { throughProxy } from "../../support/silentProxy.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";

/** What a request may wait for a count, with room for a machine that is busy. */
const WITHIN_MS = 1_000;

describe("limits counted in Redis", () => {
  const redis = ofSuite(startRedis);
  const lines: { level: string; fields: object; message: string }[] = [];
  const log = {
    warn: (fields: object, message: string) => void lines.push({ level: "warn", fields, message }),
    info: (fields: object, message: string) => void lines.push({ level: "info", fields, message }),
  };
  const opened: RedisCounts[] = [];
  const open = async (url = redis.url) => {
    const counts = await openRedisCounts(new Secret(url), log);
    opened.push(counts);
    return counts;
  };
  beforeEach(() => {
    lines.length = 0;
  });
  afterEach(async () => {
    for (const counts of opened.splice(0)) await counts.close();
  });

  const isTaken = (limits: Limits, bucket: string, limit: number) =>
    limits.take(bucket, limit).then(
      () => true,
      (error) => {
        if (error.code !== "rate_limited") throw error;
        return false;
      },
    );
  const untilState = (counts: RedisCounts, wanted: "shared" | "local") =>
    until(`limits that are ${wanted}`, () => counts.state().counts === wanted);
  /** Takes until the limit says no. @returns how many it let through, and the longest wait in milliseconds */
  const drain = async (limits: Limits, bucket: string, limit: number) => {
    let [taken, slowest] = [0, 0];
    for (;;) {
      const started = performance.now();
      const is = await isTaken(limits, bucket, limit);
      slowest = Math.max(slowest, performance.now() - started);
      if (!is) return { taken, slowest };
      taken++;
    }
  };

  it("limits counted in Redis are those of all processes together, to the request, and each tells where the caller stands", async () => {
    const [one, other] = [createLimits(await open()), createLimits(await open())];
    const taken = await Promise.all(
      Array.from({ length: 300 }, (_, n) => isTaken(n % 2 === 0 ? one : other, "key:exact", 100)),
    );
    expect(taken.filter(Boolean)).to.have.length(100);
    expect(await one.take("key:headers", 3)).to.deep.equal({
      "RateLimit-Policy": '"key";q=3;w=60',
      RateLimit: '"key";r=2;t=60',
    });
    expect((await other.take("key:headers", 3)).RateLimit).to.match(/^"key";r=1;/);
    const now = () => Date.UTC(2026, 10, 21, 23, 58, 20);
    const caps = [await open(), await open()].map((counts) => createDailyCap("one-shots", 2, now, counts));
    for (const cap of caps) await cap.take("192.0.2.1");
    for (const cap of caps)
      expect(await cap.take("192.0.2.1").catch(({ code }) => code)).to.equal("rate_limited");
    expect(lines).to.deep.equal([]);
  });

  it("limits counted in Redis are counted by each process for itself while it is killed, and together again when it is back", async () => {
    const counts = await open();
    const limits = createLimits(counts);
    for (let n = 0; n < 2; n++) await limits.take("key:killed", 3);
    await redis.kill();
    const away = await drain(limits, "key:killed", 3);
    expect(away.taken).to.equal(3);
    expect(away.slowest).to.be.below(WITHIN_MS);
    expect(counts.state().counts).to.equal("local");
    for (let n = 0; n < 50; n++) await isTaken(limits, "key:killed", 3);
    expect(lines.map(({ level }) => level)).to.deep.equal(["warn"]);
    expect(await expositionOf(limitFamilies(counts))).to.match(/^assay_limits_shared 0$/m);
    expect(await expositionOf(limitFamilies(counts))).to.match(/^assay_limits_local_total 5[0-9]$/m);

    // It comes back empty: what was counted in it is forgotten.
    await redis.start();
    await untilState(counts, "shared");
    expect((await drain(limits, "key:killed", 3)).taken).to.equal(3);
    expect(lines.map(({ level }) => level)).to.deep.equal(["warn", "info"]);
    expect(await expositionOf(limitFamilies(counts))).to.match(/^assay_limits_shared 1$/m);
    expect(JSON.stringify(lines)).to.not.contain(REDIS_PASSWORD).and.to.not.contain("127.0.0.1");
  });

  it("limits counted in Redis keep nobody waiting while it is frozen, and 200 who come at once no longer than one", async () => {
    const counts = await open();
    const limits = createLimits(counts);
    await limits.take("key:frozen", 5);
    redis.freeze();
    try {
      const started = performance.now();
      const taken = await Promise.all(Array.from({ length: 200 }, () => isTaken(limits, "key:frozen", 5)));
      expect(performance.now() - started).to.be.below(WITHIN_MS);
      expect(taken.filter(Boolean)).to.have.length(5);
      expect(counts.state()).to.deep.equal({ counts: "local", reason: "timeout" });
      // Those who come later wait for nothing: one after the other they would have waited ten seconds.
      const afterwards = performance.now();
      expect((await drain(limits, "key:frozen-2", 50)).taken).to.equal(50);
      expect(performance.now() - afterwards).to.be.below(5_000);
    } finally {
      redis.thaw();
    }
    await untilState(counts, "shared");
    await limits.take("key:thawed", 5);
  });

  it("limits counted in Redis go on where the network swallows every packet", async () => {
    await using proxy = await throughProxy(redis.url);
    const counts = await open(proxy.url);
    const limits = createLimits(counts);
    await limits.take("key:cut", 5);
    proxy.silence();
    const cut = await drain(limits, "key:cut", 5);
    expect(cut.taken).to.equal(5);
    expect(cut.slowest).to.be.below(WITHIN_MS);
    proxy.recover();
    // Over a new connection: the old one stays silent.
    await untilState(counts, "shared");
    expect((await drain(limits, "key:cut-2", 5)).taken).to.equal(5);
  });

  it("limits counted in Redis are counted locally while it has no memory left or wants another password", async () => {
    const counts = await open();
    const limits = createLimits(counts);
    await redis.command("config", "set", "maxmemory", "1");
    try {
      expect((await drain(limits, "key:full", 4)).taken).to.equal(4);
      expect(counts.state()).to.deep.equal({ counts: "local", reason: "OOM" });
      // A PING would be answered: it stays away until it counts.
      await sleep(1_200);
      expect(counts.state().counts).to.equal("local");
    } finally {
      await redis.command("config", "set", "maxmemory", "0");
    }
    await untilState(counts, "shared");
    expect(lines.map(({ level }) => level)).to.deep.equal(["warn", "info"]);

    const wrong = await open(redis.url.replace(REDIS_PASSWORD, "wrong-password"));
    expect(wrong.state().counts).to.equal("local");
    expect((await drain(createLimits(wrong), "key:wrong", 2)).taken).to.equal(2);
    expect(JSON.stringify(lines)).to.not.contain("wrong-password");
  });

  it("limits counted in Redis let the service start without it", async () => {
    await redis.kill();
    try {
      const counts = await open();
      expect(counts.state().counts).to.equal("local");
      expect((await drain(createLimits(counts), "key:start", 2)).taken).to.equal(2);
    } finally {
      await redis.start();
    }
  });

  it("limits counted in Redis cost PostgreSQL no write: a refused request leaves nothing there", async () => {
    const statements: string[] = [];
    const onQuery = ({ sql }: { sql: string }) => statements.push(sql);
    await using db = openDatabase(await (await postgresServer()).createDatabase(), { onQuery });
    const limits = createLimits(await open());
    await using app = await startTestApp({ db, limits, settings: { keyLimitPerMinute: 2 } });
    const numberOf = async (text: string) => {
      const { rows } = await db.executeQuery<{ n: number }>(CompiledQuery.raw(text));
      return rows[0]!.n;
    };
    const written = () =>
      numberOf(`select (tup_inserted + tup_updated + tup_deleted)::int as n from pg_stat_database
        where datname = current_database()`);
    // PostgreSQL reports statistics when a connection is idle: wait for the earlier ones.
    const settled = async () => {
      for (let last = -1; ; ) {
        await sleep(1_200);
        const now = await written();
        if (now === last) return now;
        last = now;
      }
    };
    const before = await settled();
    statements.length = 0;
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async () => (await app.call("/v1/policies")).status),
    );
    expect(statuses.filter((status) => status === 200)).to.have.length(2);
    expect(statuses.filter((status) => status === 429)).to.have.length(28);
    expect(statements.filter((sql) => !/^\s*select\b/i.test(sql))).to.deep.equal([]);
    expect(await settled()).to.equal(before);
    expect(await numberOf("select count(*)::int as n from rate_limits")).to.equal(0);
  });

  it("limits counted in Redis hold to the request over two processes of the service", async () => {
    const url = await (await postgresServer()).createDatabase();
    const db = openDatabase(url);
    const { key } = await createKeys({ db, now: Date.now, randomBytes }).create(APPLICANT, "test");
    await db.destroy();
    const env = { DATABASE_URL: url, REDIS_URL: redis.url, KEY_LIMIT_PER_MINUTE: "100", LOG_LEVEL: "warn" };
    const processes: ApiProcess[] = [];
    try {
      processes.push(...(await Promise.all([startApi("pipe", env), startApi("pipe", env)])));
      for (const { child } of processes) child.stdout?.resume();
      const statusAt = async ({ url: at }: ApiProcess) =>
        (await fetch(`${at}/v1/policies`, { headers: { "x-api-key": key } })).status;
      const asked = Array.from({ length: 300 }, (_, n) => statusAt(processes[n % 2]!));
      const statuses = await Promise.all(asked);
      expect(statuses.filter((status) => status === 200)).to.have.length(100);
      expect(statuses.filter((status) => status === 429)).to.have.length(200);
      // Then it goes: nobody is refused an answer for it, and each process counts for itself.
      redis.freeze();
      expect(await Promise.all(processes.map(statusAt))).to.deep.equal([200, 200]);
    } finally {
      redis.thaw();
      for (const each of processes) await each.remove();
    }
  });
});
