/** Feeds all that API, client, agent and MCP tools return for a trade to every verifier, unchanged. */
import { join } from "node:path";
import { expect } from "chai";
import { verifyDocument, verifyReport } from "../../attestor/verify/verify.ts";
import { sentenceOf } from "../../attestor/view/summary.ts";
import { type AskedTrade, createClient } from "../../client/client.ts";
import { judge } from "../../web/report/judging.ts";
import { connectHost } from "../support/mcp.ts";
import { packedFiles, unpackedFolder } from "../support/packages.ts";
import { assay } from "../support/programs.ts";
import { carryOut, testService, walletOf } from "../support/service.ts";
import { until } from "../support/until.ts";
import { testWorld } from "../support/world.ts";

describe("what is returned for a trade", function () {
  this.timeout(300_000);

  const world = testWorld();
  const service = testService(world);
  const returned: Record<"UNVERIFIABLE" | "VALID", Record<string, unknown>> = { UNVERIFIABLE: {}, VALID: {} };
  // What lacks a signature, or its proofs at the caller's wish.
  const { UNVERIFIABLE: lacking, VALID: signed } = returned;
  const wallet = {
    request: ({ method, params = [] }: { method: string; params?: readonly unknown[] }) =>
      world.provider.send(method, [...params]),
  };
  const trust = () => ({
    guard: { chainId: world.deployment.chainId, address: world.deployment.guard },
    signer: world.accounts.attestation.address,
  });
  const given = () => ({ baseUrl: service.url, apiKey: service.key, now: world.clock.now });

  before(async () => {
    await packedFiles();
    await world.tick();
  });

  it("comes from the HTTP API", async () => {
    const get = async (path: string) => (await service.call(path)).body;
    lacking["POST /v1/jobs"] = await service.newJob();
    lacking["POST /a2mcp/verify"] = (await service.verify(service.verifyBody())).body;
    const { jobId } = lacking["POST /v1/jobs"] as any;
    const path = `/v1/jobs/${jobId}`;
    lacking["GET /v1/jobs/:id"] = await get(path);
    const prepared: any = (await service.prepare(jobId, {})).body;
    signed["POST /v1/jobs/:id/prepare-execution"] = prepared;
    lacking["GET /v1/jobs/:id/report?version=1"] = await get(`${path}/report?version=1`);
    signed["GET /v1/jobs/:id/report"] = await get(`${path}/report`);
    await service.submit(jobId, await carryOut(walletOf(world), prepared.execution));
    lacking["GET /v1/jobs/:id, confirmed"] = await service.jobWhen(
      jobId,
      ({ executions }) => executions[0]?.state === "confirmed",
    );
    await world.mine(2);
    const evidence = `/evidence/${prepared.report.evidenceHash}`;
    const look = () => service.call(evidence, { key: null });
    const published = await until(evidence, look, ({ status }) => status === 200);
    signed["GET /evidence/:hash"] = published.body;
  });

  it("comes from the client", async () => {
    const client = createClient(given());
    const body = service.jobBody() as unknown as AskedTrade & { clientRequestId: string };
    const { clientRequestId: _, ...asked } = body;
    lacking["client.createJob"] = await client.createJob(body);
    const { jobId } = lacking["client.createJob"] as any;
    lacking["client.report, of version 1"] = await client.report(jobId, { version: 1 });
    lacking["client.verify"] = await client.verify(asked);
    signed["client.prepare"] = await client.prepare(jobId);
    signed["client.report"] = await client.report(jobId);
    lacking["client.job"] = await client.job(jobId);
    const on = ({ step, ...event }: any) => {
      if (step === "prepared") signed["client.trade, prepared"] = event.prepared;
    };
    signed["client.trade"] = await client.trade(asked, { wallet, ...trust(), on });
  });

  for (const [host, hasKey] of [
    ["a host with a key", true],
    ["a host without one", false],
  ] as const)
    it(`comes from MCP tools, to ${host}`, async () => {
      await using tools = await connectHost("2026", service.url, hasKey ? service.key : null);
      const of = (tool: string) => `${tool}, to ${host}`;
      const job = await tools.call("prepare_verification", hasKey ? service.jobBody() : service.verifyBody());
      const { jobId, jobToken } = job.structuredContent;
      const named = hasKey ? { jobId } : { jobId, jobToken };
      lacking[of("prepare_verification")] = await tools.document(job);
      lacking[of("get_verification")] = await tools.documentAfter("get_verification", named);
      signed[of("prepare_guard_trade")] = await tools.documentAfter("prepare_guard_trade", named);
      const prepared = { ...named, version: 2 };
      signed[of("get_verification, of version 2")] = await tools.documentAfter("get_verification", prepared);
    });

  const flags = (file: string) => {
    const { guard, signer } = trust();
    return ["verify", file, "--guard", `${guard.chainId}:${guard.address}`, "--signer", signer];
  };
  /** After all of them have expired. */
  const now = 4_000_000_000;
  /** Each begins with the verdict. */
  const verifiers: Record<string, (text: string) => Promise<string>> = {
    "the library": async (text) => sentenceOf(verifyReport(JSON.parse(text), trust()), { now }),
    "the library, of text": async (text) => sentenceOf(verifyDocument(text, trust()), { now }),
    "assay verify": async (text) => (await assay(flags("-"), text)).out,
    "assay verify --json": async (text) =>
      JSON.parse((await assay([...flags("-"), "--json"], text)).out).verdict,
    async "the browser"(input) {
      const { guard, signer } = trust();
      const reader = { guard: `${guard.chainId}:${guard.address}`, signer };
      const nothing = { known: [], servicePolicies: [], serviceRegistry: null, serviceSamples: null };
      const answer = judge({ input, reader, now, ...nothing });
      return answer.kind === "judged" ? answer.view.verdict : answer.kind;
    },
    // Its program takes what its library does: see test/packages.
    async "the packed assay-verify"(text) {
      const packed = await import(join(unpackedFolder("assay-verify"), "dist/index.js"));
      return packed.verifyDocument(text, trust()).verdict;
    },
  };

  for (const [verifier, verify] of Object.entries(verifiers))
    it(`is what ${verifier} takes as it is: VALID once it is signed, INVALID when changed`, async () => {
      expect(Object.keys({ ...lacking, ...signed })).to.have.length(24);
      for (const [verdict, documents] of Object.entries(returned))
        for (const [name, document] of Object.entries(documents)) {
          const text = JSON.stringify(document);
          expect(await verify(text), name).to.match(new RegExp(`^${verdict}(\\W|$)`));
          const changed = text.replaceAll('"maxSlippageBps":50', '"maxSlippageBps":51');
          expect(await verify(changed), `${name}, changed`).to.match(/^INVALID(\W|$)/);
        }
    });
});
