import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { createDailyCap, createLimits, networkOf } from "../../../api/http/limits.ts";
import { Problem } from "../../../api/http/problems.ts";
import { openDatabase, postgresPoolOf } from "../../../database/open.ts";
import { inAll } from "../../support/all.ts";
import { forEachEngine } from "../../support/database.ts";
import { failureOf } from "../../support/failure.ts";
import {
  APPLICANT,
  expectProblem,
  expectStatus,
  json,
  retryAfter,
  startTestApp,
  type TestApp,
} from "../../support/http.ts";
import { validateAnswer } from "../../support/openapi.ts";
import { postgresServer } from "../../support/postgres.ts";

describe("a daily cap", () => {
  it("a daily cap is an address's, of IPv6 a network's, and says when it ends: with the day, in UTC", async () => {
    let now = Date.UTC(2026, 10, 21, 23, 58, 20);
    const cap = createDailyCap("test", 2, () => now);
    for (const address of ["192.0.2.1", "192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2"])
      await cap.take(address);
    for (const address of ["192.0.2.1", "2001:db8::3"]) {
      const problem = await cap.take(address).catch((error) => error);
      expect(problem).to.include({ code: "rate_limited", status: 429 });
      expect(problem.headers["Retry-After"]).to.equal("100");
      expect(problem.members.limit).to.include({
        name: "test",
        quota: 2,
        windowSeconds: 86_400,
        scope: "address",
      });
    }
    now += 100_000;
    for (const address of ["192.0.2.1", "2001:db8::3"])
      expect(await cap.take(address)).to.deep.equal({
        "RateLimit-Policy": '"test";q=2;w=86400',
        RateLimit: '"test";r=1;t=86400',
      });
  });

  it("a daily cap gives a /48 of IPv6 no more than ten networks", async () => {
    const cap = createDailyCap("test", 1, Date.now);
    const taken = (site: number) =>
      Promise.all(Array.from({ length: 12 }, (_, network) => cap.allows(`2001:db8:${site}:${network}::1`)));
    const counted = (outcomes: boolean[]) => outcomes.filter((outcome) => outcome).length;
    expect([counted(await taken(1)), counted(await taken(2))]).to.deep.equal([10, 10]);
  });
});

