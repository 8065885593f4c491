/** prepare-execution: from a job to a certificate, what may be done with it, and how often one is given. */
import { recoverTypedSignature, SignTypedDataVersion } from "@metamask/eth-sig-util";
import { expect } from "chai";
import { getAddress } from "ethers";
import { recoverTypedDataAddress } from "viem";
import { hashIntent } from "../../../attestor/certificate/certificate.ts";
import { POLICY_VERSIONS, policyById, policyOf } from "../../../attestor/policies/policy.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { forEachEngine } from "../../support/database.ts";
import { expectProblem, expectStatus, json, retryAfter } from "../../support/http.ts";
import { approve, carryOut, sendMined, startService, walletOf, withoutProof } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

/** Who signed typed data, as two libraries of other people find from exactly what was served. */
async function signersOf({ domain, types, primaryType, message }: any, signature: any): Promise<string[]> {
  const data = { domain, types, primaryType, message };
  const bySigUtil = recoverTypedSignature({ data, signature, version: SignTypedDataVersion.V4 });
  return [getAddress(bySigUtil), await recoverTypedDataAddress({ ...data, signature })];
}

const findingOf = ({ findings }: any, wanted: string) =>
  findings.find(({ check }: { check: string }) => check === wanted);

describe("prepare-execution", () => {
  const world = testWorld();

  forEachEngine((engine) => {
    const service = ofSuite(async () => startService(world, await engine.createUrl()));
    beforeEach(async () => {
      await world.tick();
      await service.recordLiquidity();
    });

    const newJob = async (changes?: Record<string, unknown>) => (await service.newJob(changes)).jobId;
    const prepare = (jobId: string, body?: unknown) => service.prepare(jobId, body);
    /** Of a reader who trusts the service's key. */
    const verdictOf = (document: unknown) =>
      verifyReport(document, { signer: world.accounts.attestation.address }).verdict;
    async function expectConfirmed(jobId: string, transactionHash: string): Promise<void> {
      const { state, reason } = await service.followed(jobId, transactionHash);
      expect(state, reason).to.equal("confirmed");
    }

    it("prepare-execution makes a new version of the report with a certificate that other people's libraries verify", async () => {
      const jobId = await newJob();
      const { body } = expectStatus(await prepare(jobId), 200);
      expect(body.reportVersion).to.equal(2);
      expect(body.report).to.include({ version: 2, decision: "ALLOW" });
      const { certificate, tradeIntent, guardCall, approval } = body.execution;
      expect(tradeIntent.message.policyHash).to.equal(body.report.policyHash);
      expect(certificate.message).to.include({
        evidenceHash: body.report.evidenceHash,
        intentHash: hashIntent(tradeIntent.message),
        reportVersion: "2",
      });
      const { address } = world.accounts.attestation;
      expect(certificate.signer).to.equal(address);
      expect(await signersOf(certificate, certificate.signature)).to.deep.equal([address, address]);
      const owner = walletOf(world);
      const { EIP712Domain, ...types } = tradeIntent.types;
      const own = await owner.signTypedData(tradeIntent.domain, types, tradeIntent.message);
      expect(await signersOf(tradeIntent, own)).to.deep.equal([owner.address, owner.address]);
      expect(guardCall).to.include({ to: world.deployment.guard, functionName: "execute", value: "0" });
      expect(approval).to.include({ spender: world.deployment.guard, amount: "250000000" });
      expect(verdictOf(body)).to.equal("VALID");
      const kinds = (await service.call(`/v1/jobs/${jobId}`)).body.reports.map(({ kind }: any) => kind);
      expect(kinds).to.deep.equal(["initial", "prepare"]);
    });

    it("prepare-execution gives relayers a call that lacks the owner's signature alone", async () => {
      // As a program without a library does it: the wallet signs what it is handed, and the rest is text.
      const owner = walletOf(world);
      const { job, prepared } = await service.newPrepared();
      const { tradeIntent, approval, relayedCall } = prepared.execution;
      await approve(owner, approval);
      const params = [owner.address, JSON.stringify(tradeIntent)];
      const signature = (await world.provider.send("eth_signTypedData_v4", params)).slice(2);
      const { offset, length } = relayedCall.ownerSignature;
      expect(signature.length).to.equal(2 * length);
      const [before, gap, after] = [
        relayedCall.data.slice(0, 2 + 2 * offset),
        relayedCall.data.slice(2 + 2 * offset, 2 + 2 * (offset + length)),
        relayedCall.data.slice(2 + 2 * (offset + length)),
      ];
      expect(gap).to.equal("00".repeat(length));
      const data = `${before}${signature}${after}`;
      await expectConfirmed(job.jobId, await sendMined(walletOf(world, 1), { to: relayedCall.to, data }));
    });

    it("prepare-execution keeps the certificate with the report, which is VALID when it is read again, and was not before", async () => {
      const { job, prepared } = await service.newPrepared();
      const path = `/v1/jobs/${job.jobId}/report`;
      for (const query of ["?version=2", ""]) {
        const { execution, hints, ...report } = (await service.call(`${path}${query}`)).body;
        expect(hints).to.deep.equal([]);
        expect(execution).to.deep.equal(prepared.execution);
        expect(withoutProof(report)).to.deep.equal(withoutProof(prepared.report));
        expect(verdictOf({ ...report, execution })).to.equal("VALID");
        expect(verifyReport({ ...report, execution }).verdict).to.equal("UNVERIFIABLE");
      }
      const first = (await service.call(`${path}?version=1`)).body;
      expect(first).to.not.have.property("execution");
      const trust = { signer: world.accounts.attestation.address };
      expect(verifyReport(first, trust)).to.include({ verdict: "UNVERIFIABLE", isConsistent: true });
    });

    it("prepare-execution links to a page with a token that opens this version until it ends, and follows its trade a little longer", async () => {
      const { job, prepared } = await service.newPrepared();
      const { chainId, guard } = world.deployment;
      const [page, named] = prepared.signUrl.split("#trade=");
      expect(page).to.equal(`${service.url}/sign`);
      const [token, ...rest] = named.split(":");
      expect(token).to.match(/^st_[A-Za-z0-9_-]{43}$/);
      expect(rest).to.deep.equal([job.jobId, "2", String(chainId), guard]);

      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const path = `/v1/jobs/${job.jobId}`;
      const read = (url: string, key: string | null = null) => service.call(url, { key, headers });
      const submitted = (transactionHash: string) =>
        service.call(`${path}/submissions`, { ...json({ transactionHash }), key: null, headers });
      const { body } = expectStatus(await read(`${path}/report?version=2`), 200);
      expect(body.execution).to.deep.equal(prepared.execution);
      expect(verdictOf(body)).to.equal("VALID");
      const another = `/v1/jobs/${await newJob()}/report?version=2`;
      for (const other of [`${path}/report`, `${path}/report?version=1`, another])
        expectProblem(await read(other), 404, "not_found");
      for (const other of [path, "/v1/assets"]) expectProblem(await read(other), 403, "invalid_api_key");
      expectProblem(await read(`${path}/report?version=2`, token), 403, "invalid_api_key");
      const preparing = { method: "POST", key: null, headers };
      expectProblem(await service.call(`${path}/prepare-execution`, preparing), 403, "invalid_api_key");

      const hash = await carryOut(walletOf(world), prepared.execution);
      expectStatus(await submitted(hash), 201);
      await expectConfirmed(job.jobId, hash);
      world.clock.advance(310_000);
      expectProblem(await read(`${path}/report?version=2`), 410, "job_expired");
      expect(expectStatus(await submitted(hash), 200).body.state).to.equal("confirmed");
      world.clock.advance(600_000);
      expectProblem(await submitted(hash), 403, "invalid_api_key");
    });

    it("prepare-execution judges a job by the version of its policy that it was created with", async () => {
      const present = policyById("STRICT_LIVE");
      const next = policyOf("A made-up next version.", {
        ...structuredClone(present.definition),
        version: 4,
        maxImpactBps: 49,
      });
      const before = await service.newJob();
      Object.assign(service.server.service, { policies: [...POLICY_VERSIONS, next] });
      try {
        const trust = { signer: world.accounts.attestation.address };
        const after = await service.newJob();
        for (const [job, policy] of [
          [before, present],
          [after, next],
        ] as const) {
          const { body } = await prepare(job.jobId);
          expect(body.report).to.include({ decision: "ALLOW", version: 2 });
          const hashes = [job.report.policyHash, body.report.policyHash];
          expect(hashes).to.deep.equal([policy.definitionHash, policy.definitionHash]);
          expect(findingOf(body.report, "impact").limit).to.equal(String(policy.definition.maxImpactBps));
          expect(verifyReport(body, { ...trust, policies: [next] }).verdict).to.equal("VALID");
        }
        // A verifier of before does not know the next version.
        const { body: unknown } = await service.call(`/v1/jobs/${after.jobId}/report`);
        const { verdict, steps } = verifyReport(unknown, trust);
        const missing = steps.find(({ outcome }) => outcome === "unknown");
        expect([verdict, missing?.name]).to.deep.equal(["UNVERIFIABLE", "policy"]);
      } finally {
        Object.assign(service.server.service, { policies: POLICY_VERSIONS });
      }
    });

    for (const [off, isCertified] of [
      [-4, true],
      [50, true],
      [-70, false],
      [70, false],
    ] as const)
      it(`prepare-execution by a clock that is off by ${off} seconds ${isCertified ? "certifies the chain's time" : "certifies nothing"}`, async () => {
        world.clock.advance(off * 1_000);
        const { body } = await prepare(await newJob(), { deadlineSeconds: 10 });
        world.clock.advance(-off * 1_000);
        const { evidence } = body.report;
        const block = evidence.chain.blockTimestamp;
        expect(evidence.capturedAt - block).to.be.within(off - 3, off + 3);
        if (!isCertified) return expect(body.execution).to.equal(null);
        const { certificate, tradeIntent } = body.execution;
        expect(Number(certificate.message.issuedAt)).to.equal(block);
        expect(Number(certificate.message.expiresAt)).to.equal(block + 120);
        expect(Number(tradeIntent.message.deadline)).to.be.at.least(block + 10);
      });

    it("prepare-execution takes a deadline from 10 to 1800 seconds, and 300 without one", async () => {
      for (const [body, seconds] of [
        [undefined, 300],
        [{ deadlineSeconds: 10 }, 10],
        [{ deadlineSeconds: 1800 }, 1_800],
      ] as const) {
        const { report, execution } = (await prepare(await newJob(), body)).body;
        const { deadline } = execution.tradeIntent.message;
        expect(Number(deadline) - report.evidence.capturedAt).to.equal(seconds);
      }
      const jobId = await newJob();
      for (const deadlineSeconds of [9, 1801, 0, -1, 60.5, "60", null, 1e12]) {
        const answer = await prepare(jobId, { deadlineSeconds });
        expect(answer.status, String(deadlineSeconds)).to.equal(400);
        expect(answer.body.errors[0].path).to.equal("deadlineSeconds");
      }
      // A refused request costs no call of the limit.
      expect((await prepare(jobId)).status).to.equal(200);
    });

    it("prepare-execution refuses the third call in five minutes and says when to come again, also after a restart", async () => {
      const jobId = await newJob();
      const later = async (seconds: number) => {
        world.clock.advance(seconds * 1_000);
        await world.tick();
      };
      expect((await prepare(jobId)).status).to.equal(200);
      await later(60);
      expect((await prepare(jobId)).status).to.equal(200);
      const third = expectProblem(await prepare(jobId), 429, "rate_limited");
      expect(retryAfter(third)).to.be.within(220, 240);
      await service.restart();
      expect((await prepare(jobId)).status).to.equal(429);
      expect((await service.call(`/v1/jobs/${jobId}`)).body.reports).to.have.length(3);
      await later(240);
      expect((await prepare(jobId)).status).to.equal(200);
      expect((await prepare(jobId)).status).to.equal(429);
    });

    it("prepare-execution lets two of a hundred calls at once through, each with a version of its own", async () => {
      const jobId = await newJob();
      const answers = await Promise.all(Array.from({ length: 100 }, () => prepare(jobId)));
      const allowed = answers.filter(({ status }) => status === 200);
      for (const answer of answers) if (!allowed.includes(answer)) expectProblem(answer, 429, "rate_limited");
      expect(allowed.map(({ body }) => body.reportVersion).sort()).to.deep.equal([2, 3]);
      for (const { body } of allowed) expect(body.execution.certificate).to.be.an("object");
      expect((await service.call(`/v1/jobs/${jobId}`)).body.reports).to.have.length(3);
    });

    it("prepare-execution gives every trade of an owner the next nonce", async () => {
      // One whose nonces no trade of another test has used on the chain.
      const ownerAddress = walletOf(world, 6).address;
      const nonceOf = async () => {
        const { prepared } = await service.newPrepared({ ownerAddress });
        return BigInt(prepared.execution.tradeIntent.message.nonce);
      };
      const [first, second] = [await nonceOf(), await nonceOf()];
      expect(second - first).to.equal(1n);
    });

    it("prepare-execution holds the trade to the output that the intent demands, and denies one that pays less", async () => {
      const { report } = await service.newJob();
      const pays = BigInt(report.evidence.quote.amountOutRaw);
      const demanding = (least: bigint) =>
        service.newPrepared({ limits: { minAmountOutRaw: String(least) } });
      const { job, prepared } = await demanding(pays - 1n);
      expect(job.intent.limits).to.deep.equal({ minAmountOutRaw: String(pays - 1n) });
      expect(prepared.execution.tradeIntent.message.minAmountOut).to.equal(String(pays - 1n));
      const output = { outcome: "pass", observed: String(pays), limit: String(pays - 1n) };
      expect(findingOf(prepared.report, "minimum-output")).to.include(output);
      expect(verdictOf(prepared)).to.equal("VALID");
      await expectConfirmed(job.jobId, await carryOut(walletOf(world), prepared.execution));
      const denied = await demanding(2n * pays);
      expect([denied.job.report.decision, denied.prepared.execution]).to.deep.equal(["DENY", null]);
      const { hints } = (await service.call(`/v1/jobs/${denied.job.jobId}`)).body;
      const [hint] = hints.filter(({ check }: { check: string }) => check === "minimum-output");
      expect(hint.text).to.match(new RegExp(`^Wait until the quote pays at least ${2n * pays} raw units`));
    });

    it("prepare-execution takes nothing back where it denies later: what was certified executes until it expires", async () => {
      const { job, prepared } = await service.newPrepared();
      await world.setHalted("AAPLx", true);
      const { body } = expectStatus(await prepare(job.jobId), 200);
      expect([body.report.decision, body.execution]).to.deep.equal(["DENY", null]);
      await expectConfirmed(job.jobId, await carryOut(walletOf(world), prepared.execution));
      await world.setHalted("AAPLx", false);
    });

    it("prepare-execution answers 410 from 24 hours after the job was made, whose report stays", async () => {
      const jobId = await newJob();
      world.clock.advance(86_400_000);
      await world.tick();
      expectProblem(await prepare(jobId), 410, "job_expired");
      expect((await service.call(`/v1/jobs/${jobId}/report`)).status).to.equal(200);
    });
  });
});
