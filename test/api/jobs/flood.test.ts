/** Submissions that are no trades: however many there are, and whatever the node says of them, a trade is confirmed. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Database } from "../../../database/open.ts";
import { forEachEngine } from "../../support/database.ts";
import { type FlakyRpc, flakyRpc } from "../../support/flakyRpc.ts";
import { realClock } from "../../support/payments.ts";
import { carryOut, type Service, startService, walletOf } from "../../support/service.ts";
import { createWorld, type TestWorld } from "../../support/world.ts";

const BOGUS = 100_000;
const LIMIT_MS = 2_000;
const HASHES_A_STATEMENT = 2_500;

const randomHash = () => `0x${randomBytes(32).toString("hex")}`;

/** Submissions of a job as many jobs' would stand in the table: due now, of the last hour. */
async function submitBogus(db: Database, jobId: string, count: number, nowMs: number): Promise<void> {
  for (let done = 0; done < count; done += HASHES_A_STATEMENT)
    await db
      .insertInto("executions")
      .values(
        Array.from({ length: Math.min(HASHES_A_STATEMENT, count - done) }, (_, index) => ({
          id: `exec_bogus${done + index}`,
          job_id: jobId,
          transaction_hash: randomHash(),
          report_version: null,
          state: "submitted" as const,
          confirmed: null,
          reason: null,
          submitted_at: Math.floor(nowMs / 1000) - ((done + index) % 3_600),
          next_look_at: nowMs,
        })),
      )
      .execute();
}

describe(`${BOGUS} submitted hashes that no node knows`, function () {
  this.timeout(120_000);
  let world: TestWorld;
  let rpc: FlakyRpc;
  before(async () => {
    world = await createWorld({ clock: realClock() });
    await world.tick(0);
    rpc = await flakyRpc(world.url);
  });
  after(async () => {
    await rpc.close();
    await world.stop();
  });

  forEachEngine((engine) => {
    let service: Service;
    before(async () => {
      service = await startService(world, await engine.createUrl(), { RPC_URL: rpc.url });
      const { body } = await service.post("/v1/jobs", service.jobBody());
      await submitBogus(service.server.db, body.jobId, BOGUS, world.clock.now());
    });
    after(() => service.stop());
    afterEach(() => {
      rpc.decide = () => null;
    });

    async function prepared(): Promise<{ jobId: string; execution: any }> {
      await world.tick(0);
      const { jobId } = (await service.post("/v1/jobs", service.jobBody())).body;
      const { body } = await service.post(`/v1/jobs/${jobId}/prepare-execution`);
      expect(body.execution, JSON.stringify(body.report?.findings)).not.to.equal(null);
      return { jobId, execution: body.execution };
    }
    const submit = async (jobId: string, transactionHash: string) => {
      expect((await service.post(`/v1/jobs/${jobId}/submissions`, { transactionHash })).status).to.equal(201);
    };
    /** Milliseconds until the job's trade is confirmed. */
    async function confirmedAfter(jobId: string): Promise<number> {
      const from = performance.now();
      while (performance.now() - from < 5 * LIMIT_MS) {
        const { body } = await service.call(`/v1/jobs/${jobId}`);
        if (body.executions[0].state === "confirmed") return performance.now() - from;
        await sleep(20);
      }
      return Number.POSITIVE_INFINITY;
    }

    for (const [what, decide] of [
      ["a node that gives events", () => null],
      [
        "a node that gives none",
        (method: string) =>
          method === "eth_getLogs" ? { error: { code: -32_005, message: "limit exceeded" } } : null,
      ],
    ] as const) {
      it(`do not hold up a trade that is submitted after its block, at ${what}`, async () => {
        rpc.decide = decide;
        const { jobId, execution } = await prepared();
        const hash = await carryOut(walletOf(world), execution);
        await submit(jobId, hash);
        expect(await confirmedAfter(jobId)).to.be.lessThan(LIMIT_MS);
      });

      it(`do not hold up a trade that is submitted before its block, at ${what}`, async () => {
        rpc.decide = decide;
        const { jobId, execution } = await prepared();
        const owner = walletOf(world);
        const { approval, guardCall } = execution;
        await (await owner.sendTransaction({ to: approval.token, data: approval.data })).wait();
        const raw = await owner.signTransaction(
          await owner.populateTransaction({ to: guardCall.to, data: guardCall.data, gasLimit: 1_000_000 }),
        );
        const { hash } = (await import("ethers")).Transaction.from(raw);
        await submit(jobId, hash as string);
        await sleep(1_000);
        await owner.provider!.broadcastTransaction(raw);
        expect(await confirmedAfter(jobId)).to.be.lessThan(LIMIT_MS);
      });
    }
  });
});
