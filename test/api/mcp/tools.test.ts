/** The tools as hosts see them, and what they refuse. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { PROBLEMS } from "../../../api/http/problems.ts";
import { ToolFailure } from "../../../api/mcp/failure.ts";
import { bodyOf } from "../../../api/mcp/inputs.ts";
import { listedTools } from "../../../api/mcp/listing.ts";
import { TOOLS } from "../../../api/mcp/tools.ts";
import type { Asset } from "../../../attestor/registry.ts";
import { assetKeyOf } from "../../../attestor/values/primitives.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { verify } from "../../../scripts/verify/verify.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { APPLICANT } from "../../support/http.ts";
import { connectHost, GENERATIONS, linkIn, mcpRequest, rpc } from "../../support/mcp.ts";
import { startService, walletOf, withoutProof } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { typed } from "../../support/typed.ts";
import { testWorld } from "../../support/world.ts";

const NAMES = [
  "list_supported_assets",
  "get_verification_policy",
  "prepare_verification",
  "purchase_verification",
  "get_verification",
  "prepare_guard_trade",
  "get_execution_status",
];

describe("MCP tools", () => {
  const world = testWorld();

  const service = ofSuite(async () => {
    await world.tick();
    return startService(world, "sqlite::memory:");
  });
  const host = ofSuite(() => connectHost("2026", service.url, service.key));

  for (const generation of GENERATIONS)
    it(`are seven to a client of ${generation}, titled, annotated, with exact schemas and the next step`, async () => {
      await using other = await connectHost(generation, service.url, service.key);
      const tools = await other.listTools();
      expect(tools.map(({ name }) => name)).to.deep.equal(NAMES);
      for (const tool of tools) {
        expect(tool.title).to.be.a("string");
        expect(tool.description).to.match(/Next: |Call it again/);
        expect(tool.annotations).to.include.keys("readOnlyHint", "idempotentHint", "destructiveHint");
        expect(tool.inputSchema).to.include({ type: "object", additionalProperties: false });
        expect(tool.outputSchema).to.include({ type: "object" });
      }
      const hints = (listed: any[], hint: string) =>
        listed.filter((tool) => tool.annotations[hint]).map(({ name }) => name);
      expect(hints(tools, "readOnlyHint")).to.deep.equal([NAMES[0], NAMES[1], NAMES[3], NAMES[4]]);
      expect(hints(tools, "destructiveHint")).to.deep.equal([]);
      expect(hints(tools, "idempotentHint")).to.deep.equal(
        NAMES.filter((name) => name !== "prepare_guard_trade"),
      );
      // Where payments are on, what sells settles one that comes along.
      const paid = listedTools(false, true);
      const selling = paid.filter(({ outputSchema }) => outputSchema.anyOf !== undefined);
      expect(selling.map(({ name }) => name)).to.deep.equal([NAMES[3], NAMES[5]]);
      expect(hints(paid, "destructiveHint")).to.deep.equal([NAMES[3], NAMES[5]]);
      expect(hints(paid, "readOnlyHint")).to.deep.equal([NAMES[0], NAMES[1], NAMES[4]]);
      expect(hints(listedTools(true, true), "destructiveHint")).to.deep.equal([NAMES[2], NAMES[3], NAMES[5]]);
      expect(hints(listedTools(true, false), "destructiveHint")).to.deep.equal([]);
    });

  it("tell of the HTTP routes' answers what a model decides by, and link to the rest", async () => {
    const { assets } = await host.use("list_supported_assets");
    const { body: registry } = await service.call("/v1/assets");
    const brief = ({ symbol, assetKey, kind, underlying, decimals }: any) => ({
      symbol,
      assetKey,
      kind,
      underlying,
      decimals,
    });
    expect(assets).to.have.deep.members(registry.assets.map(brief));
    const { body } = await service.call("/v1/policies");
    const { content, structuredContent: told } = await host.call("get_verification_policy");
    expect(
      told.policies.map(({ policyId, maxSlippageBps }: any) => [policyId, maxSlippageBps]),
    ).to.deep.equal(
      body.policies.map(({ policyId, definition }: any) => [policyId, definition.maxSlippageBps]),
    );
    expect(content[1]).to.include({ type: "resource_link", uri: "assay://policies" });
    const job = await host.use("prepare_verification", service.jobBody());
    const read = await host.call("get_verification", { jobId: job.jobId });
    expect(read.structuredContent).to.deep.equal({
      ...job,
      understood: job.understood.replace("amountInRaw 250000000 is ", ""),
    });
    const { evidence } = (await service.call(`/v1/jobs/${job.jobId}/report`)).body;
    expect(job).to.include({ version: 1, decision: "ALLOW", premiumBps: evidence.figures.premiumBps });
    const document = await host.document(read);
    expect(document).to.include({ jobId: job.jobId, reportVersion: 1, execution: null });
    expect(document.report.evidence).to.deep.equal(evidence);
  });

  it("take amounts in units and assets by symbol, and repeat what was understood", async () => {
    const { amountInRaw: _, ...body } = service.jobBody({ inputAssetKey: "USDL", outputAssetKey: "aaplx" });
    const say = (changes: object) => ({ ...body, clientRequestId: randomUUID(), ...changes });
    const understood = async (changes: object) =>
      (await host.use("prepare_verification", say(changes))).understood;
    const whole = /^250 USDL for at least 0\.9[0-9]{1,5} AAPLx$/;
    for (const amount of ["250 USDL", "250", "250.000000 usdl"])
      expect(await understood({ amount }), amount).to.match(whole);
    expect(await understood({ amountInRaw: "250" })).to.match(
      /^amountInRaw 250 is 0\.00025 USDL for at least 0\.0000009[0-9]* AAPLx$/,
    );
    const { address } = walletOf(world, 1);
    const other = { amount: "250", recipientAddress: address };
    expect(await understood(other)).to.match(new RegExp(`AAPLx, paid to ${address}$`));
    for (const [changes, path, why] of [
      [{}, "amount", /either amount or amountInRaw/],
      [{ amount: "250", amountInRaw: "250" }, "amount", /either amount or amountInRaw/],
      [{ amount: "0.0000001" }, "amount", /more decimals than USDL, which has 6/],
      [{ amount: "250 AAPLx" }, "amount", /in the input token, which is USDL/],
      [{ amount: "1,000" }, "amount", /digits with or without a point/],
      [{ amount: "0.0 USDL" }, "amount", /more than zero/],
      [{ amount: "250", outputAssetKey: "USDL" }, "outputAssetKey", /not be the input asset/],
    ] as const) {
      const failure = await host.failure("prepare_verification", say(changes));
      expect(failure.code, JSON.stringify(changes)).to.equal("invalid_request");
      expect(failure.errors[0].path).to.equal(path);
      expect(failure.errors[0].message).to.match(why);
    }
    const unknown = await host.failure(
      "prepare_verification",
      say({ amount: "250", outputAssetKey: "AAPL" }),
    );
    expect(unknown.code).to.equal("unsupported_asset");
    expect(unknown.errors[0].path).to.equal("outputAssetKey");
  });

  it("ask which asset is meant where a symbol names several, and take the one that is written exactly", () => {
    const given = { ...service.jobBody(), inputAssetKey: "USDL" } as unknown as Parameters<typeof bodyOf>[0];
    const assets = ["USDL", "AAPLx", "AAPLX", "aaplx", "twin", "twin"].map((symbol, index) => ({
      symbol,
      assetKey: assetKeyOf(1, `0x${String(index).repeat(40)}`),
      decimals: 6,
    })) as Asset[];
    const key = (outputAssetKey: string) => bodyOf({ ...given, outputAssetKey }, assets).outputAssetKey;
    expect(key("AAPLX")).to.equal(assets[2]!.assetKey);
    for (const name of ["AaplX", "twin", "TWIN"])
      expect(() => key(name), name)
        .to.throw(ToolFailure)
        .with.nested.property("fields.code", "ambiguous_symbol");
    try {
      key("twin");
    } catch (error) {
      const { errors } = (error as ToolFailure).fields;
      expect(errors).to.deep.equal([
        { path: "outputAssetKey", message: `is one of ${assets[4]!.assetKey}, ${assets[5]!.assetKey}` },
      ]);
    }
  });

  it("tell a host that asks for it that a long call is at work, and only of a long one", async () => {
    const send = async (name: string, args: object) => {
      const _meta = { progressToken: "p" };
      const answer = await fetch(
        `${service.url}/mcp`,
        mcpRequest(rpc("tools/call", { name, arguments: args, _meta }), {
          authorization: `Bearer ${service.key}`,
        }),
      );
      expect(answer.headers.get("content-type")).to.equal("text/event-stream");
      return [...(await answer.text()).matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
    };
    const [told, ...rest] = await send("prepare_verification", service.jobBody());
    expect(told).to.deep.include({ method: "notifications/progress" });
    expect(told.params).to.include({ progressToken: "p", progress: 0 });
    expect(rest.at(-1).result.structuredContent.decision).to.equal("ALLOW");
    const quick = await send("get_verification_policy", {});
    expect(quick.map(({ method }) => method)).to.deep.equal([undefined]);
    const seen: number[] = [];
    const asked = { name: "prepare_verification", arguments: service.jobBody() };
    await host.client.callTool(asked, { onprogress: ({ progress }) => seen.push(progress) });
    expect(seen[0]).to.equal(0);
  });

  it("find assets by a part of a symbol, ticker or name", async () => {
    const found = (query: string) => host.use("list_supported_assets", { query });
    const symbols = async (query: string) => (await found(query)).assets.map(({ symbol }: any) => symbol);
    expect(await symbols("aapl")).to.deep.equal(["AAPLx"]);
    expect(await symbols("apple")).to.deep.equal(["AAPLx"]);
    const { assets, next } = await found("nothing");
    expect([assets, next]).to.deep.equal([[], "No asset matches: ask for another part, or without query."]);
  });

  it("bring the call data to a host whose wallet is a tool", async () => {
    const wallet = walletOf(world, 2);
    const { jobId } = await host.use(
      "prepare_verification",
      service.jobBody({ ownerAddress: wallet.address }),
    );
    const bare = await host.use("prepare_guard_trade", { jobId });
    expect(bare).to.not.have.any.keys("approvals", "guardCall");
    expect(bare.sends).to.include({ function: "execute", approve: "250 USDL" });
    const { approvals, guardCall, sends } = await host.use("prepare_guard_trade", {
      jobId,
      include: "call",
    });
    expect(guardCall.to).to.equal(sends.to);
    for (const approval of approvals) await (await wallet.sendTransaction(approval)).wait();
    const { hash } = await wallet.sendTransaction(guardCall);
    const { execution } = await host.use("get_execution_status", { jobId, transactionHash: hash });
    expect(execution).to.include({ transactionHash: hash });
    await service.jobWhen(jobId, ({ executions }) => executions[0].state === "confirmed");
  });

  it("refuse an unpaired surrogate in the place of every text", async () => {
    const { clientRequestId: _, ...open } = service.jobBody();
    for (const [key, body] of [
      [service.key, service.jobBody()],
      [null, open],
    ] as const)
      for (const name of Object.keys(body)) {
        const call = rpc("tools/call", {
          name: "prepare_verification",
          arguments: { ...body, [name]: "\ud800" },
        });
        const headers = key === null ? undefined : { authorization: `Bearer ${key}` };
        const answer: any = await (await fetch(`${service.url}/mcp`, mcpRequest(call, headers))).json();
        expect(JSON.parse(answer.result.content[0].text).code, name).to.equal("invalid_request");
      }
  });

  it("link to documents that every verifier takes as they are, to the key or the job's token alone", async () => {
    const signer = world.accounts.attestation.address;
    const { chainId, guard: address } = world.deployment;
    await using open = await connectHost("v1", service.url, null);
    const { key } = await service.server.service.keys.create(APPLICANT, "test");
    await using stranger = await connectHost("2025", service.url, key);
    for (const own of [host, open]) {
      const { clientRequestId, ...body } = service.jobBody();
      const args = own === host ? { ...body, clientRequestId } : body;
      const judged = await own.call("prepare_verification", args);
      const { jobId, jobToken } = judged.structuredContent;
      const mine = { jobId, ...(jobToken === undefined ? {} : { jobToken }) };
      const first = await own.document(judged);
      expect(verifyReport(first, { signer })).to.include({ verdict: "UNVERIFIABLE", isConsistent: true });
      const prepared = await own.call("prepare_guard_trade", mine);
      const document = await own.document(prepared);
      expect(Object.keys(document)).to.deep.equal(["jobId", "reportVersion", "report", "execution"]);
      expect(verifyReport(document, { signer, guard: { chainId, address } }).verdict).to.equal("VALID");
      const { world: console } = fakeConsole([], { "-": JSON.stringify(document) });
      expect(
        await typed(verify, ["-", "--guard", `${chainId}:${address}`, "--signer", signer], console),
      ).to.equal(0);
      expect(await own.documentAfter("get_verification", { ...mine, version: 2 })).to.deep.equal(document);
      // Over HTTP it is the same.
      const http = `/v1/jobs/${jobId}/report?version=2`;
      const headers = jobToken === undefined ? {} : { authorization: `Bearer ${jobToken}` };
      const {
        execution,
        hints: _,
        ...report
      } = (await service.call(http, jobToken === undefined ? {} : { key: null, headers })).body;
      expect(withoutProof({ report, execution })).to.deep.equal(
        withoutProof({ report: document.report, execution: document.execution }),
      );
      const uri = linkIn(prepared.content);
      expect(uri).to.match(jobToken === undefined ? /^assay:\/\/jobs\// : /^assay:\/\/tokens\/jt_/);
      for (const wrong of [
        `assay://jobs/${jobId}/reports/2`,
        uri.replace(/jt_[^/]*/, `jt_${"x".repeat(43)}`).replace(/jobs\/job_[^/]*/, "jobs/job_other"),
      ])
        expect(await stranger.client.readResource({ uri: wrong }).catch(({ code }) => code)).to.equal(
          -32_602,
        );
      const none = uri.replace(/2$/, "9");
      expect(await own.client.readResource({ uri: none }).catch(({ code }) => code)).to.equal(-32_602);
    }
  });

  it("say in words what an answer means and which call is next", async () => {
    const words = async (name: string, args: Record<string, unknown>) => (await host.use(name, args)).next;
    const body = service.jobBody();
    expect(await words("prepare_verification", body)).to.match(/Next: prepare_guard_trade/);
    const denied = service.jobBody({ maxSlippageBps: 5_000 });
    const { refusals, hints, next } = await host.use("prepare_verification", denied);
    expect(next).to.match(/Do not trade.*a new clientRequestId/);
    expect(refusals.map(({ check }: any) => check)).to.include("slippage");
    for (const { message } of refusals) expect(message).to.match(/.+ .+/);
    expect(hints.map(({ check }: any) => check)).to.deep.equal(refusals.map(({ check }: any) => check));
    for (const { text } of hints) expect(text).to.match(/.+ .+/);
    const { jobId } = await host.use("prepare_verification", body);
    expect(await words("purchase_verification", { jobId })).to.contain("No payment is required");
    expect(await words("get_execution_status", { jobId })).to.contain("No transaction is recorded");
    expect(await words("prepare_guard_trade", { jobId })).to.match(
      /signUrl.*sends\.approve.*guardCall.*server sends nothing/,
    );
  });

  it("prepare nothing to sign after DENY", async () => {
    const body = service.jobBody({ maxSlippageBps: 5_000 });
    const { jobId, decision } = await host.use("prepare_verification", body);
    expect(decision).to.equal("DENY");
    const prepared = await host.use("prepare_guard_trade", { jobId });
    expect(prepared).to.include({ decision: "DENY" }).and.to.not.have.any.keys("sends", "signUrl");
    expect(prepared.next).to.contain("There is nothing to sign");
  });

  it("fail with the code of the HTTP API, the fields, and what to do next", async () => {
    const elsewhere = { inputAssetKey: `eip155:1:0x${"1".repeat(40)}` };
    const cases: [string, string, Record<string, unknown>][] = [
      ["invalid_request", "prepare_verification", service.jobBody({ amountInRaw: 5 })],
      ["invalid_request", "prepare_verification", { ...service.jobBody(), extra: true }],
      ["invalid_request", "prepare_verification", {}],
      ["invalid_request", "list_supported_assets", { all: true }],
      ["invalid_request", "get_verification", { jobId: "a\u0000b" }],
      ["invalid_request", "get_verification", { jobId: "job_x", version: 0 }],
      ["invalid_request", "purchase_verification", { jobId: "job_x", paymentSignature: "not base64!" }],
      ["invalid_request", "prepare_guard_trade", { jobId: "job_x", deadlineSeconds: 5 }],
      ["invalid_request", "get_execution_status", { jobId: "job_x", transactionHash: "0x12" }],
      ["unknown_policy", "prepare_verification", service.jobBody({ policyId: "NO_SUCH" })],
      ["unknown_policy", "get_verification_policy", { policyId: "NO_SUCH" }],
      ["unsupported_asset", "prepare_verification", service.jobBody(elsewhere)],
      ["not_found", "get_verification", { jobId: "job_nothing" }],
    ];
    for (const [code, tool, args] of cases) {
      const failure = await host.failure(tool, args);
      expect(failure, JSON.stringify(args)).to.include({ code });
      expect(failure.detail).to.be.a("string");
      expect(failure.next).to.be.a("string").and.not.contain("Read detail");
      expect(failure.requestId).to.be.a("string");
    }
    const twice = service.jobBody({ amountInRaw: 5, maxSlippageBps: "x" });
    const wrong = await host.failure("prepare_verification", twice);
    expect(wrong.errors.map(({ path }: any) => path)).to.have.members(["amountInRaw", "maxSlippageBps"]);
    const taken = service.jobBody();
    await host.use("prepare_verification", taken);
    const conflict = await host.failure("prepare_verification", { ...taken, amountInRaw: "1" });
    expect(conflict).to.include({ code: "idempotency_conflict" });
  });

  it("prepare a job twice in five minutes, and say how long to wait", async () => {
    const { jobId } = await host.use("prepare_verification", service.jobBody());
    await host.use("prepare_guard_trade", { jobId });
    await host.use("prepare_guard_trade", { jobId });
    const failure = await host.failure("prepare_guard_trade", { jobId });
    expect(failure).to.include({ code: "rate_limited" });
    expect(failure.retryAfterSeconds).to.be.within(1, 300);
    expect(await host.failure("get_verification", { jobId, version: 9 })).to.include({ code: "not_found" });
  });

  it("find no job of another key, by any tool", async () => {
    const { jobId } = await host.use("prepare_verification", service.jobBody());
    const { key } = await service.server.service.keys.create(APPLICANT, "test");
    await using stranger = await connectHost("2025", service.url, key);
    const transactionHash = `0x${"7".repeat(64)}`;
    for (const [tool, args] of [
      ["purchase_verification", {}],
      ["purchase_verification", { paymentSignature: "e30=" }],
      ["get_verification", {}],
      ["get_verification", { version: 1 }],
      ["prepare_guard_trade", {}],
      ["get_execution_status", {}],
      ["get_execution_status", { transactionHash }],
    ] as const)
      expect(await stranger.failure(tool, { jobId, ...args }), tool).to.include({ code: "not_found" });
    expect((await host.use("get_execution_status", { jobId })).execution).to.equal(null);
  });

  it("record a transaction that is no guard call of the job, and say so", async () => {
    const { jobId } = await host.use("prepare_verification", service.jobBody());
    const wallet = walletOf(world);
    const { hash } = await wallet.sendTransaction({ to: wallet.address, value: 1n });
    const transactionHash = hash.toUpperCase().replace("X", "x");
    const { execution } = await host.use("get_execution_status", { jobId, transactionHash });
    expect(execution).to.include({ transactionHash: hash });
    await service.jobWhen(jobId, ({ executions }) => executions[0].state === "mismatched");
    const { next } = await host.use("get_execution_status", { jobId });
    expect(next).to.contain("not a guard call of this job");
  });

  it("know a next step for every code of the HTTP API that they can meet", async () => {
    const { nextStepAfter } = await import("../../../api/mcp/failure.ts");
    const elsewhere = [
      "input_required",
      "bad_symbol",
      "window_too_long",
      "window_too_old",
      "method_not_allowed",
      "request_timeout",
    ];
    for (const code of Object.keys(PROBLEMS).filter((each) => !elsewhere.includes(each)))
      expect(nextStepAfter(code), code).to.not.contain("Read detail");
    expect(TOOLS.map(({ name }) => name)).to.deep.equal(NAMES);
  });
});

describe("docs/mcp.md", () => {
  it("names every tool", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/mcp.md"), "utf8");
    for (const { name } of listedTools(false, true)) expect(page).to.contain(`| \`${name}\` |`);
  });
});
