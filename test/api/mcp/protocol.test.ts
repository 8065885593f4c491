/** /mcp against what no proper client sends: each gets a protocol error, and the server lives. */
import { request } from "node:http";
import { expect } from "chai";
import { APPLICANT, chunked, expectStatus, REGISTRY, startTestApp, testApp } from "../../support/http.ts";
import { envelope, mcpRequest, rpc } from "../../support/mcp.ts";

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;

type Refused = readonly [
  what: string,
  status: number,
  code: number,
  /** Text goes out as it is. */
  messages: readonly unknown[],
  headers?: Record<string, string>,
];
const REFUSED: readonly Refused[] = [
  ["text that is not JSON", 400, PARSE_ERROR, ["{bad", "", "\u0000", '{"jsonrpc":"2.0",', "[1,2"]],
  [
    "JSON that is no message",
    400,
    INVALID_REQUEST,
    ["5", '"text"', "null", "true", "{}", "[]", "[5]", "[".repeat(30_000) + "]".repeat(30_000)],
  ],
  [
    "a message of another version, or with an id that is none",
    400,
    INVALID_REQUEST,
    [
      { jsonrpc: "1.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", id: null, method: "ping" },
      { jsonrpc: "2.0", id: {}, method: "ping" },
    ],
  ],
  [
    "a method that is not there",
    200,
    METHOD_NOT_FOUND,
    [rpc("no/such"), rpc("logging/setLevel", { level: "debug" }), rpc("prompts/list")],
  ],
  [
    "a tool that is not there",
    200,
    INVALID_PARAMS,
    ["nope", "", "__proto__", "constructor", "toString"].map((name) => rpc("tools/call", { name })),
  ],
  [
    "a resource that is not there, or is none",
    200,
    INVALID_PARAMS,
    [rpc("resources/read", { uri: "assay://nope" }), rpc("resources/read", { uri: 5 })],
  ],
  [
    "parameters of wrong types",
    200,
    INVALID_PARAMS,
    [{}, { name: 5 }, { name: null }, { name: "list_supported_assets", arguments: "x" }].map((params) =>
      rpc("tools/call", params),
    ),
  ],
  ["parameters that are no object", 400, INVALID_REQUEST, [rpc("tools/call", "text")]],
  ["another content type than JSON", 415, -32_000, [rpc("ping")], { "content-type": "text/plain" }],
  ["a compressed body", 415, -32_000, [rpc("ping")], { "content-encoding": "gzip" }],
  ["a client of event streams alone", 406, -32_000, [rpc("ping")], { accept: "text/event-stream" }],
  ["a client of HTML alone", 406, -32_000, [rpc("ping")], { accept: "text/html" }],
  ["a client that wants no JSON", 406, -32_000, [rpc("ping")], { accept: "application/json;q=0" }],
];

/** By Node's own client, which adds no header. */
function raw(url: string, headers: Record<string, string>, message: object) {
  return new Promise<{ status: number | undefined; type: string | undefined; text: string }>(
    (resolve, reject) => {
      const sent = request(`${url}/mcp`, { method: "POST", headers }, async (answer) => {
        const text = (await answer.setEncoding("utf8").toArray()).join("");
        resolve({ status: answer.statusCode, type: answer.headers["content-type"]?.split(";")[0], text });
      });
      sent.on("error", reject).end(JSON.stringify(message));
    },
  );
}

