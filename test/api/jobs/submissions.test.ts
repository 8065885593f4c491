/** What comes of a transaction that is submitted for a job, on the real chain. */
import { expect } from "chai";
import { Contract } from "ethers";
import { forEachEngine } from "../../support/database.ts";
import { expectStatus } from "../../support/http.ts";
import { carryOut, sendMined, startService, walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

const isConfirmed = ({ state }: any) => state === "confirmed";

describe("a submission", () => {
  const world = testWorld();

  forEachEngine((engine) => {
    const service = ofSuite(async () => startService(world, await engine.createUrl()));
    beforeEach(async () => {
      await world.tick();
      await service.recordLiquidity();
    });

    it("a submission of the job's trade is confirmed with the figures of the guard's event, and counts blocks from then on", async () => {
      const { job, prepared } = await service.newPrepared();
      const { report, execution } = prepared;
      const owner = walletOf(world);
      const { outputToken } = execution.tradeIntent.message;
      const abi = ["function balanceOf(address) view returns (uint256)"];
      const token = new Contract(outputToken, abi, world.provider);
      const before: bigint = await token.getFunction("balanceOf")(owner.address);
      const hash = await carryOut(owner, execution);
      const recorded = expectStatus(await service.submit(job.jobId, hash), 201);
      expect(recorded.body).to.include({ transactionHash: hash, state: "submitted", confirmed: null });
      const seen = await service.followed(job.jobId, hash);
      const receipt = await world.provider.getTransactionReceipt(hash);
      expect(seen).to.include({ state: "confirmed", reportVersion: report.version });
      expect(seen.confirmed).to.include({
        blockNumber: receipt!.blockNumber,
        blockHash: receipt!.blockHash,
        gasUsed: receipt!.gasUsed.toString(),
        amountInRaw: "250000000",
        evidenceHash: report.evidenceHash,
      });
      const gained: bigint = (await token.getFunction("balanceOf")(owner.address)) - before;
      expect(seen.confirmed.amountOutRaw).to.equal(gained.toString());
      await world.mine(5);
      world.clock.advance(60_000);
      await service.followed(job.jobId, hash, ({ confirmed }) => confirmed.confirmations > 3);
    });

    it("a submission is the same when it comes twice, in any case of the hash", async () => {
      const job = await service.newJob();
      const hash = `0x${"ab".repeat(32)}`;
      const first = await service.submit(job.jobId, hash);
      const again = await service.submit(job.jobId, hash.toUpperCase().replace("0X", "0x"));
      expect([first.status, again.status]).to.deep.equal([201, 200]);
      expect(again.body.executionId).to.equal(first.body.executionId);
    });

    it("a submission is confirmed by a service that was restarted before it could look", async () => {
      const { job, prepared } = await service.newPrepared();
      const hash = await carryOut(walletOf(world), prepared.execution);
      await service.submit(job.jobId, hash);
      await service.restart();
      await service.jobWhen(job.jobId, ({ executions }) => isConfirmed(executions[0]));
    });

    /** A call of the guard that reverts, since the same one was carried out before: its nonce is used. */
    async function reverted() {
      const { job, prepared } = await service.newPrepared();
      await carryOut(walletOf(world), prepared.execution);
      return { jobId: job.jobId, hash: await carryOut(walletOf(world), prepared.execution) };
    }
    const submittedToAnother = async (hash: string) => ({ jobId: (await service.newJob()).jobId, hash });

    const ends: readonly [
      what: string,
      ending: { state: string; reportVersion?: number; reason: string },
      made: () => Promise<{ jobId: string; hash: string }>,
    ][] = [
      [
        "a plain transfer",
        { state: "mismatched", reason: "does not call the guard" },
        async () => {
          const wallet = walletOf(world, 3);
          return submittedToAnother(await sendMined(wallet, { to: wallet.address, data: "0x" }));
        },
      ],
      [
        "a guard call for a job of somebody else's",
        { state: "mismatched", reason: "another job" },
        async () => {
          const owner = walletOf(world, 1);
          const theirs = await service.newPrepared({ ownerAddress: owner.address });
          const hash = await carryOut(owner, theirs.prepared.execution);
          return { jobId: (await service.newPrepared()).job.jobId, hash };
        },
      ],
      [
        "a guard call of the job that reverted",
        { state: "reverted", reportVersion: 2, reason: "The guard call reverted; nothing was traded." },
        reverted,
      ],
      [
        "a guard call of another job that reverted",
        { state: "mismatched", reason: "another job" },
        async () => submittedToAnother((await reverted()).hash),
      ],
    ];
    for (const [what, { reason, ...ending }, made] of ends)
      it(`a submission of ${what} is ${ending.state}`, async () => {
        const { jobId, hash } = await made();
        const seen = await service.followed(jobId, hash);
        expect(seen).to.include({ ...ending, confirmed: null });
        expect(seen.reason).to.include(reason);
      });

    it("a submission without a hash is refused and not stored", async () => {
      const { jobId } = await service.newJob();
      const otherForms = ["ab".repeat(32), `0x${"g".repeat(64)}`, `0x${"a".repeat(63)}`, "9".repeat(9_999)];
      for (const transactionHash of [undefined, null, 1, "", "0x", ...otherForms]) {
        const answer = await service.post(`/v1/jobs/${jobId}/submissions`, { transactionHash });
        expect([answer.status, answer.body.code]).to.deep.equal([400, "invalid_request"]);
      }
      expect((await service.call(`/v1/jobs/${jobId}`)).body.executions).to.deep.equal([]);
    });
  });
});
