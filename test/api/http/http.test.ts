/** What every route has in common: what its answers carry, and which requests are refused before a route sees them. */
import { expect } from "chai";
import { MAX_BODY_BYTES } from "../../../api/http/body.ts";
import { chunked, expectProblem, expectStatus, json, startTestApp, testApp } from "../../support/http.ts";

const PLENTY = { keyLimitPerMinute: 100_000, addressLimitPerMinute: 100_000 };

describe("an answer over HTTP", () => {
  const app = testApp({ settings: PLENTY });

  it("an answer lists the assets with version and hash of the registry, exactly", async () => {
    const { body } = expectStatus(await app.call("/v1/assets"), 200);
    expect(Object.keys(body)).to.deep.equal(["registryVersion", "registryHash", "assets"]);
    expect(body.assets.map(({ symbol }: any) => symbol)).to.deep.equal(["AAPLx", "USDL"]);
    const named = "assetKey symbol name kind underlying issuer priceSources tokenSources chainId";
    expect(Object.keys(body.assets[0])).to.have.members([...named.split(" "), "address", "decimals"]);
  });

  it("an answer lists the three policies with their hashes, exactly", async () => {
    const { body } = await app.call("/v1/policies");
    const ids = ["STRICT_LIVE", "EXTENDED_HOURS", "LAST_CLOSE"];
    expect(body.policies.map(({ policyId }: any) => policyId)).to.deep.equal(ids);
    const members = ["policyId", "version", "description", "definition", "definitionHash"];
    for (const policy of body.policies) expect(Object.keys(policy)).to.deep.equal(members);
  });

  for (const name of ["assets", "policies"])
    it(`an answer without a key lists the same ${name} under /a2mcp, and counts against the address`, async () => {
      const { body } = await app.call(`/v1/${name}`);
      const open = expectStatus(await app.call(`/a2mcp/${name}`, { key: null }), 200);
      expect(open.body).to.deep.equal(body);
      expect(open.headers.get("ratelimit")).to.match(/^"texts";r=/);
    });

  it("an answer tells browsers to keep it to themselves, and nobody which program made it", async () => {
    const { headers } = await app.call("/v1/assets");
    expect(Object.fromEntries(headers)).to.deep.include({
      "cache-control": "no-store, private",
      "content-type": "application/json; charset=utf-8",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    });
    for (const name of ["x-powered-by", "etag"]) expect(headers.has(name), name).to.equal(false);
  });

  const behindProxy = { settings: { trustProxy: 1 } };
  for (const [where, options, proto, isKept] of [
    ["at a public address of TLS", { publicUrl: "https://assay.example.com" }, undefined, true],
    ["where a trusted proxy says TLS", behindProxy, "https", true],
    ["where a trusted proxy says none", behindProxy, "http", false],
    ["where a trusted proxy says nothing", behindProxy, undefined, false],
    ["where a stranger says TLS", {}, "https", false],
    ["without any of these", {}, undefined, false],
  ] as const)
    it(`an answer ${where} ${isKept ? "keeps browsers on TLS for a year" : "says nothing of TLS"}`, async () => {
      await using other = await startTestApp(options);
      const headers: Record<string, string> = proto === undefined ? {} : { "x-forwarded-proto": proto };
      for (const path of ["/healthz", "/nowhere"]) {
        const answer = await other.call(path, { headers });
        const kept = isKept ? "max-age=31536000" : null;
        expect(answer.headers.get("strict-transport-security"), path).to.equal(kept);
      }
    });

  it("an answer repeats a sane request id of the client's, and has one of its own in the place of any other", async () => {
    const named = async (id: string) =>
      (await app.call("/healthz", { headers: { "x-request-id": id } })).headers.get("x-request-id");
    expect(await named("trace-1.a:B_c")).to.equal("trace-1.a:B_c");
    for (const id of ["", "a b", "x".repeat(65), "<script>", '"'])
      expect(await named(id)).to.match(/^[\w-]{12}$/);
  });

  it("an answer to HEAD has the headers of GET and no body", async () => {
    const head = await app.call("/v1/assets", { method: "HEAD" });
    expect([head.status, head.text]).to.deep.equal([200, ""]);
    expect(Number(head.headers.get("content-length"))).to.be.greaterThan(100);
  });

  for (const [path, methods] of [
    ["/v1/assets", "GET, HEAD, OPTIONS"],
    ["/a2mcp/verify", "GET, POST, HEAD, OPTIONS"],
  ] as const)
    it(`an answer to OPTIONS names the methods of ${path}, with a key and without`, async () => {
      for (const key of [undefined, null]) {
        const options = await app.call(path, { method: "OPTIONS", key });
        expect([options.status, options.text]).to.deep.equal([204, ""]);
        expect(options.headers.get("allow")).to.equal(methods);
      }
    });

  it("an answer costs the log one line, with the caller's id and no credential", async () => {
    const written = app.log.length;
    await app.call("/v1/assets?x=geheim", {
      headers: { "x-api-key": app.key, "payment-signature": "geheim" },
    });
    await app.call("/v1/assets", { key: null, headers: { authorization: `Bearer ${app.key}` } });
    const own = app.log.slice(written);
    expect(own).to.have.length(2);
    for (const line of own.map((text) => JSON.parse(text))) {
      expect(line).to.include({ method: "GET", path: "/v1/assets", status: 200, msg: "request" });
      expect(line).to.include({ caller: app.keyId });
      expect(line.ms).to.be.a("number");
    }
    expect(own.join()).to.not.contain(app.key).and.to.not.contain("geheim");
  });
});

