/** The client against a service that fails in every way. */
import { expect } from "chai";
import type { Client } from "../../client/client.ts";
import {
  broken,
  hanging,
  hangingBody,
  html,
  json,
  type Reply,
  startFakeUpstream,
  status,
} from "../support/providers/upstream.ts";
import { failingService, failureOf, HASH, problem } from "./failure.ts";

const OVERVIEW = { days: 90, series: [], live: null, attribution: "test" };
const EXECUTION = {
  executionId: "exe_1",
  transactionHash: HASH,
  reportVersion: null,
  state: "submitted",
  confirmed: null,
  submittedAt: "2026-01-01T00:00:00.000Z",
};

describe("the client and a failing service", () => {
  const { upstream, slept, make } = failingService();
  let client: Client;
  beforeEach(() => {
    client = make();
  });

  describe("repeats", () => {
    it("a refused call after Retry-After, in seconds or as a date", async () => {
      upstream.reply(
        problem(429, "rate_limited", { "retry-after": "7" }),
        problem(429, "rate_limited", { "retry-after": "Thu, 01 Jan 2026 00:00:03 GMT" }),
        json(OVERVIEW),
      );
      expect(await client.data.marketOverview()).to.deep.equal(OVERVIEW);
      expect(slept).to.deep.equal([7_100, 3_100]);
    });

    it("without Retry-After in its own, growing time, and gives up after the last retry", async () => {
      upstream.reply(problem(429, "rate_limited"));
      const failure = await failureOf(client.data.marketOverview());
      expect([failure.code, failure.retryAfterSeconds]).to.deep.equal(["rate_limited", null]);
      expect(slept).to.deep.equal([500, 1_000]);
      expect(upstream.asked).to.have.length(3);
    });

    it("no longer than its patience lasts", async () => {
      upstream.reply(problem(503, "unavailable", { "retry-after": "20" }));
      const failure = await failureOf(client.data.marketOverview());
      expect([failure.code, failure.retryAfterSeconds]).to.deep.equal(["unavailable", 20]);
      expect(slept, "20 of 30 seconds, then 10 are left").to.deep.equal([20_100]);
    });

    it("what the service knows again after a 503: jobs by their identifier, submissions by their hash", async () => {
      upstream.reply(problem(503, "unavailable"), json(EXECUTION, 201));
      expect((await client.submit("job_1", HASH)).executionId).to.equal("exe_1");
      expect(upstream.asked.map(({ body }) => body)).to.deep.equal(Array(2).fill({ transactionHash: HASH }));
      upstream.reply(problem(503, "unavailable"));
      const body = { clientRequestId: "same" } as Parameters<Client["createJob"]>[0];
      await failureOf(client.createJob(body));
      const ids = upstream.asked.slice(2).map((asked) => asked.body.clientRequestId);
      expect(ids).to.deep.equal(["same", "same", "same"]);
    });

    it("neither preparing without Retry-After, nor one-shot verification, nor an application after a 503, but all after a 429", async () => {
      for (const call of [
        () => client.prepare("job_1"),
        () => client.verify({} as never),
        () => client.applyForKey({} as never),
      ]) {
        upstream.asked.length = 0;
        upstream.reply(problem(503, "unavailable"));
        await failureOf(call());
        expect(upstream.asked).to.have.length(1);
        upstream.reply(problem(429, "rate_limited", { "retry-after": "1" }));
        await failureOf(call());
        expect(upstream.asked).to.have.length(4);
      }
    });

    it("preparing after a 503 that says when to come again, such as while the decision log is behind", async () => {
      upstream.reply(problem(503, "unavailable", { "retry-after": "1" }), problem(404, "not_found"));
      expect((await failureOf(client.prepare("job_1"))).code).to.equal("not_found");
      expect(slept).to.deep.equal([1_100]);
    });

    it("repeats a client's request while a payment settles", async () => {
      upstream.reply(problem(409, "payment_in_progress", { "retry-after": "2" }), problem(404, "not_found"));
      expect((await failureOf(client.report("job_1"))).code).to.equal("not_found");
      expect(slept).to.deep.equal([2_100]);
    });

    it("nothing that was refused for good", async () => {
      for (const [code, name] of [
        [400, "invalid_request"],
        [403, "invalid_api_key"],
        [409, "idempotency_conflict"],
        [410, "job_expired"],
        [500, "internal"],
      ] as const) {
        upstream.asked.length = 0;
        upstream.reply(problem(code, name));
        expect((await failureOf(client.job("job_1"))).code).to.equal(name);
        expect(upstream.asked).to.have.length(1);
      }
    });
  });

  describe("tells apart", () => {
    it("a hanging answer and a hanging body, at the deadline and without another try", async () => {
      for (const reply of [hanging(() => {}), hangingBody(() => {})]) {
        upstream.asked.length = 0;
        upstream.reply(reply);
        const failure = await failureOf(make({ timeoutMs: 150 }).data.marketOverview());
        expect([failure.status, failure.code]).to.deep.equal([null, "timeout"]);
        expect(failure.message).to.equal(`No answer from ${upstream.url} within 0.15 s.`);
        expect(upstream.asked).to.have.length(1);
      }
    });

    it("a service that is away, after some tries", async () => {
      await upstream.close();
      const failure = await failureOf(client.data.marketOverview());
      expect([failure.status, failure.code]).to.deep.equal([null, "unreachable"]);
      expect(failure.message).to.equal(`No service answers at ${upstream.url}.`);
      expect(slept).to.deep.equal([500, 1_000]);
    });

    it("tells a client of an answer that breaks off", async () => {
      upstream.reply(broken);
      expect((await failureOf(make({ retries: 0 }).data.marketOverview())).code).to.equal("unreachable");
    });

    it("HTML, half of a JSON and another shape from an answer, without repeating their words", async () => {
      const half: Reply = (_asked, response) => response.end('{"days": 90, "hunter2": ');
      for (const reply of [html, half, json({ days: 90, series: [{ hunter2: 1 }], live: null })]) {
        upstream.asked.length = 0;
        upstream.reply(reply);
        const failure = await failureOf(client.data.marketOverview());
        expect([failure.status, failure.code]).to.deep.equal([200, "unexpected_answer"]);
        expect(failure.message).to.not.match(/hunter2|<html/i);
        expect(upstream.asked).to.have.length(1);
      }
      upstream.reply(status(502, "<html>hunter2</html>"));
      const failure = await failureOf(client.data.marketOverview());
      expect(failure.message).to.equal(
        "unexpected_answer (502): GET /api/market-overview answered 502 without saying why.",
      );
    });

    it("a redirection, which it does not follow with its key", async () => {
      await using other = await startFakeUpstream();
      other.reply(json(OVERVIEW));
      upstream.reply(status(307, "", { location: `${other.url}/v1/assets` }));
      expect((await failureOf(client.assets())).code).to.equal("unexpected_answer");
      expect(other.asked).to.deep.equal([]);
    });

    it("tells a client of an answer without end", async () => {
      const endless: Reply = (_asked, response) => {
        const block = Buffer.alloc(1024 * 1024, 32);
        const more = () => {
          if (!response.destroyed) response.write(block, () => setImmediate(more));
        };
        response.writeHead(200, { "content-type": "application/json" });
        more();
      };
      upstream.reply(endless);
      expect((await failureOf(client.data.marketOverview())).code).to.equal("unexpected_answer");
    });

    it("members that it does not know, which harm nothing", async () => {
      upstream.reply(json({ ...OVERVIEW, newer: true }));
      expect(await client.data.marketOverview()).to.deep.equal(OVERVIEW);
    });

    it("what a terminal would obey, and cuts what is long", async () => {
      upstream.reply(problem(400, "invalid_request", {}, { detail: `a\u001b[31m\nb${"c".repeat(5_000)}` }));
      const { message } = await failureOf(client.data.marketOverview());
      expect(message)
        .to.match(/^invalid_request \(400\): a \[31m bccc/)
        .and.to.have.length.below(500);
    });
  });

  it("refuses what can be no address, key or payment, without repeating it", async () => {
    for (const baseUrl of [
      "ftp://example.org",
      "example.org",
      "https://a:hunter2@example.org",
      "https://example.org/?x=hunter2",
    ])
      expect(() => make({ baseUrl }))
        .to.throw(RangeError)
        .with.property("message")
        .that.does.not.contain("hunter2");
    for (const bad of ["hunter2\n", "hunter 2", "hunter2é", ""]) {
      expect(() => make({ apiKey: bad })).to.throw(RangeError, /^apiKey must be/);
      expect(() => make({ jobToken: bad })).to.throw(RangeError, /^jobToken must be/);
      const thrown = await client.report("job_1", { paymentSignature: bad }).catch((error: unknown) => error);
      expect(String(thrown)).to.equal("RangeError: paymentSignature must be printable ASCII without spaces");
    }
    expect(upstream.asked).to.deep.equal([]);
  });
});