describe("POST /mcp", () => {
  const app = testApp({ settings: { keyLimitPerMinute: 100_000 } });

  const send = (body: unknown, headers?: Record<string, string>) =>
    app.call("/mcp", mcpRequest(body, headers));
  /** It answers, as a JSON-RPC error and never as a page. */
  async function refused(status: number, code: number, body: unknown, headers?: Record<string, string>) {
    const answer = await send(body, headers);
    expect(answer.status, answer.text).to.equal(status);
    expect(answer.headers.get("content-type")).to.match(/^application\/json/);
    expect(answer.body).to.include({ jsonrpc: "2.0" });
    expect(answer.body.error.code, answer.text).to.equal(code);
    return answer;
  }

  afterEach("the server lives", async () => {
    expect((await send(rpc("ping"))).body).to.deep.equal({ jsonrpc: "2.0", id: 1, result: {} });
  });

  it("POST /mcp answers a host of 2025 with the version that it asks for, and with the latest for one that nobody knows", async () => {
    const initialize = (protocolVersion: string) =>
      send(rpc("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } }));
    for (const version of ["2025-11-25", "2025-06-18", "2025-03-26"])
      expect((await initialize(version)).body.result.protocolVersion).to.equal(version);
    const { body } = await initialize("1999-01-01");
    expect(body.result.protocolVersion).to.equal("2025-11-25");
    expect(body.result.serverInfo).to.include({ name: "assay", version: "0.0.0-test" });
    expect(body.result.instructions).to.contain("prepare_verification");
    expect(Object.keys(body.result.capabilities)).to.deep.equal(["tools", "resources"]);
  });

  it("POST /mcp refuses protocol versions that it does not serve, naming those that it does", async () => {
    const old = await refused(400, -32_000, rpc("ping"), { "mcp-protocol-version": "1999-01-01" });
    expect(old.body.error.message).to.contain("2025-11-25");
    const future = await refused(400, -32_022, rpc("server/discover", envelope("2030-01-01")), {
      "mcp-protocol-version": "2030-01-01",
      "mcp-method": "server/discover",
    });
    expect(future.body.error.data.supported).to.deep.equal(["2026-07-28"]);
    await refused(400, INVALID_PARAMS, rpc("tools/list"), { "mcp-protocol-version": "2026-07-28" });
  });

  for (const [what, status, code, messages, headers] of REFUSED)
    it(`POST /mcp answers ${what} with ${status} and the code ${code}`, async () => {
      for (const message of messages) await refused(status, code, message, headers);
    });

  it("POST /mcp refuses 10 MB at 64 KiB, whole or piece by piece", async () => {
    const text = JSON.stringify(rpc("tools/call", { name: "x".repeat(10_000_000) }));
    const { body } = await refused(413, INVALID_REQUEST, text);
    expect(body.error.data.code).to.equal("body_too_large");
    await refused(413, INVALID_REQUEST, JSON.stringify(rpc("ping", { pad: "x".repeat(64 * 1024) })));
    const pieces = chunked("x".repeat(1_000_000));
    const headers = { ...mcpRequest("").headers, ...pieces.headers };
    const answer = await app.call("/mcp", { ...pieces, headers });
    expect([answer.status, answer.body.error.data.code]).to.deep.equal([413, "body_too_large"]);
  });

  it("POST /mcp answers JSON to plain HTTP clients, and streams progress only to those who accept event streams", async () => {
    const progress = { name: "prepare_verification", arguments: {}, _meta: { progressToken: "p" } };
    const typeOf = async (params: object, accept: string | undefined, more?: Record<string, string>) => {
      const headers = {
        "content-type": "application/json",
        ...more,
        ...(accept === undefined ? {} : { accept }),
      };
      const answer = await raw(app.url, headers, rpc("tools/call", params));
      expect(answer.status, answer.text).to.equal(200);
      return answer.type;
    };
    for (const accept of ["application/json", "*/*", "application/*;q=0.5, text/html", undefined]) {
      expect(await typeOf({ name: "list_supported_assets" }, accept)).to.equal("application/json");
      expect(await typeOf(progress, accept)).to.equal("application/json");
    }
    const both = "application/json, text/event-stream";
    expect(await typeOf({ name: "list_supported_assets" }, both)).to.equal("application/json");
    expect(await typeOf(progress, both)).to.equal("text/event-stream");
    const modern = { ...progress, _meta: { ...envelope("2026-07-28")._meta, ...progress._meta } };
    const headers = {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "prepare_verification",
    };
    expect(await typeOf(modern, "*/*", headers)).to.equal("application/json");
    expect(await typeOf(modern, both, headers)).to.equal("text/event-stream");
  });

  it("POST /mcp answers each request of a mixed batch, but no notifications", async () => {
    const { body } = await send([
      rpc("ping", {}, "a"),
      { jsonrpc: "2.0", method: "notifications/initialized" },
      rpc("tools/call", { name: "list_supported_assets" }, "b"),
      rpc("no/such", {}, "c"),
      // Would leave the batch without its answer.
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "b" } },
    ]);
    expect(body.map(({ id }: any) => id)).to.deep.equal(["a", "b", "c"]);
    expect(body[1].result.structuredContent.assets).to.have.length(2);
    expect(body[2].error.code).to.equal(METHOD_NOT_FOUND);
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    expect((await send([cancelled])).status).to.equal(202);
  });

  it("POST /mcp accepts notifications and answers without a body", async () => {
    const answer = await send({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect([answer.status, answer.text]).to.deep.equal([202, ""]);
    expect((await send({ jsonrpc: "2.0", id: 1, result: {} })).status).to.equal(202);
  });

  it("POST /mcp keeps no sessions: other methods are not allowed, and a session's id is not asked for", async () => {
    for (const method of ["GET", "DELETE", "PUT", "PATCH"]) {
      const answer = await app.call("/mcp", { method, headers: { accept: "text/event-stream" } });
      expectStatus(answer, 405);
      expect(answer.headers.get("allow")).to.equal("POST, OPTIONS");
      expect(answer.body.error.code).to.equal(-32_000);
    }
    const options = await app.call("/mcp", { method: "OPTIONS" });
    expect([options.status, options.headers.get("allow")]).to.deep.equal([204, "POST, OPTIONS"]);
    expect(options.headers.get("access-control-allow-origin")).to.equal(null);
    const answer = expectStatus(await send(rpc("ping"), { "mcp-session-id": "whatever" }), 200);
    expect(answer.headers.get("mcp-session-id")).to.equal(null);
  });

  it("POST /mcp refuses subscriptions instead of holding streams open, since nothing changes", async () => {
    const params = { ...envelope("2026-07-28"), notifications: { toolsListChanged: true } };
    const answer = await send(rpc("subscriptions/listen", params), {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "subscriptions/listen",
    });
    expect(answer.body.error.message).to.contain("limit");
  });

  it("POST /mcp takes API keys as a bearer or in x-api-key, no key at all, and no wrong one", async () => {
    const asked = (headers: Record<string, string>) =>
      fetch(`${app.url}/mcp`, mcpRequest(rpc("ping"), headers)).then(async (answer) => ({
        status: answer.status,
        challenge: answer.headers.get("www-authenticate"),
        code: (JSON.parse(await answer.text()) as any).error?.data.code,
      }));
    expect(await asked({ authorization: `Bearer ${app.key}` })).to.include({ status: 200 });
    expect(await asked({ "x-api-key": app.key })).to.include({ status: 200 });
    expect(await asked({})).to.deep.equal({ status: 200, challenge: null, code: undefined });
    const other = await asked({ authorization: "Basic YTpi" });
    expect(other).to.include({ status: 401, code: "missing_api_key" });
    expect(other.challenge).to.match(/^Bearer/);
    expect(await asked({ "x-api-key": "ak_wrong" })).to.include({ status: 403, code: "invalid_api_key" });
    const { key, record } = await app.keys.create(APPLICANT, "test");
    await app.keys.revoke(record.id, "test");
    expect(await asked({ "x-api-key": key })).to.include({ status: 403, code: "revoked_api_key" });
  });

  it("POST /mcp leaves no secret, body or payload in the log, but which tool was called and how that ended", async () => {
    const seed = "legal winner thank year wave sausage worth useful legal winner thank yellow";
    const key = `0x${"5e".repeat(32)}`;
    await send(rpc("tools/call", { name: "prepare_verification", arguments: { amountInRaw: seed } }));
    await send(rpc("tools/call", { name: "get_verification", arguments: { jobId: key } }));
    await send(rpc("tools/call", { name: key }));
    await send(rpc(key));
    await send(rpc("ping"), { "mcp-protocol-version": key });
    await send(`{"method": "${key}"`);
    await send(rpc("resources/read", { uri: `assay://${key}` }));
    await send(rpc("tools/call", { name: "get_verification_policy", arguments: { policyId: "NO_SUCH" } }));
    const log = app.log.join("");
    for (const secret of ["sausage", "5e5e", "NO_SUCH"]) expect(log).to.not.contain(secret);
    expect(log).to.contain('"rpc":"prepare_verification secret_refused"');
    expect(log).to.contain('"rpc":"get_verification_policy unknown_policy"');
  });

  it("POST /mcp tells nothing of its own faults", async () => {
    await using broken = await startTestApp({
      jobs: {
        chain: { deployment: { registry: REGISTRY } } as any,
        clock: () => {
          throw new Error("the secret of clocks");
        },
      },
    });
    const asset = (digit: string) => `eip155:31337:0x${digit.repeat(40)}`;
    const args = {
      clientRequestId: "a",
      ownerAddress: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      inputAssetKey: asset("2"),
      outputAssetKey: asset("1"),
      amountInRaw: "1",
      policyId: "STRICT_LIVE",
      maxSlippageBps: 1,
    };
    const message = rpc("tools/call", { name: "prepare_verification", arguments: args });
    const answer = await broken.call("/mcp", mcpRequest(message));
    const { result } = answer.body;
    expect(result.isError).to.equal(true);
    const failure = JSON.parse(result.content[0].text);
    expect(failure).to.include({ code: "internal", detail: "the service failed" });
    expect(failure.requestId).to.equal(answer.headers.get("x-request-id"));
    const told = broken.log.filter((line) => line.includes(failure.requestId));
    expect(told.join()).to.include('"level":50');
  });
});
