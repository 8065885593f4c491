/** The evidence of executed trades, which anybody may read by its hash; what it names is in definitions.test.ts. */
import { expect } from "chai";
import { clearOldJobs } from "../../../api/jobs/retention.ts";
import { createArtifacts } from "../../../api/published/artifacts.ts";
import { parseVkey } from "../../../attestor/log/note.ts";
import { registryHash } from "../../../attestor/registry.ts";
import { verifyDocument } from "../../../attestor/verify/verify.ts";
import { connectJsonRpc } from "../../../chain/jsonRpc.ts";
import { connectLog, connectService } from "../../../scripts/verify/artifacts.ts";
import { ownCaches } from "../../support/caches.ts";
import { changeRows, countOf, forEachEngine, rowOf } from "../../support/database.ts";
import { answerOf, startTestApp } from "../../support/http.ts";
import { validateAnswer } from "../../support/openapi.ts";
import { carryOut, startService, walletOf, withoutProof } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { verifiedWith } from "../../support/verified.ts";
import { testWorld } from "../../support/world.ts";

const UNKNOWN = `0x${"5e".repeat(32)}`;
const DAY = 86_400;

describe("public artifacts", () => {
  const world = testWorld();

  it("public artifacts are limited by address", async () => {
    const app = await startTestApp({ settings: { addressLimitPerMinute: 1 } });
    const statuses: number[] = [];
    for (const kind of ["evidence", "registry", "policies", "evidence", "registry", "policies", "evidence"])
      statuses.push((await fetch(`${app.url}/${kind}/${UNKNOWN}`)).status);
    await app.stop();
    expect(statuses).to.deep.equal([404, 404, 404, 404, 404, 404, 429]);
  });

  forEachEngine((engine) => {
    let url: string;
    let trade: Awaited<ReturnType<typeof executed>>;
    const service = ofSuite(async () => {
      url = await engine.createUrl();
      return startService(world, url);
    });
    before(async () => {
      trade = await executed({ submitted: true });
    });

    /** As somebody without a key. */
    const get = (path: string, init: RequestInit = {}, of = service) => fetch(new URL(path, of.url), init);
    const published = (path: string) => until(path, async () => (await get(path)).ok);

    async function executed({ submitted }: { submitted: boolean }) {
      await world.tick();
      const { job, prepared } = await service.newPrepared();
      const transactionHash = await carryOut(walletOf(world), prepared.execution);
      if (submitted) {
        await service.submit(job.jobId, transactionHash);
        await service.jobWhen(job.jobId, ({ executions }) => executions[0].state === "confirmed");
      }
      const hash: string = prepared.report.evidenceHash;
      // The answer before the block was final.
      const early = await get(`/evidence/${hash}`);
      await world.mine(2);
      // Beside it are hints for the caller alone.
      const { hints, ...report } = (await service.call(`/v1/jobs/${job.jobId}/report`)).body;
      await published(`/evidence/${hash}`);
      // Of the report that the job was created with.
      const firstHash: string = job.reports[0].evidenceHash;
      return { jobId: job.jobId as string, transactionHash, hash, firstHash, report, early };
    }

    async function logGrewBeyond(index: number): Promise<void> {
      const size = async () => Number((await (await get("/log/checkpoint")).text()).split("\n")[1]);
      await until(`an entry after ${index}`, size, (found) => found > index + 1);
    }

    it("public artifacts serve the evidence of an executed trade once its block is final, and not before", async () => {
      expect(trade.early.status).to.equal(404);
      const answer = await answerOf(await get(`/evidence/${trade.hash}`));
      expect(answer.status).to.equal(200);
      expect(withoutProof(answer.body)).to.deep.equal(withoutProof(trade.report));
      validateAnswer(service.openapi, "GET", `/evidence/${trade.hash}`, 200, answer.body, answer.headers);
      const { guard, chainId } = world.deployment;
      const trusting = { guard: { chainId, address: guard }, signer: world.accounts.attestation.address };
      expect(verifyDocument(answer.text, trusting).verdict).to.equal("VALID");
    });

    it("public artifacts are enough for assay verify --tx, strictly so for who has registry, samples and the log's key from elsewhere", async () => {
      const { guard, chainId, registry } = world.deployment;
      const rpc = connectJsonRpc(world.url);
      const { samplesRoot } = trade.report.evidence.liquidity;
      const files = {
        "registry.json": JSON.stringify(registry),
        "samples.json": await (await get(`/samples/${samplesRoot}`)).text(),
      };
      const logKey = (await (await get("/log/vkey")).text()).trim();
      const given = { files, service: connectService(service.url), log: connectLog(service.url).file };
      const named = [
        "--tx",
        trade.transactionHash,
        "--service",
        service.url,
        "--guard",
        `${chainId}:${guard}`,
      ];
      const verified = (flags: string[]) => verifiedWith([...named, ...flags], rpc, given);
      const own = ["--registry", "registry.json", "--samples", "samples.json", "--log-key", logKey];
      const strict = await verified([...own, "--strict"]);
      expect(strict.code, strict.codes.join(", ")).to.equal(0);
      expect(strict.conclusion).to.match(/^VALID, EXECUTED\. Buy at least /);
      expect(strict.codes).to.not.include("registry registry_of_service");
      for (const [skipped, code] of [
        // The log's entry commits to the registry that the service gives.
        ["--registry", 0],
        ["--samples", 2],
        ["--log-key", 2],
      ] as const) {
        const at = own.indexOf(skipped);
        const without = [...own.slice(0, at), ...own.slice(at + 2)];
        expect((await verified([...without, "--strict"])).code, skipped).to.equal(code);
        expect((await verified(without)).code, skipped).to.equal(0);
      }
    });

    it("public artifacts serve the evidence also where nobody told the service of the transaction", async () => {
      const silent = await executed({ submitted: false });
      expect(silent.early.status).to.equal(404);
      const answer = await answerOf(await get(`/evidence/${silent.hash}`));
      expect(withoutProof(answer.body)).to.deep.equal(withoutProof(silent.report));
    });

    it("public artifacts hold nothing of the job but report and execution", async () => {
      const { body, text } = await answerOf(await get(`/evidence/${trade.hash}`));
      const { body: job } = await service.call(`/v1/jobs/${trade.jobId}`);
      expect(Object.keys(body)).to.have.members(Object.keys(trade.report));
      const { clientRequestId, executions } = job;
      for (const secret of [clientRequestId, trade.firstHash, executions[0].executionId, service.keyId])
        expect(text).not.to.include(secret);
    });

    it("public artifacts give one answer for all that is not public: unknown, never executed, or no hash at all", async () => {
      await world.tick();
      const { prepared } = await service.newPrepared();
      const said = async (answer: Response) => {
        const headers = Object.fromEntries(answer.headers);
        for (const name of ["date", "x-request-id", "ratelimit", "content-length"]) delete headers[name];
        const { requestId, ...body } = JSON.parse(await answer.text());
        return { status: answer.status, headers, body };
      };
      const unknown = await said(await get(`/evidence/${UNKNOWN}`));
      expect(unknown).to.deep.include({ status: 404 });
      expect(unknown.body).to.include({ code: "not_found", detail: "there is nothing at this path" });
      expect(unknown.headers["cache-control"]).to.equal("no-store, private");
      const others = [prepared.report.evidenceHash, trade.firstHash, "job_1", trade.hash.toUpperCase()];
      for (const other of others)
        expect(await said(await get(`/evidence/${other}`)), other).to.deep.equal(unknown);
      await using off = await startService(world, url, { PUBLIC_EVIDENCE: "off" });
      expect(await said(await get(`/evidence/${trade.hash}`, {}, off))).to.deep.equal(unknown);
      const registry = `/registry/${registryHash(world.deployment.registry)}`;
      expect((await get(registry, {}, off)).status).to.equal(200);
      expect(await said(trade.early)).to.deep.equal(unknown);
    });

    it("public artifacts carry the first proof of the decision log that is there, and keep it as the log grows", async () => {
      const first = await answerOf(await get(`/evidence/${trade.hash}`));
      const trusting = { logKeys: [parseVkey((await (await get("/log/vkey")).text()).trim())] };
      const seen = verifyDocument(first.text, trusting);
      const failed = seen.steps.filter(({ outcome }) => outcome !== "ok");
      expect(seen.verdict, JSON.stringify(failed)).to.equal("VALID");
      await world.tick();
      await service.post("/v1/jobs", service.jobBody());
      await logGrewBeyond(seen.logged!.index);
      const { body: own } = await service.call(`/v1/jobs/${trade.jobId}/report`);
      await service.restart();
      const later = await answerOf(await get(`/evidence/${trade.hash}`));
      expect(later.text).to.equal(first.text);
      expect(own.log.proof).not.to.equal(later.body.log.proof);
      expect(verifyDocument(JSON.stringify(own), trusting).verdict).to.equal("VALID");
    });

    it("public artifacts are not called final while the decision log has no proof of them", async () => {
      const { db } = service.server.service;
      const own = { evidence_hash: trade.hash };
      const write = (body: string) => changeRows(db, "reports", { body }, own);
      const { body } = await rowOf(db, "reports", own);
      const { log, ...report } = JSON.parse(body);
      await write(JSON.stringify({ ...report, log: { ...log, proof: null } }));
      const artifacts = (proof: string | null) => {
        const log = { proofOf: async () => proof };
        return createArtifacts({ caches: ownCaches(), db, log, now: () => 0, publicEvidence: "executed" });
      };
      const early = artifacts(null);
      await using app = await startTestApp({ db, jobs: { log: { proofOf: async () => null } } as object });
      const answer = await fetch(`${app.url}/evidence/${trade.hash}`);
      expect(answer.headers.get("cache-control")).to.equal("public, max-age=2");
      expect(((await answer.json()) as any).log.proof).to.equal(null);
      expect((await early.evidence(trade.hash)).isFinal).to.equal(false);
      // Two processes that find a proof each give the same one from then on.
      const several = await Promise.all(["one", "two"].map((proof) => artifacts(proof).evidence(trade.hash)));
      expect(several.map(({ isFinal }) => isFinal)).to.deep.equal([true, true]);
      expect(several[0]!.finished.etag).to.equal(several[1]!.finished.etag);
      expect((await early.evidence(trade.hash)).finished.etag).to.equal(several[0]!.finished.etag);
      await write(body);
    });

    it("public artifacts are cacheable as immutable, and HEAD returns only their headers", async () => {
      const first = await get(`/evidence/${trade.hash}`);
      const etag = first.headers.get("etag") as string;
      expect(first.headers.get("cache-control")).to.equal("public, max-age=31536000, immutable");
      expect(first.headers.get("content-type")).to.equal("application/json; charset=utf-8");
      const again = await get(`/evidence/${trade.hash}`, { headers: { "if-none-match": etag } });
      expect([again.status, await again.text()]).to.deep.equal([304, ""]);
      const head = await get(`/evidence/${trade.hash}`, { method: "HEAD" });
      expect([head.status, head.headers.get("etag"), await head.text()]).to.deep.equal([200, etag, ""]);
      expect((await get(`/evidence/${UNKNOWN}`, { method: "HEAD" })).status).to.equal(404);
      await service.restart();
      expect((await get(`/evidence/${trade.hash}`)).headers.get("etag")).to.equal(etag);
    });

    it("public artifacts stay as long as the operator keeps executed trades, and go with them", async () => {
      const { db } = service.server.service;
      await db.deleteFrom("executions").execute();
      const years = Math.floor(world.clock.now() / 1000) + 3 * 365 * DAY;
      const kept = { oneShotDays: 7, jobDays: 90, failedPaymentDays: 30 };
      await clearOldJobs(db, { ...kept, soldDays: null }, years);
      // Those of the two trades; that nobody submitted one of them makes no difference.
      expect(await countOf(db, "jobs")).to.equal(2);
      await service.restart();
      expect((await get(`/evidence/${trade.hash}`)).status).to.equal(200);
      await clearOldJobs(service.server.service.db, { ...kept, soldDays: 365 }, years);
      await service.restart();
      expect((await get(`/evidence/${trade.hash}`)).status).to.equal(404);
    });
  });
});