describe("rate limits", () => {
  let app: TestApp;
  const start = async (settings: Parameters<typeof startTestApp>[0] = {}) => {
    app = await startTestApp(settings);
  };
  afterEach(() => app.stop());

  it("rate limits tell with every answer where a key stands, and refuse what is over", async () => {
    await start({ settings: { keyLimitPerMinute: 3 } });
    for (const left of [2, 1, 0]) {
      const { headers } = expectStatus(await app.call("/v1/assets"), 200);
      expect(headers.get("ratelimit-policy")).to.equal('"key";q=3;w=60');
      expect(headers.get("ratelimit")).to.match(new RegExp(`^"key";r=${left};t=([1-9]|[1-5][0-9]|60)$`));
      expect(headers.get("retry-after")).to.equal(null);
    }
    const over = expectProblem(await app.call("/v1/policies"), 429, "rate_limited");
    expect(over.headers.get("ratelimit")).to.match(/^"key";r=0;t=\d+$/);
    expect(retryAfter(over)).to.be.within(1, 60);
    expect(over.body.limit).to.deep.equal({ name: "key", quota: 3, windowSeconds: 60, scope: "key" });
    expect(over.body.detail).to.equal('over the limit "key": 3 requests a minute of this API key');
    validateAnswer(app.openapi, "GET", "/v1/policies", 429, over.body);
    expect((await app.call("/healthz")).status).to.equal(200);
  });

  it("rate limits count each key for itself, by its own limit where it has one, from the next request on", async () => {
    await start({ settings: { keyLimitPerMinute: 1 } });
    const other = await app.keys.create(APPLICANT, "test");
    expect((await app.call("/v1/assets")).status).to.equal(200);
    expect((await app.call("/v1/assets")).status).to.equal(429);
    const answer = await app.call("/v1/assets", { key: other.key });
    expect(answer.headers.get("ratelimit-policy")).to.equal('"key";q=1;w=60');
    await app.keys.setLimit(app.keyId, 5, "test");
    const raised = expectStatus(await app.call("/v1/assets"), 200);
    expect(raised.headers.get("ratelimit")).to.match(/^"key";r=2;/);
  });

  it("rate limits count requests that fail for their input too, but not those of nobody", async () => {
    await start({ settings: { keyLimitPerMinute: 2 } });
    for (let call = 0; call < 5; call++) await app.call("/v1/assets", { key: null });
    await app.call("/v1/jobs", json("{"));
    expect((await app.call("/v1/assets")).status).to.equal(200);
    expect((await app.call("/v1/assets")).status).to.equal(429);
  });

  it("rate limits let an address try so many invalid job tokens, and look up none that has not their form", async () => {
    const good = `jt_${"g".repeat(43)}`;
    const looked: string[] = [];
    await start({
      settings: { keyLimitPerMinute: 3 },
      resolveJobToken: async (token) => {
        looked.push(token);
        return token === good ? { jobId: `job_${"0".repeat(22)}` } : null;
      },
    });
    const asked = (token: string) =>
      app.call("/v1/jobs/job_1", { key: null, headers: { authorization: `Bearer ${token}` } });
    const statusOf = async (token: string) => (await asked(token)).status;
    const wrong = (number: number) => `jt_${String(number).padStart(43, "w")}`;
    for (const odd of ["jt_short", `${wrong(1)}x`, "x".repeat(46)]) expect(await statusOf(odd)).to.equal(403);
    expect(looked).to.deep.equal([]);
    for (let call = 0; call < 2; call++) expect(await statusOf(good)).to.not.be.oneOf([403, 429]);
    for (let number = 0; number < 3; number++) expect(await statusOf(wrong(number))).to.equal(403);
    const lookups = looked.length;
    const over = expectProblem(await asked(wrong(9)), 429, "rate_limited");
    expect(retryAfter(over)).to.be.within(1, 60);
    expect(looked.length).to.equal(lookups);
    // A key is no token: who has one goes on.
    expect((await app.call("/v1/policies")).status).to.equal(200);
  });

  it("rate limits count addresses where no key is asked for", async () => {
    await start({ settings: { addressLimitPerMinute: 2 } });
    const verify = () => app.call("/a2mcp/verify", { key: null });
    expect((await verify()).headers.get("ratelimit")).to.match(/^"a2mcp";r=1;/);
    expect((await app.call("/a2mcp/verify", { method: "POST" })).status).to.equal(400);
    const { body } = expectProblem(await verify(), 429, "rate_limited");
    expect(body.limit).to.deep.equal({ name: "a2mcp", quota: 2, windowSeconds: 60, scope: "address" });
    expect((await app.call("/v1/assets")).status).to.equal(200);
  });

  it("rate limits count every public text, file and page, and no probe", async () => {
    await start({ settings: { addressLimitPerMinute: 1 } });
    const isPublic = (path: any) => path.get?.security.length === 0;
    const listed = Object.entries(app.openapi.paths ?? {}).flatMap(([path, methods]) =>
      isPublic(methods) ? [path.replace(/\{\w+\}/g, "1")] : [],
    );
    const paths = [
      ...listed,
      "/verify",
      "/verify.html",
      "/verify.html.sha256",
      "/assets/none.js",
      "/",
      "/status",
    ];
    for (const path of paths) {
      const { headers } = await app.call(path, { key: null, headers: { accept: "text/html" } });
      expect(headers.has("ratelimit"), path).to.equal(path !== "/healthz" && path !== "/readyz");
    }
    for (let call = 0; call < 15; call++) await app.call("/llms.txt", { key: null });
    expectProblem(await app.call("/openapi.json", { key: null }), 429, "rate_limited");
    expect((await app.call("/healthz")).status).to.equal(200);
  });

  it("rate limits count applications for keys apart from all else", async () => {
    await start();
    const apply = () => app.call("/api/v1/keys", json(APPLICANT));
    for (let call = 0; call < 5; call++) expect((await apply()).status).to.equal(202);
    expect((await apply()).status).to.equal(429);
    expect(await app.keys.list()).to.have.length(6);
  });

  const asked = (address: string) =>
    app.call("/a2mcp/verify", { key: null, headers: { "x-forwarded-for": address } });
  const from = async (address: string) => (await asked(address)).status;

  it("rate limits believe X-Forwarded-For from a trusted proxy alone", async () => {
    await start({ settings: { addressLimitPerMinute: 1 } });
    expect(await from("198.51.100.1")).to.equal(200);
    expect(await from("198.51.100.2")).to.equal(429);
    await app.stop();
    await start({ settings: { addressLimitPerMinute: 1, trustProxy: 1 } });
    expect(await from("198.51.100.1")).to.equal(200);
    expect(await from("198.51.100.2")).to.equal(200);
    // What a client writes itself stands left of what the proxy adds.
    expect(await from("203.0.113.9, 198.51.100.2")).to.equal(429);
    // A proxy may write the port too, which is another with each connection.
    expect(await from("198.51.100.3:40001")).to.equal(200);
    expect(await from("198.51.100.3:40002")).to.equal(429);
    expect(await from("[2001:db8:9::1]:40001")).to.equal(200);
    expect(await from("[2001:db8:9::1]:40002")).to.equal(429);
    expect(await from("2001:db8:9::2")).to.equal(429);
  });

  it("rate limits count the networks of one IPv6 site together as ten", async () => {
    await start({ settings: { addressLimitPerMinute: 1, trustProxy: 1 } });
    for (let network = 1; network <= 10; network++)
      expect(await from(`2001:db8:7:${network}::1`)).to.equal(200);
    const over = await asked("2001:db8:7:b::1");
    expect(over.headers.get("ratelimit-policy")).to.equal('"a2mcp-network";q=10;w=60');
    expect(over.body.limit).to.deep.equal({
      name: "a2mcp-network",
      quota: 10,
      windowSeconds: 60,
      scope: "network",
    });
    const told = (await asked("2001:db8:9:1::1")).headers.get("ratelimit-policy");
    expect(told).to.equal('"a2mcp";q=1;w=60, "a2mcp-network";q=10;w=60');
    expect(await from("2001:db8:8:b::1")).to.equal(200);
    expect(await from("::ffff:198.51.100.9")).to.equal(200);
  });

  it("rate limits take an IPv6 network of one subscriber for one address", async () => {
    await start();
    for (const one of ["198.51.100.7", "::ffff:198.51.100.7"])
      expect(networkOf(one)).to.equal("198.51.100.7");
    for (const one of ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::9", "2001:0DB8:0001:2::"])
      expect(networkOf(one)).to.equal("2001:db8:1:2::/64");
    expect(networkOf("2001:db8::1")).to.equal("2001:db8:0:0::/64");
    expect(networkOf("::1")).to.equal("0:0:0:0::/64");
    expect(networkOf("fe80::1%eth0")).to.equal("fe80:0:0:0::/64");
  });

  forEachEngine((engine) => {
    it("rate limits bound an address's invalid API keys, look up none that is malformed, and never block a valid key", async () => {
      let looked = 0;
      const url = await engine.createUrl();
      const onQuery = ({ sql }: { sql: string }) => {
        if (/^select \* from "api_keys"/.test(sql)) looked++;
      };
      await using db = openDatabase(url, { onQuery });
      await start({ db, settings: { keyLimitPerMinute: 20 } });
      const random = () => `ak_${randomBytes(32).toString("base64url")}`;
      const revoked = await app.keys.create(APPLICANT, "test");
      await app.keys.revoke(revoked.record.id, "test");
      expect((await app.call("/v1/policies")).status).to.equal(200);
      for (const odd of ["ak_short", `${random()}x`, "x".repeat(46)])
        expect((await app.call("/v1/policies", { key: odd })).status).to.equal(403);
      expect(looked).to.equal(1);

      const guess = async (number: number) => {
        const path = number % 2 === 0 ? "/v1/policies" : "/api/v1/assets";
        return (await app.call(path, { key: number % 10 === 0 ? revoked.key : random() })).status;
      };
      const guesses = await Promise.all(Array.from({ length: 400 }, (_, number) => guess(number)));
      expect(guesses.filter((status) => status === 403)).to.have.length(20);
      expect(guesses.filter((status) => status === 429)).to.have.length(380);
      expect(looked).to.equal(21);
      const over = await app.call("/v1/policies", { key: random() });
      const detail = 'over the limit "invalid-keys": too many invalid API keys from this address';
      expect(over.body).to.include({ code: "rate_limited", detail });
      expect(retryAfter(over)).to.be.within(1, 60);
      // From the same address, with a key that was right before.
      expect((await app.call("/v1/policies")).status).to.equal(200);
      await app.keys.revoke(app.keyId, "test");
      expect((await app.call("/v1/policies")).status).to.equal(403);
      expect((await app.call("/v1/policies")).status).to.equal(429);
    });

    it("rate limits hold for many requests at once, also across processes where the database can count", async () => {
      await start();
      const db = await engine.create();
      const pool = postgresPoolOf(db);
      const one = createLimits(pool);
      const limits = engine.name === "postgres" ? [one, createLimits(pool)] : [one];
      const isTaken = async (index: number) => {
        const refused = await limits[index % limits.length]!.take("key:a", 25).catch((error) => error);
        if (refused instanceof Error && !(refused instanceof Problem)) throw refused;
        return !(refused instanceof Problem);
      };
      const taken = await Promise.all(Array.from({ length: 60 }, (_, index) => isTaken(index)));
      expect(taken.filter(Boolean)).to.have.length(25);
      expect(await one.take("key:b", 25)).to.have.property("RateLimit");
    });
  });

  inAll("limits are counted by the process itself while the database that counts is away", async () => {
    await start();
    const server = await postgresServer();
    await using db = openDatabase(await server.createDatabase());
    const limits = createLimits(postgresPoolOf(db));
    await limits.take("key:a", 2);
    await server.stop();
    try {
      for (let call = 0; call < 2; call++) await limits.take("key:a", 2);
      expect((await failureOf(limits.take("key:a", 2))).code).to.equal("rate_limited");
    } finally {
      await server.start();
    }
  });
});
