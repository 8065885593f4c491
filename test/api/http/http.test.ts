import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { MAX_BODY_BYTES } from "../../../api/http/body.ts";
import { openDatabase } from "../../../database/open.ts";
import { forEachEngine } from "../../support/database.ts";
import {
  type Answer,
  APPLICANT,
  chunked,
  expectProblem,
  expectStatus,
  json,
  startTestApp,
  type TestAppOptions,
} from "../../support/http.ts";
import { validateAnswer } from "../../support/openapi.ts";
import { ofTest } from "../../support/suite.ts";

/** Sends bytes as they are and returns what comes back. */
function raw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
  });
}

describe("the HTTP face", () => {
  const app = ofTest(() => startTestApp());

  describe("answers", () => {
    it("the assets with version and hash of the registry, exactly", async () => {
      const answer = expectStatus(await app.call("/v1/assets"), 200);
      expect(Object.keys(answer.body)).to.deep.equal(["registryVersion", "registryHash", "assets"]);
      expect(answer.body.assets.map(({ symbol }: any) => symbol)).to.deep.equal(["AAPLx", "USDL"]);
      const named = "assetKey symbol name kind underlying issuer priceSources tokenSources chainId";
      const members = [...named.split(" "), "address", "decimals"];
      expect(Object.keys(answer.body.assets[0])).to.have.members(members);
    });

    it("the three policies with their hashes", async () => {
      const { body } = await app.call("/v1/policies");
      const ids = ["STRICT_LIVE", "EXTENDED_HOURS", "LAST_CLOSE"];
      expect(body.policies.map(({ policyId }: any) => policyId)).to.deep.equal(ids);
      const members = ["policyId", "version", "description", "definition", "definitionHash"];
      for (const policy of body.policies) expect(Object.keys(policy)).to.deep.equal(members);
    });

    it("the same under /a2mcp without a key, limited per minute and address", async () => {
      for (const name of ["assets", "policies"]) {
        const { body } = await app.call(`/v1/${name}`);
        const open = expectStatus(await app.call(`/a2mcp/${name}`, { key: null }), 200);
        expect(open.body).to.deep.equal(body);
        expect(open.headers.get("ratelimit")).to.match(/^"texts";r=/);
        expectProblem(await app.call(`/v1/${name}`, { key: null }), 401, "missing_api_key");
      }
    });

    it("carry what every answer has, and nothing that tells the program behind it", async () => {
      const { headers } = await app.call("/v1/assets");
      expect(Object.fromEntries(headers)).to.deep.include({
        "cache-control": "no-store, private",
        "content-type": "application/json; charset=utf-8",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      });
      expect([...headers.keys()]).to.not.include.members(["x-powered-by"]);
      expect([...headers.keys()]).to.not.include.members(["etag"]);
      expect([...headers.keys()]).to.not.include.members(["access-control-allow-origin"]);
    });

    it("keep browsers on TLS where a trusted proxy or the public address says that it is used", async () => {
      const hsts = async (options: TestAppOptions, proto?: string) => {
        const other = await startTestApp(options);
        const headers = proto === undefined ? {} : { "x-forwarded-proto": proto };
        const paths = ["/healthz", "/nowhere"];
        const answers = await Promise.all(paths.map((path) => other.call(path, { headers })));
        await other.stop();
        return answers.map((answer) => answer.headers.get("strict-transport-security"));
      };
      const year = Array(2).fill("max-age=31536000");
      const behind = { settings: { trustProxy: 1 } };
      expect(await hsts({ publicUrl: "https://assay.example.com" })).to.deep.equal(year);
      expect(await hsts(behind, "https")).to.deep.equal(year);
      for (const plain of [hsts({}), hsts({}, "https"), hsts(behind), hsts(behind, "http")])
        expect(await plain).to.deep.equal([null, null]);
    });

    it("keep a sane request id of the client's and replace any other", async () => {
      const named = async (id: string) =>
        (await app.call("/healthz", { headers: { "x-request-id": id } })).headers.get("x-request-id");
      expect(await named("trace-1.a:B_c")).to.equal("trace-1.a:B_c");
      for (const id of ["", "a b", "x".repeat(65), "<script>", '"'])
        expect(await named(id)).to.match(/^[\w-]{12}$/);
    });

    it("HEAD without a body and OPTIONS with the methods", async () => {
      const head = await app.call("/v1/assets", { method: "HEAD" });
      expect([head.status, head.text]).to.deep.equal([200, ""]);
      expect(Number(head.headers.get("content-length"))).to.be.greaterThan(100);
      for (const key of [undefined, null]) {
        const options = await app.call("/v1/assets", { method: "OPTIONS", key });
        expect([options.status, options.text]).to.deep.equal([204, ""]);
        expect(options.headers.get("allow")).to.equal("GET, HEAD, OPTIONS");
      }
      const posted = await app.call("/a2mcp/verify", { method: "OPTIONS" });
      expect(posted.headers.get("allow")).to.equal("GET, POST, HEAD, OPTIONS");
    });
  });

  describe("refuses", () => {
    it("a path that is not there", async () => {
      for (const path of ["/", "/v1", "/v1/assets/x", "/V1/ASSETS", "/v2/assets", "/.env", "/v1/assets%00"])
        expectProblem(await app.call(path), 404, "not_found");
      expectProblem(await app.call("/v1/jobs", { method: "GET" }), 405, "method_not_allowed");
    });

    it("a method that the path does not have, and names those that it has", async () => {
      for (const method of ["POST", "PUT", "DELETE", "PATCH", "PROPFIND"]) {
        const answer = expectProblem(await app.call("/v1/assets", { method }), 405, "method_not_allowed");
        expect(answer.headers.get("allow")).to.equal("GET, HEAD, OPTIONS");
      }
    });

    it("a path that cannot be decoded", async () => {
      expectProblem(await app.call("/v1/jobs/%E0%A4%A"), 400, "invalid_request");
    });

    it("a body that is no JSON", async () => {
      for (const text of ["{", "{'a':1}", "undefined", "[1,]", '{"a":1}x', "NaN"])
        expectProblem(await app.call("/v1/jobs", json(text)), 400, "invalid_request");
      const body = Buffer.from(JSON.stringify({ ...APPLICANT, name: "René" }), "latin1");
      expectProblem(await app.call("/api/v1/keys", { ...json(""), body }), 400, "invalid_request");
    });

    it("JSON that is no such object, and says where", async () => {
      for (const value of [null, [], "x", 1, true])
        expectProblem(await app.call("/v1/jobs", json(JSON.stringify(value))), 400, "invalid_request");
      const wrong = json({ name: "", email: "no", purpose: 1, isAdmin: true });
      const answer = expectProblem(await app.call("/api/v1/keys", wrong), 400, "invalid_request");
      const pathsOf = ({ body }: Answer) => body.errors.map(({ path }: any) => path);
      expect(pathsOf(answer)).to.have.members(["name", "email", "purpose", ""]);
      const halves = { name: "\ud800", email: "\ud800@example.org", purpose: "x\udfff" };
      expect(pathsOf(await app.call("/api/v1/keys", json(halves)))).to.have.members(Object.keys(halves));
    });

    it("a missing body where one is needed, with or without a length", async () => {
      for (const init of [{ method: "POST" }, json(""), chunked("")])
        expectProblem(await app.call("/v1/jobs", init), 400, "invalid_request");
    });

    it("any content type but JSON in UTF-8", async () => {
      const sent = (type: string, others: Record<string, string> = {}) => {
        const headers = { "content-type": type, ...others };
        return app.call("/v1/jobs", { method: "POST", headers, body: Buffer.from('{"a":1}') });
      };
      const form = "application/x-www-form-urlencoded";
      for (const type of ["text/plain", form, "application/jsonp", "application/json; charset=latin1", ""])
        expectProblem(await sent(type), 415, "unsupported_media_type");
      const answer = await sent("application/json", { "content-encoding": "gzip" });
      expectProblem(answer, 415, "unsupported_media_type");
      const quoted = 'application/json; charset="utf-8"';
      for (const type of ["application/json", "APPLICATION/JSON;charset=UTF-8", quoted])
        expectProblem(await sent(type), 400, "invalid_request");
    });

    it("a body of more than 64 KiB, told or sent piece by piece, and takes one of exactly so many", async () => {
      expect(MAX_BODY_BYTES).to.equal(65_536);
      const fitting = JSON.stringify({ name: "x".repeat(MAX_BODY_BYTES - 11) });
      expect(fitting).to.have.length(MAX_BODY_BYTES);
      expectProblem(await app.call("/v1/jobs", json(fitting)), 400, "invalid_request");
      for (const make of [json, chunked])
        expectProblem(await app.call("/v1/jobs", make(`${fitting} `)), 413, "body_too_large");
      expectProblem(await app.call("/v1/jobs", json("x".repeat(5_000_000))), 413, "body_too_large");
    });

    it("a body that is too large before it is there, and does not take all of it", async () => {
      const { port } = new URL(app.url);
      for (const [head, body] of [
        ["Content-Length: 100000000", "x".repeat(100_000)],
        ["Transfer-Encoding: chunked", `186A0\r\n${"x".repeat(100_000)}\r\n`],
      ]) {
        const socket = connect(Number(port), "127.0.0.1");
        let answer = "";
        socket.on("data", (chunk) => {
          answer += chunk;
        });
        socket.on("error", () => {});
        const closed = new Promise((resolve) => socket.once("close", resolve));
        const started = performance.now();
        socket.write(
          `POST /v1/jobs HTTP/1.1\r\nHost: a\r\nx-api-key: ${app.key}\r\nContent-Type: application/json\r\n${head}\r\n\r\n${body}`,
        );
        while (!answer.includes("\r\n\r\n{") && performance.now() - started < 5_000) await sleep(10);
        expect(answer).to.match(/^HTTP\/1\.1 413 /);
        // A client that goes on sending is cut off.
        const sending = setInterval(() => socket.write("x".repeat(10_000)), 20);
        await Promise.race([closed, sleep(5_000)]);
        clearInterval(sending);
        expect(socket.destroyed || socket.closed).to.equal(true);
      }
    });

    it("what is no HTTP after good requests on the same connection, which get their answers first", async () => {
      const { port } = new URL(app.url);
      const socket = connect(Number(port), "127.0.0.1");
      let answers = "";
      socket.on("data", (chunk) => {
        answers += chunk;
      });
      const good = `GET /v1/policies HTTP/1.1\r\nHost: a\r\nx-api-key: ${app.key}\r\n\r\n`;
      socket.write(`${good}${good}NONSENSE\r\n\r\n`);
      await new Promise((resolve) => socket.once("close", resolve));
      const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
      expect(statuses).to.deep.equal(["200", "200", "400"]);
    });

    it("deep nesting and names like __proto__ as any other input", async () => {
      const deep = "[".repeat(30_000) + "]".repeat(30_000);
      for (const text of [deep, '{"__proto__":{"name":"x"},"constructor":1}'])
        expectProblem(await app.call("/v1/jobs", json(text)), 400, "invalid_request");
    });

    it("without saying input back at length", async () => {
      const long = Object.fromEntries(
        Array.from({ length: 400 }, (_, index) => [`${index}${"y".repeat(100)}`, 1]),
      );
      const answer = expectProblem(await app.call("/v1/jobs", json(long)), 400, "invalid_request");
      expect(answer.text.length).to.be.lessThan(5_000);
    });

    it("answers bytes that are not HTTP with a problem", async () => {
      const answers = [
        await raw(app.url, "HELLO\r\n\r\n"),
        await raw(app.url, `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${"a".repeat(100_000)}\r\n\r\n`),
      ];
      for (const answer of answers) {
        expect(answer).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/);
        expect(answer).to.contain("application/problem+json").and.to.contain('"code":"invalid_request"');
      }
    });
  });

  describe("recognizes callers", () => {
    it("by x-api-key or as a bearer, the header first", async () => {
      const bearer = (value: string) => ({ key: null, headers: { authorization: value } });
      expect((await app.call("/v1/assets")).status).to.equal(200);
      expect((await app.call("/v1/assets", bearer(`Bearer ${app.key}`))).status).to.equal(200);
      expect((await app.call("/v1/assets", bearer(`bearer   ${app.key}`))).status).to.equal(200);
      const both = { headers: { "x-api-key": app.key, authorization: "Bearer ak_wrong" } };
      expect((await app.call("/v1/assets", both)).status).to.equal(200);
    });

    it("and asks for a key where there is none", async () => {
      const none: Record<string, string>[] = [
        {},
        { "x-api-key": "" },
        { "x-api-key": "  " },
        { authorization: "" },
        { authorization: "Bearer" },
        { authorization: `Basic ${btoa("a:b")}` },
      ];
      for (const headers of none) {
        const answer = await app.call("/v1/assets", { key: null, headers });
        expectProblem(answer, 401, "missing_api_key");
        expect(answer.headers.get("www-authenticate")).to.equal('Bearer realm="assay"');
        validateAnswer(app.openapi, "GET", "/v1/assets", 401, answer.body, answer.headers);
      }
    });

    it("and tells a wrong, a pending and a revoked key apart", async () => {
      const pending = await app.keys.apply(APPLICANT);
      const revoked = await app.keys.create(APPLICANT, "test");
      await app.keys.revoke(revoked.record.id, "test");
      expectProblem(await app.call("/v1/assets", { key: "ak_wrong" }), 403, "invalid_api_key");
      expectProblem(await app.call("/v1/assets", { key: `${app.key}, ${app.key}` }), 403, "invalid_api_key");
      expectProblem(await app.call("/v1/assets", { key: pending.key }), 403, "key_pending_approval");
      expectProblem(await app.call("/v1/assets", { key: revoked.key }), 403, "revoked_api_key");
    });

    it("recognizes callers before it reads their body", async () => {
      expectProblem(await app.call("/v1/jobs", { ...json("{"), key: null }), 401, "missing_api_key");
    });

    it("by a job token as a bearer, on a job's paths alone", async () => {
      const [right, wrong] = [`jt_${"r".repeat(43)}`, `jt_${"w".repeat(43)}`];
      const seen: unknown[] = [];
      await using app = await startTestApp({
        resolveJobToken: async (token) => {
          seen.push(token);
          return token === right ? { jobId: "job_1" } : null;
        },
      });
      const bearer = (token: string) => ({ key: null, headers: { authorization: `Bearer ${token}` } });
      expectProblem(await app.call("/v1/assets", bearer(right)), 403, "invalid_api_key");
      expectProblem(await app.call("/v1/jobs", { ...json("{}"), ...bearer(right) }), 403, "invalid_api_key");
      expect(seen).to.deep.equal([]);
      expectProblem(await app.call("/v1/jobs/job_1", bearer(wrong)), 403, "invalid_api_key");
      expectProblem(await app.call("/v1/jobs/job_1", { key: right }), 403, "invalid_api_key");
      const other = expectProblem(await app.call("/v1/jobs/job_2", bearer(right)), 404, "not_found");
      expect(other.headers.get("ratelimit")).to.match(/^"job";r=59;t=\d+$/);
      expect(seen).to.deep.equal([wrong, right]);
    });
  });

  it("asks database and node once a second, for all who want to know whether it is ready", async () => {
    let probes = 0;
    const chain = async () => {
      probes++;
      await sleep(50);
    };
    await using app = await startTestApp({ probes: { chain } });
    const ask = () => Promise.all(Array.from({ length: 20 }, () => app.call("/readyz")));
    for (const { status } of [...(await ask()), ...(await ask())]) expect(status).to.equal(200);
    expect(probes).to.equal(1);
    await sleep(1_000);
    await ask();
    expect(probes).to.equal(2);
  });

  describe("takes applications for keys", () => {
    it("and answers the pending key once", async () => {
      const application = json({ ...APPLICANT, name: "  Ann  " });
      const answer = expectStatus(await app.call("/api/v1/keys", { ...application, key: null }), 202);
      validateAnswer(app.openapi, "POST", "/api/v1/keys", 202, answer.body, answer.headers);
      expectProblem(await app.call("/v1/assets", { key: answer.body.api_key }), 403, "key_pending_approval");
      await app.keys.approve(answer.body.key_id, "test");
      expect((await app.call("/v1/assets", { key: answer.body.api_key })).status).to.equal(200);
      expect((await app.keys.list()).find(({ id }) => id === answer.body.key_id)?.name).to.equal("Ann");
    });

    it("and where that is set, approves three of an address a day at once, with the set limit", async () => {
      await using open = await startTestApp({ settings: { keyAutoApproveLimit: 2 } });
      const apply = () => open.call("/api/v1/keys", { ...json(APPLICANT), key: null });
      for (let number = 0; number < 3; number++) {
        const { body } = expectStatus(await apply(), 201);
        validateAnswer(open.openapi, "POST", "/api/v1/keys", 201, body);
        expect(body).to.include({ state: "active", limit_per_minute: 2 });
        const asked = async () => (await open.call("/v1/assets", { key: body.api_key })).status;
        expect([await asked(), await asked(), await asked()]).to.deep.equal([200, 200, 429]);
      }
      const { body } = expectStatus(await apply(), 202);
      expect(body).to.include({ state: "pending", limit_per_minute: 60 });
      expectProblem(await open.call("/v1/assets", { key: body.api_key }), 403, "key_pending_approval");
    });

    it("and stores nothing of one that does not fit", async () => {
      const faults = [
        { ...APPLICANT, name: "a\u001b[31mb" },
        { ...APPLICANT, email: "x" },
        { ...APPLICANT, purpose: "p".repeat(1_001) },
        { ...APPLICANT, state: "active" },
      ];
      for (const fault of faults)
        expectProblem(await app.call("/api/v1/keys", json(fault)), 400, "invalid_request");
      expect(await app.keys.list()).to.have.length(1);
    });
  });

  describe("while another process keeps a SQLite file locked", () => {
    forEachEngine((engine) => {
      if (engine.name !== "sqlite") return;
      it("says unavailable, stores nothing, and goes on when the lock is gone", async () => {
        const url = await engine.createUrl();
        const [db, other] = [openDatabase(url, { busyTimeoutMs: 20 }), openDatabase(url)];
        await using locked = await startTestApp({ db });
        await other.transaction().execute(async () => {
          const answer = await locked.call("/api/v1/keys", json(APPLICANT));
          expectProblem(answer, 503, "unavailable");
          expect(answer.headers.get("retry-after")).to.equal("5");
          expect((await locked.call("/v1/assets")).status).to.equal(200);
        });
        expect(await locked.keys.list()).to.have.length(1);
        expect((await locked.call("/api/v1/keys", json(APPLICANT))).status).to.equal(202);
        await db.destroy();
        await other.destroy();
      });
    });
  });

  describe("writes a log", () => {
    it("with one line a request and no credential", async () => {
      const headers = { "x-api-key": app.key, "payment-signature": "geheim" };
      await app.call("/v1/assets?x=geheim", { headers });
      await app.call("/v1/assets", { key: null, headers: { authorization: `Bearer ${app.key}` } });
      const lines = app.log.map((line) => JSON.parse(line));
      expect(lines).to.have.length(2);
      const told = { method: "GET", path: "/v1/assets", status: 200, msg: "request" };
      expect(lines[0]).to.include({ ...told, caller: app.keyId });
      expect(lines[0].ms).to.be.a("number");
      expect(app.log.join()).to.not.contain(app.key).and.to.not.contain("geheim");
    });
  });

  describe("tells its health", () => {
    it("tells whether the service is alive and ready", async () => {
      expect((await app.call("/healthz", { key: null })).body).to.deep.equal({ status: "live" });
      const signer = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
      const well = { refused: null, fault: null, keyFault: null };
      expect((await app.call("/readyz", { key: null })).body).to.deep.equal({
        status: "ready",
        checks: { database: "up", chain: "up" },
        clock: { aheadOfDatabaseSeconds: 0, differs: false },
        attestation: { signer, waiting: null, fault: null },
        log: { name: null, entries: 0, signedEntries: 0, signedAgo: null, waiting: 0, ...well },
      });
    });

    it("ready with the state of the market's collection where it is asked to say more", async () => {
      for (const query of ["?verbose", "?verbose=1"]) {
        const { body } = await app.call(`/readyz${query}`, { key: null });
        validateAnswer(app.openapi, "GET", "/readyz", 200, body);
        expect(body.market).to.include({ round: null });
        expect(body.market.unpriced.length).to.be.greaterThan(0);
      }
    });

    it("alive but not ready while the chain is away or does not answer", async () => {
      const silent = () => new Promise<void>(() => {});
      for (const chain of [async () => Promise.reject(new Error("geheim")), silent]) {
        await using away = await startTestApp({ probes: { chain } });
        const answer = expectProblem(await away.call("/readyz"), 503, "unavailable");
        expect(answer.body.checks).to.deep.equal({ database: "up", chain: "down" });
        expect(answer.headers.get("retry-after")).to.equal("5");
        expect(answer.text).to.not.contain("geheim");
        validateAnswer(away.openapi, "GET", "/readyz", 503, answer.body);
        expect((await away.call("/healthz")).status).to.equal(200);
      }
    });
  });
});
