/** The tools as hosts see them, and what they refuse. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { PROBLEMS } from "../../../api/http/problems.ts";
import { listedTools } from "../../../api/mcp/listing.ts";
import { TOOLS } from "../../../api/mcp/tools.ts";
import { withItsProofs } from "../../../attestor/report.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { forAlikeEngines } from "../../support/database.ts";
import { APPLICANT } from "../../support/http.ts";
import { mandatedSafe, sendMandateCall } from "../../support/mandates.ts";
import { connectHost, GENERATIONS, mcpRequest, rpc } from "../../support/mcp.ts";
import { startService, walletOf, withoutProof } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
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

  forAlikeEngines((engine) => {
    const service = ofSuite(async () => {
      await world.tick();
      return startService(world, await engine.createUrl());
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
          for (const each of tool.outputSchema.anyOf ?? [tool.outputSchema])
            expect(each).to.include({ type: "object", additionalProperties: false });
        }
        const selling = tools.filter(({ outputSchema }) => outputSchema.anyOf !== undefined);
        expect(selling.map(({ name }) => name)).to.deep.equal([NAMES[3], NAMES[4], NAMES[5]]);
        const hints = (hint: string) =>
          tools.filter((tool) => tool.annotations[hint]).map(({ name }) => name);
        expect(hints("readOnlyHint")).to.deep.equal([NAMES[0], NAMES[1]]);
        // A payment that comes along is settled.
        expect(hints("destructiveHint")).to.deep.equal(selling.map(({ name }) => name));
        expect(hints("idempotentHint")).to.deep.equal(NAMES.filter((name) => name !== "prepare_guard_trade"));
      });

    it("answer what the HTTP routes answer", async () => {
      const { assets } = await host.use("list_supported_assets");
      expect(assets).to.deep.equal((await service.call("/v1/assets")).body.assets);
      const { body: policies } = await service.call("/v1/policies");
      expect(await host.use("get_verification_policy")).to.deep.equal(policies);
      const job = await host.use("prepare_verification", service.jobBody());
      const found = (await service.call(`/v1/jobs/${job.jobId}?proofs=omit`)).body;
      expect(withoutProof(found)).to.deep.equal(withoutProof(job));
      const read = await host.use("get_verification", { jobId: job.jobId });
      expect(withoutProof(read)).to.deep.equal(withoutProof(job));
      const { body: made } = await service.post("/v1/jobs?proofs=omit", service.jobBody());
      const same = await host.use("get_verification", { jobId: made.jobId });
      expect(withoutProof(same)).to.deep.equal(withoutProof(made));
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

    it("show a version with what was signed for it, so that a host can verify it later", async () => {
      const { jobId } = await host.use("prepare_verification", service.jobBody());
      const { execution } = await host.use("prepare_guard_trade", { jobId });
      const signed = await host.use("get_verification", { jobId, version: 2 });
      expect(signed.execution).to.deep.equal(execution);
      const signer = world.accounts.attestation.address;
      expect(verifyReport(signed, { signer }).verdict).to.equal("UNVERIFIABLE");
      // The model does without proofs; what verifies takes them from beside the answer.
      const { structuredContent, _meta } = await host.call("get_verification", { jobId, version: 2 });
      expect(structuredContent).to.deep.equal(signed);
      const whole = withItsProofs(structuredContent!, _meta);
      expect(verifyReport(whole, { signer }).verdict).to.equal("VALID");
      const { structuredContent: first, _meta: beside } = await host.call("get_verification", {
        jobId,
        version: 1,
      });
      expect(first).to.not.have.property("execution");
      const read = verifyReport(withItsProofs(first!, beside), { signer });
      expect(read).to.include({ verdict: "UNVERIFIABLE", isConsistent: true });
    });

    it("say in words what an answer means and which call is next", async () => {
      const words = async (name: string, args: Record<string, unknown>) =>
        (await host.call(name, args)).content[1].text;
      const body = service.jobBody();
      expect(await words("prepare_verification", body)).to.match(/ALLOW.*Next: prepare_guard_trade/);
      const denied = service.jobBody({ maxSlippageBps: 5_000 });
      expect(await words("prepare_verification", denied)).to.match(/DENY.*slippage.*Do not trade/);
      const { jobId } = await host.use("prepare_verification", body);
      expect(await words("purchase_verification", { jobId })).to.contain("No payment is required");
      expect(await words("get_execution_status", { jobId })).to.contain("No transaction is recorded");
      expect(await words("prepare_guard_trade", { jobId })).to.match(
        /approval\.data.*guardCall.*signs and sends nothing/,
      );
    });

    it("say what is left of a mandate, and that the agent sends its trade", async () => {
      const { body: owned, agent } = await mandatedSafe(world, { perDay: "260000000" });
      const words = async (name: string, args: Record<string, unknown>) =>
        (await host.call(name, args)).content[1].text;
      const body = service.jobBody(owned);
      expect(await words("prepare_verification", body)).to.match(
        new RegExp(
          `ALLOW.*${agent.address}, one trade can count 260000000 raw units.*2000000000 left in all`,
        ),
      );
      const { jobId } = await host.use("prepare_verification", body);
      const { execution } = await host.use("prepare_guard_trade", { jobId });
      expect(await words("prepare_guard_trade", { jobId })).to.match(
        /can count 260000000 .*agent sends mandateCall as it is .*no approval/,
      );
      await sendMandateCall(agent, execution);
      await world.mine();
      const more = service.jobBody(owned);
      expect(await words("prepare_verification", more)).to.match(
        /DENY.*can count 10000000 raw.*Do not trade/,
      );
      const none = service.jobBody({ ...owned, mandate: { ...owned.mandate, agent: owned.ownerAddress } });
      expect(await words("prepare_verification", none)).to.match(/DENY.*nothing is left/);
    });

    it("prepare nothing to sign after DENY", async () => {
      const body = service.jobBody({ maxSlippageBps: 5_000 });
      const { jobId, report } = await host.use("prepare_verification", body);
      expect(report.decision).to.equal("DENY");
      const { content, structuredContent } = await host.call("prepare_guard_trade", { jobId });
      expect(structuredContent.execution).to.equal(null);
      expect(content[1].text).to.contain("There is nothing to sign");
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

    it("find no job of another key, whatever is asked of it", async () => {
      const { jobId } = await host.use("prepare_verification", service.jobBody());
      const { key } = await service.server.keys.create(APPLICANT, "test");
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
      expect((await host.use("get_execution_status", { jobId })).executions).to.deep.equal([]);
    });

    it("record a transaction that is no guard call of the job, and say so", async () => {
      const { jobId } = await host.use("prepare_verification", service.jobBody());
      const wallet = walletOf(world);
      const { hash } = await wallet.sendTransaction({ to: wallet.address, value: 1n });
      const transactionHash = hash.toUpperCase().replace("X", "x");
      const { execution } = await host.use("get_execution_status", { jobId, transactionHash });
      expect(execution).to.include({ transactionHash: hash });
      await service.jobWhen(jobId, ({ executions }) => executions[0].state === "mismatched");
      const { content } = await host.call("get_execution_status", { jobId });
      expect(content[1].text).to.contain("not a guard call of this job");
    });
  });

  it("know a next step for every code of the HTTP API that they can meet", async () => {
    const { nextStepAfter } = await import("../../../api/mcp/failure.ts");
    const elsewhere = ["input_required", "bad_symbol", "method_not_allowed"];
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
