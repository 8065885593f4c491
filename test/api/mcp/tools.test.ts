/** The tools as hosts see them: how they are listed, what they answer, and what they say when they refuse. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { PROBLEMS } from "../../../api/http/problems.ts";
import { nextStepAfter } from "../../../api/mcp/failure.ts";
import { listedTools } from "../../../api/mcp/listing.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { verify } from "../../../scripts/verify/verify.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { APPLICANT } from "../../support/http.ts";
import { connectHost, GENERATIONS, linkIn, mcpRequest, rpc } from "../../support/mcp.ts";
import { testService, walletOf, withoutProof } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { typed } from "../../support/typed.ts";
import { testWorld } from "../../support/world.ts";

const INVALID_PARAMS = -32_602;

const NAMES = [
  "list_supported_assets",
  "get_verification_policy",
  "prepare_verification",
  "purchase_verification",
  "get_verification",
  "prepare_guard_trade",
  "get_execution_status",
];

/** Names of the listed tools with this annotation. */
const hinted = (listed: readonly any[], hint: string): string[] =>
  listed.filter((tool) => tool.annotations[hint]).map(({ name }) => name);

describe("MCP tools", () => {
  const world = testWorld();
  const service = testService(world);
  before(() => world.tick());
  const host = ofSuite(() => connectHost("2026", service.url, service.key));

  for (const generation of GENERATIONS)
    it(`MCP tools are seven to a client of ${generation}, with title, next step, annotations and exact schemas`, async () => {
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
    });

  it("MCP tools are marked by what they do: those that sell destroy something where payments are on, and without a key one more sells", async () => {
    const [list, policy, prepare, purchase, get, trade] = NAMES;
    const free = await host.listTools();
    expect(hinted(free, "readOnlyHint")).to.deep.equal([list, policy, purchase, get]);
    expect(hinted(free, "destructiveHint")).to.deep.equal([]);
    expect(hinted(free, "idempotentHint")).to.deep.equal(NAMES.filter((name) => name !== trade));
    expect(hinted(listedTools(true, false), "destructiveHint")).to.deep.equal([]);
    const paid = listedTools(false, true);
    const selling = paid.filter(({ outputSchema }) => outputSchema.anyOf !== undefined);
    expect(selling.map(({ name }) => name)).to.deep.equal([purchase, trade]);
    expect(hinted(paid, "destructiveHint")).to.deep.equal([purchase, trade]);
    expect(hinted(paid, "readOnlyHint")).to.deep.equal([list, policy, get]);
    expect(hinted(listedTools(true, true), "destructiveHint")).to.deep.equal([prepare, purchase, trade]);
  });

  it("MCP tools tell of the HTTP routes' answers what a model decides by, and link to the rest", async () => {
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
    const slippages = told.policies.map(({ policyId, maxSlippageBps }: any) => [policyId, maxSlippageBps]);
    expect(slippages).to.deep.equal(
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

  it("MCP tools tell a host that asks for it that a long call is at work, and only of a long one", async () => {
    const send = async (name: string, args: object) => {
      const call = rpc("tools/call", { name, arguments: args, _meta: { progressToken: "p" } });
      const asked = mcpRequest(call, { authorization: `Bearer ${service.key}` });
      const answer = await fetch(`${service.url}/mcp`, asked);
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

  it("MCP tools find assets by a part of a symbol, ticker or name", async () => {
    const found = (query: string) => host.use("list_supported_assets", { query });
    const symbols = async (query: string) => (await found(query)).assets.map(({ symbol }: any) => symbol);
    expect(await symbols("aapl")).to.deep.equal(["AAPLx"]);
    expect(await symbols("apple")).to.deep.equal(["AAPLx"]);
    const { assets, next } = await found("nothing");
    expect([assets, next]).to.deep.equal([[], "No asset matches: ask for another part, or without query."]);
  });

  it("MCP tools bring the call data to a host whose wallet is a tool", async () => {
    const wallet = walletOf(world, 2);
    const body = service.jobBody({ ownerAddress: wallet.address });
    const { jobId } = await host.use("prepare_verification", body);
    const bare = await host.use("prepare_guard_trade", { jobId });
    expect(bare).to.not.have.any.keys("approvals", "guardCall");
    expect(bare.sends).to.include({ function: "execute", approve: "250 USDL" });
    const whole = await host.use("prepare_guard_trade", { jobId, include: "call" });
    const { approvals, guardCall, sends } = whole;
    expect(guardCall.to).to.equal(sends.to);
    for (const approval of approvals) await (await wallet.sendTransaction(approval)).wait();
    const { hash } = await wallet.sendTransaction(guardCall);
    const { execution } = await host.use("get_execution_status", { jobId, transactionHash: hash });
    expect(execution).to.include({ transactionHash: hash });
    await service.jobWhen(jobId, ({ executions }) => executions[0].state === "confirmed");
  });

  for (const whose of ["with a key", "without a key"] as const)
    it(`MCP tools link a host ${whose} to documents that every verifier takes as they are, and nobody else reads them`, async () => {
      const isOpen = whose === "without a key";
      await using own = await connectHost(isOpen ? "v1" : "2026", service.url, isOpen ? null : service.key);
      const judged = await own.call(
        "prepare_verification",
        isOpen ? service.verifyBody() : service.jobBody(),
      );
      const { jobId, jobToken } = judged.structuredContent;
      const mine = isOpen ? { jobId, jobToken } : { jobId };
      const signer = world.accounts.attestation.address;
      const { chainId, guard: address } = world.deployment;
      const first = await own.document(judged);
      expect(verifyReport(first, { signer })).to.include({ verdict: "UNVERIFIABLE", isConsistent: true });
      const prepared = await own.call("prepare_guard_trade", mine);
      const document = await own.document(prepared);
      expect(Object.keys(document)).to.deep.equal(["jobId", "reportVersion", "report", "execution"]);
      expect(verifyReport(document, { signer, guard: { chainId, address } }).verdict).to.equal("VALID");
      const { world: console } = fakeConsole([], { "-": JSON.stringify(document) });
      const words = ["-", "--guard", `${chainId}:${address}`, "--signer", signer];
      expect(await typed(verify, words, console)).to.equal(0);
      expect(await own.documentAfter("get_verification", { ...mine, version: 2 })).to.deep.equal(document);

      const path = "/report?version=2";
      const http = isOpen
        ? await service.open({ jobId, jobToken }, path)
        : await service.call(`/v1/jobs/${jobId}${path}`);
      const { execution, hints, ...report } = http.body;
      const linked = { report: document.report, execution: document.execution };
      expect(withoutProof({ report, execution })).to.deep.equal(withoutProof(linked));

      const uri = linkIn(prepared.content);
      expect(uri).to.match(isOpen ? /^assay:\/\/tokens\/jt_/ : /^assay:\/\/jobs\//);
      const codeOf = (reader: typeof own, asked: string) =>
        reader.client.readResource({ uri: asked }).then(
          () => "it was read",
          ({ code }) => code,
        );
      const { key } = await service.server.service.keys.create(APPLICANT, "test");
      await using stranger = await connectHost("2025", service.url, key);
      const withOtherToken = uri
        .replace(/jt_[^/]*/, `jt_${"x".repeat(43)}`)
        .replace(/jobs\/job_[^/]*/, "jobs/job_other");
      for (const wrong of [`assay://jobs/${jobId}/reports/2`, withOtherToken])
        expect(await codeOf(stranger, wrong), wrong).to.equal(INVALID_PARAMS);
      expect(await codeOf(own, uri.replace(/2$/, "9"))).to.equal(INVALID_PARAMS);
    });

  it("MCP tools say in words what an answer means and which call is next", async () => {
    const body = service.jobBody();
    const { jobId, next } = await host.use("prepare_verification", body);
    expect(next).to.match(/Next: prepare_guard_trade/);
    for (const [name, words] of [
      ["purchase_verification", /No payment is required/],
      ["get_execution_status", /No transaction is recorded/],
      ["prepare_guard_trade", /signUrl.*sends\.approve.*guardCall.*server sends nothing/],
    ] as const)
      expect((await host.use(name, { jobId })).next).to.match(words);
  });

  it("MCP tools say of a trade that is denied why, what may be done about it, and that there is nothing to sign", async () => {
    const body = service.jobBody({ maxSlippageBps: 5_000 });
    const { jobId, decision, refusals, hints, next } = await host.use("prepare_verification", body);
    expect(decision).to.equal("DENY");
    expect(next).to.match(/Do not trade.*a new clientRequestId/);
    expect(refusals.map(({ check }: any) => check)).to.include("slippage");
    for (const { message } of refusals) expect(message).to.match(/.+ .+/);
    expect(hints.map(({ check }: any) => check)).to.deep.equal(refusals.map(({ check }: any) => check));
    for (const { text } of hints) expect(text).to.match(/.+ .+/);
    const prepared = await host.use("prepare_guard_trade", { jobId });
    expect(prepared).to.include({ decision: "DENY" }).and.to.not.have.any.keys("sends", "signUrl");
    expect(prepared.next).to.contain("There is nothing to sign");
  });

  it("MCP tools fail with the code of the HTTP API, the fields, and what to do next", async () => {
    const taken = service.jobBody();
    const { jobId } = await host.use("prepare_verification", taken);
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
      ["idempotency_conflict", "prepare_verification", { ...taken, amountInRaw: "1" }],
      ["not_found", "get_verification", { jobId: "job_nothing" }],
      ["not_found", "get_verification", { jobId, version: 9 }],
    ];
    for (const [code, tool, args] of cases) {
      const failure = await host.failure(tool, args);
      expect(failure, JSON.stringify(args)).to.include({ code });
      expect(failure.detail).to.be.a("string");
      expect(failure.next).to.be.a("string").and.not.contain("Read detail");
      expect(failure.requestId).to.be.a("string");
    }
    const twice = service.jobBody({ amountInRaw: 5, maxSlippageBps: "x" });
    const { errors } = await host.failure("prepare_verification", twice);
    expect(errors.map(({ path }: any) => path)).to.have.members(["amountInRaw", "maxSlippageBps"]);
  });

  it("MCP tools prepare a job's trade twice in five minutes, and say how long to wait for a third time", async () => {
    const { jobId } = await host.use("prepare_verification", service.jobBody());
    for (let times = 0; times < 2; times++) await host.use("prepare_guard_trade", { jobId });
    const failure = await host.failure("prepare_guard_trade", { jobId });
    expect(failure).to.include({ code: "rate_limited" });
    expect(failure.retryAfterSeconds).to.be.within(1, 300);
  });

  it("MCP tools record a transaction that is no guard call of the job, and say so", async () => {
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

  it("MCP tools know a next step for every code of the HTTP API that they can meet", () => {
    const ofOtherRoutes = ["input_required", "bad_symbol", "window_too_long", "window_too_old"];
    const ofHttp = ["method_not_allowed", "request_timeout"];
    for (const code of Object.keys(PROBLEMS))
      if (![...ofOtherRoutes, ...ofHttp].includes(code))
        expect(nextStepAfter(code), code).to.not.contain("Read detail");
  });

  it("MCP tools are all named in docs/mcp.md", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/mcp.md"), "utf8");
    for (const name of NAMES) expect(page).to.contain(`| \`${name}\` |`);
  });
});