const SPELLINGS_OF_JSON = [
  "application/json",
  "APPLICATION/JSON;charset=UTF-8",
  'application/json; charset="utf-8"',
];
const OTHER_TYPES = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/jsonp",
  "application/json; charset=latin1",
  "",
];
/** As long as a body may be. */
const LONGEST = JSON.stringify({ name: "x".repeat(MAX_BODY_BYTES - 11) });

/** JSON that is no job, as other headers have it. */
const sent = (headers: Record<string, string>): RequestInit => ({
  method: "POST",
  headers,
  body: Buffer.from('{"a":1}'),
});

/** Requests to POST /v1/jobs. `invalid_request` says that the body was read, and is no job. */
const REFUSED: readonly [what: string, status: number, code: string, requests: readonly RequestInit[]][] = [
  ["no body, with or without a length", 400, "invalid_request", [{ method: "POST" }, json(""), chunked("")]],
  [
    "a body that is not JSON",
    400,
    "invalid_request",
    ["{", "{'a':1}", "undefined", "[1,]", '{"a":1}x', "NaN"].map(json),
  ],
  ["JSON that is not an object", 400, "invalid_request", ["null", "[]", '"x"', "1", "true"].map(json)],
  ["JSON that is nested deeply", 400, "invalid_request", [json("[".repeat(30_000) + "]".repeat(30_000))]],
  [
    "members named like those of every object",
    400,
    "invalid_request",
    [json('{"__proto__":{"name":"x"},"constructor":1}')],
  ],
  [
    "JSON in any spelling of its content type",
    400,
    "invalid_request",
    SPELLINGS_OF_JSON.map((type) => sent({ "content-type": type })),
  ],
  [
    "any other content type",
    415,
    "unsupported_media_type",
    OTHER_TYPES.map((type) => sent({ "content-type": type })),
  ],
  [
    "a compressed body",
    415,
    "unsupported_media_type",
    [sent({ "content-type": "application/json", "content-encoding": "gzip" })],
  ],
  ["a body of exactly 64 KiB", 400, "invalid_request", [json(LONGEST)]],
  [
    "a body of more than 64 KiB, whether its length is told or it is sent piece by piece",
    413,
    "body_too_large",
    [json(`${LONGEST} `), chunked(`${LONGEST} `), json("x".repeat(5_000_000))],
  ],
];

describe("a request over HTTP", () => {
  const app = testApp({ settings: PLENTY });

  for (const [what, status, code, requests] of REFUSED)
    it(`a request with ${what} is answered ${status} ${code}`, async () => {
      for (const request of requests) expectProblem(await app.call("/v1/jobs", request), status, code);
    });

  it("the longest body is of 64 KiB", () => {
    expect([MAX_BODY_BYTES, LONGEST.length]).to.deep.equal([65_536, 65_536]);
  });

  it("a request for a path that is not there is answered 404, and one that cannot be decoded 400", async () => {
    for (const path of ["/", "/v1", "/v1/assets/x", "/V1/ASSETS", "/v2/assets", "/.env", "/v1/assets%00"])
      expectProblem(await app.call(path), 404, "not_found");
    expectProblem(await app.call("/v1/jobs/%E0%A4%A"), 400, "invalid_request");
  });

  for (const [path, allowed, others] of [
    ["/v1/assets", "GET, HEAD, OPTIONS", ["POST", "PUT", "DELETE", "PATCH", "PROPFIND"]],
    ["/v1/jobs", "POST, OPTIONS", ["GET"]],
  ] as const)
    it(`a request by a method that ${path} does not have is answered 405 with those that it has`, async () => {
      for (const method of others) {
        const answer = expectProblem(await app.call(path, { method }), 405, "method_not_allowed");
        expect(answer.headers.get("allow")).to.equal(allowed);
      }
    });
});
