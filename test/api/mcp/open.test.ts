/** /mcp for a host that was given the URL alone: what is open, by which limits, and what needs a token or a key. */
import { expect } from "chai";
import { Problem } from "../../../api/http/problems.ts";
import { type CallContext, callTool } from "../../../api/mcp/call.ts";
import { prepareGuardTrade } from "../../../api/mcp/tradeTools.ts";
import { canonicalHash } from "../../../attestor/values/canonical.ts";
import { expectStatus, startTestApp } from "../../support/http.ts";
import { connectHost, GENERATIONS, type Host, mcpRequest, rpc, toolResult } from "../../support/mcp.ts";
import { carryOut, startService, testService, walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { testWorld } from "../../support/world.ts";

const WRONG_TOKEN = `jt_${"x".repeat(43)}`;

describe("A host without a key", () => {
  const world = testWorld();
  const service = testService(world);
  before(() => world.tick());
  const host = ofSuite(() => connectHost("2026", service.url, null));

  const oneShot = (maxSlippageBps = 50) => service.verifyBody({ maxSlippageBps });

  for (const [index, generation] of GENERATIONS.entries())
    it(`a host without a key carries out a whole trade by the token of its job, as a client of ${generation}`, async () => {
      await using own = await connectHost(generation, service.url, null);
      const { assets } = await own.use("list_supported_assets");
      expect(assets).to.have.length.above(2);
      expect((await own.use("get_verification_policy")).policies).to.have.length(3);
      const wallet = walletOf(world, index);
      const body = service.verifyBody({ ownerAddress: wallet.address });
      const { jobId, jobToken, ...judged } = await own.use("prepare_verification", body);
      expect(judged).to.include({ version: 1, decision: "ALLOW" });

      const mine = { jobId, jobToken };
      expect((await own.use("purchase_verification", mine)).payment).to.equal("not_required");
      const { report } = await own.documentAfter("get_verification", mine);
      expect(canonicalHash(report.evidence)).to.equal(report.evidenceHash);
      const { execution } = await own.documentAfter("prepare_guard_trade", { ...mine, deadlineSeconds: 600 });
      const transactionHash = await carryOut(wallet, execution);
      await own.use("get_execution_status", { ...mine, transactionHash });
      const state = async () => (await own.use("get_execution_status", mine)).execution.state;
      await until("a confirmed trade", state, (seen) => seen === "confirmed");
    });

  it("a host without a key sees the seven tools with the same inputs, of which prepare_verification answers a token", async () => {
    await using keyed = await connectHost("2026", service.url, service.key);
    const [open, closed] = [await host.listTools(), await keyed.listTools()];
    const others = (tools: any[]) => tools.filter(({ name }) => name !== "prepare_verification");
    expect(others(open)).to.deep.equal(others(closed));
    const schemas = (tools: any[]) => tools.find(({ name }) => name === "prepare_verification");
    expect(schemas(open).inputSchema).to.deep.equal(schemas(closed).inputSchema);
    expect(schemas(open).inputSchema.properties.clientRequestId.description).to.contain("binds nothing");
    expect(schemas(open).description).to.contain("clientRequestId binds nothing here");
    expect(schemas(closed).outputSchema.properties).to.not.have.property("jobToken");
    expect(schemas(open).outputSchema.required).to.include("jobToken");
    expect(open.map(({ name }) => name)).to.deep.equal(closed.map(({ name }) => name));
  });

  it("a host without a key sees the token explained in words, and makes a new job with every call", async () => {
    const one = await host.use("prepare_verification", oneShot());
    const other = await host.use("prepare_verification", oneShot());
    expect(one.next).to.match(/Next: prepare_guard_trade.*Keep jobToken/);
    expect(one.jobId).to.not.equal(other.jobId);
    expect(one.jobToken).to.not.equal(other.jobToken);
  });

  it("a host without a key may name its trades, which binds nothing, where a key's names do", async () => {
    const named = { ...oneShot(), clientRequestId: "mine" };
    await using keyed = await connectHost("2026", service.url, service.key);
    const jobIdsOf = async (own: Host) => {
      const first = await own.use("prepare_verification", named);
      const second = await own.use("prepare_verification", named);
      return [first.jobId, second.jobId];
    };
    const [first, second] = await jobIdsOf(host);
    expect(first).to.not.equal(second);
    const [bound, again] = await jobIdsOf(keyed);
    expect(bound).to.equal(again);
  });

  for (const [what, field, args] of [
    ["names each trade", "clientRequestId", () => oneShot()],
    [
      "sends no payment along with it",
      "paymentSignature",
      () => ({ ...oneShot(), clientRequestId: "paid", paymentSignature: "YWJj" }),
    ],
  ] as const)
    it(`a host with a key ${what}, and is told so`, async () => {
      await using keyed = await connectHost("2026", service.url, service.key);
      const failure = await keyed.failure("prepare_verification", args());
      expect([failure.code, failure.errors[0].path]).to.deep.equal(["invalid_request", field]);
    });

  it("a host without a key hears nothing of names for its trades, and is sent back to the first tool where a job is over", async () => {
    const denied = await host.call("prepare_verification", oneShot(5_000));
    const { jobId, jobToken, next } = denied.structuredContent;
    expect(next).to.contain("then prepare_verification.");
    const said = [denied, await host.call("get_verification", { jobId, jobToken })];
    expect(JSON.stringify(said)).to.not.contain("clientRequestId");
    const callerOf = () => Promise.reject(new Problem("job_expired", "It is over."));
    const context = { service: service.server.service, caller: { kind: "public" }, address: "", callerOf };
    const asking = { ...context, openapi: () => "" } as CallContext;
    const over = await callTool(asking, prepareGuardTrade, { jobId, jobToken });
    expect(JSON.parse((over.content[0] as any).text).next).to.equal("Call prepare_verification again.");
  });

  it("a host without a key opens no job without its token, and learns how to get a key", async () => {
    const { jobId, jobToken } = await host.use("prepare_verification", oneShot());
    const { jobToken: another } = await host.use("prepare_verification", oneShot());
    const keyed = await service.newJob();
    const transactionHash = `0x${"7".repeat(64)}`;
    for (const [tool, args] of [
      ["purchase_verification", {}],
      ["get_verification", {}],
      ["get_verification", { version: 1 }],
      ["prepare_guard_trade", {}],
      ["get_execution_status", {}],
      ["get_execution_status", { transactionHash }],
    ] as const) {
      const failure = await host.failure(tool, { jobId, ...args });
      expect(failure, tool).to.include({ code: "missing_api_key" });
      expect(failure.next).to.contain("jobToken").and.to.contain("POST /api/v1/keys");
      for (const [id, token] of [
        [jobId, another],
        [jobId, WRONG_TOKEN],
        [keyed.jobId, jobToken],
      ])
        expect((await host.failure(tool, { jobId: id, jobToken: token, ...args })).code).to.equal(
          "not_found",
        );
      const short = await host.failure(tool, { jobId, jobToken: "jt_short", ...args });
      expect(short).to.include({ code: "invalid_request" });
    }
    expect((await host.use("get_execution_status", { jobId, jobToken })).execution).to.equal(null);
  });

  it("a host without a key can leave a job to a host with a key, which opens it by the token", async () => {
    const { jobId, jobToken } = await host.use("prepare_verification", oneShot());
    await using keyed = await connectHost("2025", service.url, service.key);
    expect(await keyed.failure("get_verification", { jobId })).to.include({ code: "not_found" });
    expect((await keyed.use("get_verification", { jobId, jobToken })).version).to.equal(1);
  });

  it("a host without a key cannot choose who gets the output", async () => {
    const { address } = walletOf(world, 1);
    const failure = await host.failure("prepare_verification", { ...oneShot(), recipientAddress: address });
    expect([failure.code, failure.errors[0].path]).to.deep.equal(["invalid_request", "recipientAddress"]);
  });

  it("a host without a key has as many unpaid reports a day as at POST /a2mcp/verify, together with those", async () => {
    await using small = await startService(world, "sqlite::memory:", { ONE_SHOTS_PER_DAY: "2" });
    await using own = await connectHost("2025", small.url, null);
    await own.use("prepare_verification", small.verifyBody());
    expect((await small.post("/a2mcp/verify", small.verifyBody(), null)).status).to.equal(200);
    const failure = await own.failure("prepare_verification", small.verifyBody());
    expect(failure).to.include({ code: "rate_limited" });
    expect(failure.detail).to.contain("2 a day from this address without a key");
    expect(failure.retryAfterSeconds).to.be.within(1, 86_400);
  });

  it("a host without a key may verify as often a minute as at POST /a2mcp/verify, together with that", async () => {
    await using small = await startService(world, "sqlite::memory:", { ADDRESS_LIMIT_PER_MINUTE: "2" });
    const verify = () => toolResult(small.url, "prepare_verification", small.verifyBody());
    expect((await small.post("/a2mcp/verify", {}, null)).status).to.equal(400);
    expect((await verify()).isError).to.equal(undefined);
    expect(JSON.parse((await verify()).content[0].text)).to.include({ code: "rate_limited" });
    expect((await small.post("/a2mcp/verify", {}, null)).status).to.equal(429);
  });

  it("a host without a key may try so many tokens that open nothing a minute, and no more", async () => {
    await using small = await startService(world, "sqlite::memory:", { KEY_LIMIT_PER_MINUTE: "3" });
    await using own = await connectHost("2025", small.url, null);
    const codes = [];
    for (let call = 0; call < 5; call++)
      codes.push((await own.failure("get_verification", { jobId: "job_x", jobToken: WRONG_TOKEN })).code);
    expect(codes).to.deep.equal(["not_found", "not_found", "not_found", "rate_limited", "rate_limited"]);
  });
});

describe("/mcp without a key", () => {
  it("/mcp without a key counts every message of a batch against the address, six times as many as other routes have", async () => {
    await using app = await startTestApp({ settings: { addressLimitPerMinute: 2 } });
    const batch = (size: number) => Array.from({ length: size }, (_, id) => rpc("ping", {}, id));
    const send = (body: unknown) => app.call("/mcp", { ...mcpRequest(body), key: null });
    expect((await send(batch(9))).headers.get("ratelimit")).to.match(/r=3;/);
    const last = expectStatus(await send(batch(4)), 429);
    expect(last.body.error.data).to.include({ code: "rate_limited" });
    expect(last.headers.get("www-authenticate")).to.equal(null);
    // A key has a limit of its own.
    expect((await app.call("/mcp", mcpRequest(rpc("ping")))).status).to.equal(200);
  });

  it("/mcp without a key asks for no login: no 401 for any request, and nothing that a host could take for an authorization server", async () => {
    await using app = await startTestApp({ settings: { addressLimitPerMinute: 1_000 } });
    const ask = (path: string, init: RequestInit = {}) => app.call(path, { ...init, key: null });
    for (const init of [
      mcpRequest(rpc("ping")),
      mcpRequest(rpc("ping"), { authorization: "" }),
      mcpRequest(rpc("ping"), { authorization: "Bearer " }),
      mcpRequest(rpc("ping"), { "x-api-key": " " }),
      mcpRequest(rpc("tools/call", { name: "get_verification", arguments: { jobId: "job_x" } })),
      mcpRequest("{bad"),
      { method: "GET", headers: { accept: "text/event-stream" } },
      { method: "DELETE" },
    ]) {
      const answer = await ask("/mcp", init);
      expect(answer.status, answer.text).to.be.oneOf([200, 400, 405]);
      expect(answer.headers.get("www-authenticate")).to.equal(null);
    }
    for (const path of [
      "/.well-known/oauth-protected-resource",
      "/.well-known/oauth-protected-resource/mcp",
      "/.well-known/oauth-authorization-server",
      "/.well-known/openid-configuration",
    ])
      expect((await ask(path)).status, path).to.equal(404);
    for (const path of ["/register", "/authorize", "/token"])
      expect((await ask(path, { method: "POST" })).status, path).to.equal(404);
  });

  it("/mcp without a key keeps pages of other names out, as with a key", async () => {
    await using app = await startTestApp();
    const init = mcpRequest(rpc("ping"), { origin: "https://evil.example" });
    expect((await app.call("/mcp", { ...init, key: null })).status).to.equal(403);
  });
});
