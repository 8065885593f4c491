/** prepare-execution and submissions: from a certificate to a confirmed trade, and everything that goes wrong. */
import { setTimeout as sleep } from "node:timers/promises";
import { recoverTypedSignature, SignTypedDataVersion } from "@metamask/eth-sig-util";
import { expect } from "chai";
import { Contract, getAddress, parseEther, type Wallet } from "ethers";
import { recoverTypedDataAddress } from "viem";
import { hashIntent } from "../../../attestor/certificate/certificate.ts";
import { POLICY_VERSIONS, policyById, policyOf } from "../../../attestor/policies/policy.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { forEachEngine } from "../../support/database.ts";
import { APPLICANT, expectProblem, expectStatus, json, retryAfter } from "../../support/http.ts";
import { approve, carryOut, startService, walletOf, withoutProof } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

/** Who signed typed data, as two libraries of other people find from exactly what was served. */
async function signersOf({ domain, types, primaryType, message }: any, signature: any): Promise<string[]> {
  const data = { domain, types, primaryType, message };
  const bySigUtil = recoverTypedSignature({ data, signature, version: SignTypedDataVersion.V4 });
  return [getAddress(bySigUtil), await recoverTypedDataAddress({ ...data, signature })];
}

describe("a prepared trade", () => {
  const world = testWorld();

  forEachEngine((engine) => {
    const service = ofSuite(async () => startService(world, await engine.createUrl()));
    beforeEach(async () => {
      await world.tick();
      await service.recordLiquidity();
    });

    const newJob = (changes?: Record<string, unknown>) => service.newJob(changes);
    const newPrepared = (changes?: Record<string, unknown>) => service.newPrepared(changes);
    const prepare = (jobId: string, body?: unknown) => service.prepare(jobId, body);
    const submit = (jobId: string, transactionHash: string) => service.submit(jobId, transactionHash);
    const executionOf = (job: any, hash: string) =>
      job.executions.find(({ transactionHash }: any) => transactionHash === hash);
    /** The execution once it is not only submitted, or has what is asked for. */
    const executionWhen = async (
      jobId: string,
      hash: string,
      holds = (seen: any): boolean => seen.state !== "submitted",
    ) => executionOf(await service.jobWhen(jobId, (job) => holds(executionOf(job, hash))), hash);
    const isConfirmed = ({ state }: any) => state === "confirmed";
    /** Sends a call with enough gas to be mined, submits it, and waits until it has ended so. */
    async function carriedOut(jobId: string, sender: Wallet, call: object, state: string): Promise<any> {
      const sent = await sender.sendTransaction({ ...call, gasLimit: 1_000_000 });
      await world.provider.waitForTransaction(sent.hash).catch(() => null);
      await submit(jobId, sent.hash);
      const execution = await executionWhen(jobId, sent.hash);
      expect(execution.state, execution.reason).to.equal(state);
      return execution;
    }

    describe("prepare-execution", () => {
      it("makes a new report version with a certificate that an independent implementation verifies", async () => {
        const job = await newJob();
        const { body } = expectStatus(await prepare(job.jobId), 200);
        expect(body.reportVersion).to.equal(2);
        expect(body.report).to.include({ version: 2, decision: "ALLOW" });
        const { certificate, tradeIntent, guardCall, approval } = body.execution;
        expect(tradeIntent.message.policyHash).to.equal(body.report.policyHash);
        expect(certificate.message).to.include({
          evidenceHash: body.report.evidenceHash,
          intentHash: hashIntent(tradeIntent.message),
          reportVersion: "2",
        });
        expect(certificate.signer).to.equal(world.accounts.attestation.address);
        expect(await signersOf(certificate, certificate.signature)).to.deep.equal([
          world.accounts.attestation.address,
          world.accounts.attestation.address,
        ]);
        const owner = walletOf(world);
        const { EIP712Domain: _, ...types } = tradeIntent.types;
        const own = await owner.signTypedData(tradeIntent.domain, types, tradeIntent.message);
        expect(await signersOf(tradeIntent, own)).to.deep.equal([owner.address, owner.address]);
        expect(guardCall).to.include({ to: world.deployment.guard, functionName: "execute", value: "0" });
        expect(approval).to.include({ spender: world.deployment.guard, amount: "250000000" });
        expect(verifyReport(body, { signer: world.accounts.attestation.address }).verdict).to.equal("VALID");
        const kinds = (await service.call(`/v1/jobs/${job.jobId}`)).body.reports.map(({ kind }: any) => kind);
        expect(kinds).to.deep.equal(["initial", "prepare"]);
      });

      it("offers it to relayers as data that lack the owner's signature alone", async () => {
        // As a program without a library does it: the wallet signs what it is handed, and the rest is text.
        const owner = walletOf(world);
        const { job, prepared: body } = await newPrepared();
        const { tradeIntent, approval, relayedCall } = body.execution;
        await approve(owner, approval);
        const params = [owner.address, JSON.stringify(tradeIntent)];
        const signature = (await world.provider.send("eth_signTypedData_v4", params)).slice(2);
        const { offset, length } = relayedCall.ownerSignature;
        expect(signature.length).to.equal(2 * length);
        expect(relayedCall.data.slice(2 + 2 * offset).startsWith("00".repeat(length))).to.equal(true);
        const data =
          relayedCall.data.slice(0, 2 + 2 * offset) +
          signature +
          relayedCall.data.slice(2 + 2 * (offset + length));
        await carriedOut(job.jobId, walletOf(world, 1), { to: relayedCall.to, data }, "confirmed");
      });

      it("knows a call that was reverted as a call of its job", async () => {
        const { job, prepared: body } = await newPrepared();
        const { to, data } = body.execution.guardCall;
        // Without the owner's signature the guard takes it from the owner alone.
        const execution = await carriedOut(job.jobId, walletOf(world, 1), { to, data }, "reverted");
        expect(execution.reason).to.equal("The guard call reverted; nothing was traded.");
        expect(execution.reportVersion).to.equal(2);
      });

      it("keeps the certificate with the report: read again it is still VALID, and before it was prepared it is not", async () => {
        const { job, prepared: body } = await newPrepared();
        const trust = { signer: world.accounts.attestation.address };
        const path = `/v1/jobs/${job.jobId}/report`;
        for (const query of ["?version=2", ""]) {
          const { execution, hints, ...report } = (await service.call(`${path}${query}`)).body;
          expect(hints).to.deep.equal([]);
          expect(execution).to.deep.equal(body.execution);
          expect(withoutProof(report)).to.deep.equal(withoutProof(body.report));
          expect(verifyReport({ ...report, execution }, trust).verdict).to.equal("VALID");
          expect(verifyReport({ ...report, execution }).verdict).to.equal("UNVERIFIABLE");
        }
        const first = (await service.call(`${path}?version=1`)).body;
        expect(first).to.not.have.property("execution");
        expect(verifyReport(first, trust)).to.include({ verdict: "UNVERIFIABLE", isConsistent: true });
        const { key } = await service.server.service.keys.create(APPLICANT, "test");
        expectStatus(await service.call(`${path}?version=2`, { key }), 404);
      });

      it("links to a page with a token that opens this one version until it ends, and follows its trade a little longer", async () => {
        const { job, prepared } = await newPrepared();
        const { chainId, guard } = world.deployment;
        const [page, named] = prepared.signUrl.split("#trade=");
        expect(page).to.equal(`${service.url}/sign`);
        const [token, ...rest] = named.split(":");
        expect(token).to.match(/^st_[A-Za-z0-9_-]{43}$/);
        expect(rest).to.deep.equal([job.jobId, "2", String(chainId), guard]);

        const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
        const path = `/v1/jobs/${job.jobId}`;
        const read = (url: string, key: string | null = null) => service.call(url, { key, headers });
        const submitted = (hash: string) =>
          service.call(`${path}/submissions`, { ...json({ transactionHash: hash }), key: null, headers });
        const { body } = expectStatus(await read(`${path}/report?version=2`), 200);
        expect(body.execution).to.deep.equal(prepared.execution);
        expect(verifyReport(body, { signer: world.accounts.attestation.address }).verdict).to.equal("VALID");
        for (const other of [
          `${path}/report`,
          `${path}/report?version=1`,
          `/v1/jobs/${(await newJob()).jobId}/report?version=2`,
        ])
          expectProblem(await read(other), 404, "not_found");
        for (const other of [path, "/v1/assets"]) expectProblem(await read(other), 403, "invalid_api_key");
        expectProblem(await read(`${path}/report?version=2`, token), 403, "invalid_api_key");
        const preparing = { method: "POST", key: null, headers };
        expectProblem(await service.call(`${path}/prepare-execution`, preparing), 403, "invalid_api_key");

        const hash = await carryOut(walletOf(world), prepared.execution);
        expectStatus(await submitted(hash), 201);
        await executionWhen(job.jobId, hash, isConfirmed);
        world.clock.advance(310_000);
        expectProblem(await read(`${path}/report?version=2`), 410, "job_expired");
        expect(expectStatus(await submitted(hash), 200).body.state).to.equal("confirmed");
        world.clock.advance(600_000);
        expectProblem(await submitted(hash), 403, "invalid_api_key");
      });

      it("judges a job by the version of its policy that it was created with", async () => {
        const present = policyById("STRICT_LIVE");
        const next = policyOf("A made-up next version.", {
          ...structuredClone(present.definition),
          version: 4,
          maxImpactBps: 49,
        });
        const before = await newJob();
        Object.assign(service.server.service, { policies: [...POLICY_VERSIONS, next] });
        try {
          const trust = { signer: world.accounts.attestation.address };
          const after = await newJob();
          for (const [job, policy] of [
            [before, present],
            [after, next],
          ] as const) {
            const { body } = await prepare(job.jobId);
            expect(body.report).to.include({ decision: "ALLOW", version: 2 });
            const { policyHash, findings } = body.report;
            expect([job.report.policyHash, policyHash]).to.deep.equal(Array(2).fill(policy.definitionHash));
            const impact = findings.find(({ check }: { check: string }) => check === "impact");
            expect(impact.limit).to.equal(String(policy.definition.maxImpactBps));
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

      it("certifies no time that the chain would reject, however wrong the service's clock is", async () => {
        for (const off of [-4, 50, -70, 70]) {
          world.clock.advance(off * 1_000);
          const { body } = await prepare((await newJob()).jobId, { deadlineSeconds: 10 });
          world.clock.advance(-off * 1_000);
          const { evidence } = body.report;
          const block = evidence.chain.blockTimestamp;
          expect(evidence.capturedAt - block).to.be.within(off - 3, off + 3);
          if (Math.abs(off) > 60) expect(body.execution).to.equal(null);
          if (body.execution === null) continue;
          const { certificate, tradeIntent } = body.execution;
          expect(Number(certificate.message.issuedAt)).to.equal(block);
          expect(Number(certificate.message.expiresAt)).to.equal(block + 120);
          expect(Number(tradeIntent.message.deadline)).to.be.at.least(block + 10);
        }
      });

      it("takes a deadline from 10 to 1800 seconds, 300 without one", async () => {
        const deadlineOf = ({ body }: any) =>
          Number(body.execution.tradeIntent.message.deadline) - body.report.evidence.capturedAt;
        expect(deadlineOf(await prepare((await newJob()).jobId))).to.equal(300);
        expect(deadlineOf(await prepare((await newJob()).jobId, { deadlineSeconds: 10 }))).to.equal(10);
        expect(deadlineOf(await prepare((await newJob()).jobId, { deadlineSeconds: 1800 }))).to.equal(1800);
        const job = await newJob();
        for (const deadlineSeconds of [9, 1801, 0, -1, 60.5, "60", null, 1e12]) {
          const answer = await prepare(job.jobId, { deadlineSeconds });
          expect(answer.status, String(deadlineSeconds)).to.equal(400);
          expect(answer.body.errors[0].path).to.equal("deadlineSeconds");
        }
        // A refused request costs no call of the limit.
        expect((await prepare(job.jobId)).status).to.equal(200);
      });

      it("answers the third call in five minutes with 429 and Retry-After, also after a restart", async () => {
        const job = await newJob();
        expect((await prepare(job.jobId)).status).to.equal(200);
        world.clock.advance(60_000);
        await world.tick();
        expect((await prepare(job.jobId)).status).to.equal(200);
        const third = expectProblem(await prepare(job.jobId), 429, "rate_limited");
        expect(retryAfter(third)).to.be.within(220, 240);
        await service.restart();
        expect((await prepare(job.jobId)).status).to.equal(429);
        expect((await service.call(`/v1/jobs/${job.jobId}`)).body.reports).to.have.length(3);
        world.clock.advance(240_000);
        await world.tick();
        expect((await prepare(job.jobId)).status).to.equal(200);
        expect((await prepare(job.jobId)).status).to.equal(429);
      });

      it("lets two of a hundred calls at once through, each with a version of its own", async () => {
        const job = await newJob();
        const answers = await Promise.all(Array.from({ length: 100 }, () => prepare(job.jobId)));
        const allowed = answers.filter(({ status }) => status === 200);
        for (const answer of answers)
          if (!allowed.includes(answer)) expectProblem(answer, 429, "rate_limited");
        expect(allowed.map(({ body }) => body.reportVersion).sort()).to.deep.equal([2, 3]);
        for (const { body } of allowed) expect(body.execution.certificate).to.be.an("object");
        expect((await service.call(`/v1/jobs/${job.jobId}`)).body.reports).to.have.length(3);
      });

      it("gives every prepared trade of an owner another nonce, next to the last one", async () => {
        // One whose nonces no trade of another test has used on the chain.
        const ownerAddress = walletOf(world, 6).address;
        const nonceOf = async () => {
          const { jobId } = await newJob({ ownerAddress });
          return BigInt((await prepare(jobId)).body.execution.tradeIntent.message.nonce);
        };
        const [first, second] = [await nonceOf(), await nonceOf()];
        expect(second - first).to.equal(1n);
      });

      it("answers a denied trade with 200 and no execution", async () => {
        const job = await newJob({ maxSlippageBps: 5_000 });
        const { body } = expectStatus(await prepare(job.jobId), 200);
        expect(body.report.decision).to.equal("DENY");
        expect(body.execution).to.equal(null);
      });

      it("holds the trade to the output that the intent demands, and denies one that pays less", async () => {
        const { report } = await newJob();
        const pays = BigInt(report.evidence.quote.amountOutRaw);
        const demanding = (least: bigint) => newJob({ limits: { minAmountOutRaw: String(least) } });
        const job = await demanding(pays - 1n);
        const { body } = await prepare(job.jobId);
        expect(job.intent.limits).to.deep.equal({ minAmountOutRaw: String(pays - 1n) });
        expect(body.execution.tradeIntent.message.minAmountOut).to.equal(String(pays - 1n));
        const output = body.report.findings.find(
          ({ check }: { check: string }) => check === "minimum-output",
        );
        expect(output).to.include({ outcome: "pass", observed: String(pays), limit: String(pays - 1n) });
        expect(verifyReport(body, { signer: world.accounts.attestation.address }).verdict).to.equal("VALID");
        const owner = walletOf(world);
        await approve(owner, body.execution.approval);
        const { to, data } = body.execution.guardCall;
        await carriedOut(job.jobId, owner, { to, data }, "confirmed");
        const denied = await demanding(2n * pays);
        expect(denied.report.decision).to.equal("DENY");
        const { hints } = (await service.call(`/v1/jobs/${denied.jobId}`)).body;
        const [hint] = hints.filter(({ check }: { check: string }) => check === "minimum-output");
        expect(hint.text).to.match(new RegExp(`^Wait until the quote pays at least ${2n * pays} raw units`));
      });

      it("takes nothing back by a later report that denies: what was certified executes until it expires", async () => {
        const job = await newJob();
        const { execution } = (await prepare(job.jobId)).body;
        const owner = walletOf(world);
        await approve(owner, execution.approval);
        await world.setHalted("AAPLx", true);
        expect((await prepare(job.jobId)).body.report.decision).to.equal("DENY");
        const { to, data } = execution.guardCall;
        await carriedOut(job.jobId, owner, { to, data }, "confirmed");
        await world.setHalted("AAPLx", false);
      });

      it("answers 410 job_expired 24 hours after the job was made", async () => {
        const job = await newJob();
        world.clock.advance(86_400_000);
        await world.tick();
        expectProblem(await prepare(job.jobId), 410, "job_expired");
        expect((await service.call(`/v1/jobs/${job.jobId}/report`)).status).to.equal(200);
      });
    });

    describe("a submission", () => {
      it("is confirmed with the figures of the guard's event, once the owner sent the trade", async () => {
        const { job, prepared } = await newPrepared();
        const { report, execution } = prepared;
        const owner = walletOf(world);
        const { outputToken } = execution.tradeIntent.message;
        const abi = ["function balanceOf(address) view returns (uint256)"];
        const token = new Contract(outputToken, abi, world.provider);
        const before: bigint = await token.getFunction("balanceOf")(owner.address);
        const hash = await carryOut(owner, execution);
        const recorded = expectStatus(await submit(job.jobId, hash), 201);
        expect(recorded.body).to.include({ transactionHash: hash, state: "submitted", confirmed: null });
        const seen = await executionWhen(job.jobId, hash, isConfirmed);
        const receipt = await world.provider.getTransactionReceipt(hash);
        expect(seen.reportVersion).to.equal(report.version);
        expect(seen.confirmed).to.include({
          blockNumber: receipt!.blockNumber,
          blockHash: receipt!.blockHash,
          gasUsed: receipt!.gasUsed.toString(),
          amountInRaw: "250000000",
          evidenceHash: report.evidenceHash,
        });
        const gained: bigint = (await token.getFunction("balanceOf")(owner.address)) - before;
        expect(seen.confirmed.amountOutRaw).to.equal(gained.toString());
      });

      it("is the same when it comes twice, in any case of the hash", async () => {
        const job = await newJob();
        const hash = `0x${"ab".repeat(32)}`;
        const first = await submit(job.jobId, hash);
        const again = await submit(job.jobId, hash.toUpperCase().replace("0X", "0x"));
        expect([first.status, again.status]).to.deep.equal([201, 200]);
        expect(again.body.executionId).to.equal(first.body.executionId);
      });

      it("is confirmed by a service that was restarted before it could look", async () => {
        const { job, prepared } = await newPrepared();
        const { execution } = prepared;
        const hash = await carryOut(walletOf(world), execution);
        await submit(job.jobId, hash);
        await service.restart();
        await executionWhen(job.jobId, hash, isConfirmed);
      });

      it("counts confirmations until the block is final", async () => {
        const { job, prepared } = await newPrepared();
        const { execution } = prepared;
        const hash = await carryOut(walletOf(world), execution);
        await submit(job.jobId, hash);
        await executionWhen(job.jobId, hash, isConfirmed);
        await world.mine(5);
        world.clock.advance(60_000);
        await executionWhen(job.jobId, hash, (seen) => seen.confirmed.confirmations > 3);
      });

      it("of a plain transfer is mismatched", async () => {
        const job = await newJob();
        const wallet = walletOf(world, 3);
        const sent = await wallet.sendTransaction({ to: wallet.address, value: parseEther("1") });
        await sent.wait();
        await submit(job.jobId, sent.hash);
        const seen = await executionWhen(job.jobId, sent.hash);
        expect(seen).to.include({ state: "mismatched", confirmed: null });
        expect(seen.reason).to.include("does not call the guard");
      });

      it("of a guard call for another job, even of somebody else, is mismatched", async () => {
        const theirs = await newJob({ ownerAddress: world.accounts.users[1]!.address });
        const { execution } = (await prepare(theirs.jobId)).body;
        const hash = await carryOut(walletOf(world, 1), execution);
        const mine = await newJob();
        await prepare(mine.jobId);
        await submit(mine.jobId, hash);
        const seen = await executionWhen(mine.jobId, hash);
        expect(seen).to.include({ state: "mismatched", confirmed: null });
        expect(seen.reason).to.match(/another job/);
      });

      it("of a reverted guard call is reverted, of another job's mismatched", async () => {
        const { job, prepared } = await newPrepared();
        const { execution, reportVersion } = prepared;
        const owner = walletOf(world);
        await carryOut(owner, execution);
        // The same call again: its nonce is used.
        const again = await carryOut(owner, execution);
        await submit(job.jobId, again);
        const seen = await executionWhen(job.jobId, again);
        expect(seen).to.include({ state: "reverted", confirmed: null, reportVersion });
        const other = await newJob();
        await submit(other.jobId, again);
        expect((await executionWhen(other.jobId, again)).state).to.equal("mismatched");
      });

      it("that no node knows is dropped after a quarter of an hour", async () => {
        const job = await newJob();
        const hash = `0x${"cd".repeat(32)}`;
        await submit(job.jobId, hash);
        await sleep(100);
        const early = (await service.call(`/v1/jobs/${job.jobId}`)).body;
        expect(executionOf(early, hash).state).to.equal("submitted");
        world.clock.advance(16 * 60_000);
        expect(await executionWhen(job.jobId, hash)).to.include({ state: "dropped", confirmed: null });
      });

      it("needs a hash, and stores nothing without one", async () => {
        const job = await newJob();
        const ofOtherForm = [
          "ab".repeat(32),
          `0x${"g".repeat(64)}`,
          `0x${"a".repeat(63)}`,
          "9".repeat(9_999),
        ];
        for (const transactionHash of [undefined, null, 1, "", "0x", ...ofOtherForm]) {
          const answer = await service.post(`/v1/jobs/${job.jobId}/submissions`, { transactionHash });
          expect(answer.body.code).to.equal("invalid_request");
        }
        expect((await service.call(`/v1/jobs/${job.jobId}`)).body.executions).to.deep.equal([]);
      });
    });
  });
});
