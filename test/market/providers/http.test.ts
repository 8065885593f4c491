import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { keccak256, toUtf8Bytes } from "ethers";
import { z } from "zod";
import { ProviderFault } from "../../../market/providers/fault.ts";
import { createHttp, type Endpoint, type Http, type HttpDeps } from "../../../market/providers/http.ts";
import { createLimits, UNLIMITED } from "../../../market/providers/limits.ts";
import { retryAfter } from "../../../market/providers/pauses.ts";
import { failureOf } from "../../support/failure.ts";
import { bench, faultOf } from "../../support/providers/adapter.ts";
import {
  broken,
  hanging,
  html,
  json,
  type Reply,
  startFakeUpstream,
  status,
} from "../../support/providers/upstream.ts";

const Body = z.looseObject({ value: z.int() });

describe("the way to an upstream", () => {
  const at = bench();

  function create(more: Partial<Endpoint & HttpDeps> = {}): Http {
    const endpoint = { name: "fake", baseUrl: at.upstream.url, rate: { requests: 30, perMs: 60_000 } };
    const deps = { fetch: at.time.fetch, now: at.time.now, limits: UNLIMITED, timeoutMs: 1_000 };
    return createHttp({ ...endpoint, ...more }, { lane: "collecting", ...deps, ...more });
  }

  const ask = (upstream: Http) => upstream.getJson("/a?b=c", Body);

  it("answers with the parsed body, its bytes and our time", async () => {
    at.upstream.reply(json({ value: 3, more: true }));
    const answer = await ask(create({ headers: { "x-key": "k" }, baseUrl: `${at.upstream.url}/base/` }));
    expect(answer.data.value).to.equal(3);
    expect(answer.rawHash).to.equal(keccak256(toUtf8Bytes('{"value":3,"more":true}')));
    expect(answer.receivedAt).to.equal(Math.floor(at.time.now() / 1_000));
    expect(at.upstream.asked[0]?.path).to.equal("/base/a?b=c");
    expect(at.upstream.asked[0]?.headers).to.include({ "x-key": "k", accept: "application/json" });
  });

  it("posts JSON to an upstream", async () => {
    at.upstream.reply(json({ value: 3 }));
    await create().postJson("/info", { type: "x" }, Body);
    expect(at.upstream.asked[0]).to.deep.include({ method: "POST", body: { type: "x" } });
    expect(at.upstream.asked[0]?.headers["content-type"]).to.equal("application/json");
  });

  describe("repeats", () => {
    it("what may pass, after a pause each, and answers when it has passed", async () => {
      at.upstream.reply(status(502), broken, json({ value: 1 }));
      const from = at.time.now();
      expect((await ask(create())).data.value).to.equal(1);
      expect(at.time.now() - from).to.be.within(250, 20_000);
    });

    it("no more often than the limit", async () => {
      at.upstream.reply(status(500));
      await faultOf(ask(create({ attempts: 4 })));
      expect(at.upstream.asked).to.have.length(4);
    });

    it("no refusal, no HTML and no wrong shape", async () => {
      for (const reply of [status(404, "{}"), status(401, "no"), html, json({ value: "x" })]) {
        at.upstream.asked.length = 0;
        at.upstream.reply(reply);
        await faultOf(ask(create()));
        expect(at.upstream.asked).to.have.length(1);
      }
    });
  });

  describe("time", () => {
    it("ends at the deadline even where the fetch does not listen", async () => {
      const deaf = (() => {
        setImmediate(() => at.time.advance(1_000));
        return new Promise(() => {});
      }) as unknown as typeof fetch;
      expect((await faultOf(ask(create({ fetch: deaf, attempts: 1 })))).code).to.equal("timeout");
    });

    it("the way to an upstream time is given anew to every attempt", async () => {
      const hangs = hanging(() => at.time.advance(1_000));
      at.upstream.reply(hangs, json({ value: 1 }));
      expect((await ask(create())).data.value).to.equal(1);
    });
  });

  describe("size", () => {
    it("the way to an upstream size is limited, regardless of the header and of compression", async () => {
      const large = JSON.stringify({ value: 1, filler: "x".repeat(10_000) });
      const replies: Reply[] = [
        json(JSON.parse(large)),
        (_asked, response) => {
          response.writeHead(200, { "content-encoding": "gzip" });
          response.end(gzipSync(large));
        },
      ];
      for (const reply of replies) {
        at.upstream.reply(reply);
        expect((await faultOf(ask(create({ maxBytes: 5_000 })))).code).to.equal("too_large");
        expect((await ask(create({ maxBytes: large.length }))).data.value).to.equal(1);
      }
    });
  });

  describe("redirects", () => {
    it("follows redirects of an upstream within its origin", async () => {
      at.upstream.reply(status(302, "", { location: "/moved" }), json({ value: 1 }));
      expect((await ask(create())).data.value).to.equal(1);
      expect(at.upstream.asked[1]?.path).to.equal("/moved");
    });

    it("the way to an upstream redirects are not followed to another host, so that a key stays at home", async () => {
      const other = await startFakeUpstream();
      other.reply(json({ value: 1 }));
      at.upstream.reply(status(302, "", { location: `${other.url}/moved` }));
      const fault = await faultOf(ask(create({ headers: { authorization: "Bearer k" } })));
      expect([fault.code, fault.status]).to.eql(["status", 302]);
      expect(other.asked).to.eql([]);
      await other.close();
    });

    it("stops following redirects that go in a circle", async () => {
      at.upstream.reply(status(302, "", { location: "/a" }));
      expect((await faultOf(ask(create()))).status).to.equal(302);
      expect(at.upstream.asked).to.have.length(4);
    });
  });

  describe("the circuit", () => {
    const silent: Reply = status(503);

    it("opens after five outages in a row and spares the provider for half a minute", async () => {
      const upstream = create({ attempts: 1 });
      at.upstream.reply(silent);
      for (let time = 0; time < 5; time++) expect((await faultOf(ask(upstream))).code).to.equal("status");
      expect((await faultOf(ask(upstream))).code).to.equal("circuit_open");
      at.time.advance(29_999);
      expect((await faultOf(ask(upstream))).code).to.equal("circuit_open");
      expect(at.upstream.asked).to.have.length(5);
    });

    it("opens for a provider that shows a web page in place of its answers", async () => {
      const upstream = create();
      at.upstream.reply(html);
      for (let time = 0; time < 5; time++) expect((await faultOf(ask(upstream))).code).to.equal("not_json");
      expect((await faultOf(ask(upstream))).code).to.equal("circuit_open");
    });

    it("tries once after that, and closes when the provider answers", async () => {
      const upstream = create({ attempts: 1 });
      at.upstream.reply(silent);
      for (let time = 0; time < 5; time++) await faultOf(ask(upstream));
      at.time.advance(30_000);
      await faultOf(ask(upstream));
      expect((await faultOf(ask(upstream))).code).to.equal("circuit_open");
      at.time.advance(30_000);
      at.upstream.reply(json({ value: 1 }));
      expect((await ask(upstream)).data.value).to.equal(1);
      expect((await ask(upstream)).data.value).to.equal(1);
      expect(at.upstream.asked).to.have.length(8);
    });

    it("the way to an upstream the circuit does not open for refusals, wrong shapes and rate limits", async () => {
      const upstream = create({ attempts: 1 });
      at.upstream.reply(...Array(7).fill(status(404)), ...Array(7).fill(json({})), json({ value: 1 }));
      for (let time = 0; time < 14; time++) await faultOf(ask(upstream));
      at.upstream.reply(status(429));
      for (let time = 0; time < 7; time++) await faultOf(ask(upstream));
      at.upstream.reply(json({ value: 1 }));
      expect((await ask(upstream)).data.value).to.equal(1);
    });

    it("stops those that were waiting for their turn when it opened", async () => {
      const upstream = create({ attempts: 1, limits: createLimits() });
      at.upstream.reply(silent);
      const faults = await Promise.all(Array.from({ length: 9 }, () => faultOf(ask(upstream))));
      expect(faults.at(-1)?.code).to.equal("circuit_open");
      expect(at.upstream.asked).to.have.length(5);
    });
  });

  it("tells each attempt's outcome, and those that were not let out", async () => {
    const outcomes: string[] = [];
    const refused: string[] = [];
    const watch = {
      attempt: <T>(_: string, run: () => Promise<T>) => run(),
      refused: (_: string, why: string) => void refused.push(why),
    };
    const upstream = create({ onOutcome: ({ kind }) => void outcomes.push(kind), watch });
    at.upstream.reply(status(503), json({ value: 1 }), json({}), status(404), status(503));
    await ask(upstream);
    for (let time = 0; time < 5; time++) await faultOf(ask(upstream));
    expect(outcomes.slice(0, 4)).to.eql(["status 503", "ok", "shape", "status 404"]);
    expect(outcomes.filter((kind) => kind === "circuit_open").length).to.be.above(0);
    expect(new Set(refused)).to.eql(new Set(["circuit_open"]));
  });

  it("waits as an answer's headers want it, of any status, in either way to write it", async () => {
    for (const reset of [String(at.time.now() / 1_000 + 9), "9"]) {
      const upstream = create({ limits: createLimits(), rate: { requests: 1_000, perMs: 1_000 } });
      const took = async () => {
        const from = at.time.now();
        await ask(upstream);
        return at.time.now() - from;
      };
      at.upstream.reply(
        json({ value: 1 }, 200, { "x-ratelimit-remaining": "1", "x-ratelimit-reset": reset }),
      );
      await ask(upstream);
      at.upstream.reply(
        json({ value: 1 }, 200, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset }),
      );
      expect(await took()).to.be.below(10);
      at.upstream.reply(json({ value: 1 }));
      expect(await took()).to.be.within(8_900, 9_000);
    }
  });

  it("reads Retry-After as seconds or as a date, and nothing else", () => {
    const now = at.time.now();
    const read = (text: string) => retryAfter(new Headers({ "retry-after": text }), now);
    expect(read("3")).to.equal(3_000);
    expect(read(new Date(now + 5_000).toUTCString())).to.equal(5_000);
    expect(read(new Date(now - 5_000).toUTCString())).to.equal(0);
    expect(read("soon")).to.equal(null);
    expect(retryAfter(new Headers(), now)).to.equal(null);
  });

  it("reads an answer that comes as a refusal, and repeats a 5xx that is none", async () => {
    const refusal = (code: number, body: unknown) =>
      code === 502 && (body as any).message === "none" ? { value: 0 } : undefined;
    at.upstream.reply(json({ message: "none" }, 502));
    expect((await create().getJson("/", Body, { refusal })).data.value).to.equal(0);
    expect(at.upstream.asked).to.have.length(1);
    at.upstream.reply(json({ message: "other" }, 502));
    expect((await faultOf(create().getJson("/", Body, { refusal }))).status).to.equal(502);
    expect(at.upstream.asked).to.have.length(4);
    at.upstream.reply(status(502, "<html>"));
    expect((await faultOf(create().getJson("/", Body, { refusal }))).code).to.equal("status");
  });

  it("the way to an upstream does not pass a mistake of ours off as the provider's", async () => {
    const schema = z.unknown().transform((): { value: number } => {
      throw new TypeError("ours");
    });
    at.upstream.reply(json({}));
    const error = await failureOf(create().getJson("/", schema), TypeError);
    expect(error).to.not.be.instanceOf(ProviderFault);
  });
});
