/** A flood of submissions that are no trades does not keep a trade from being confirmed, however the node answers. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { forEachEngine } from "../../support/database.ts";
import { flakyRpc, isTradeSearch } from "../../support/flakyRpc.ts";
import { testPaidWorld } from "../../support/payments.ts";
import { approve, carryOut, startService, walletOf } from "../../support/service.ts";
import { confirmedAfter, preparedTrade, submitBogus } from "../../support/submitted.ts";
import { ofSuite } from "../../support/suite.ts";

const BOGUS = 100_000;
const LIMIT_MS = 2_000;
describe(`${BOGUS} submitted hashes that no node knows`, () => {
  const world = testPaidWorld();
  const rpc = ofSuite(() => flakyRpc(world.url));
  before(() => world.tick(0));

  forEachEngine((engine) => {
    const service = ofSuite(async () => startService(world, await engine.createUrl(), { RPC_URL: rpc.url }));
    before(async () => {
      const { jobId } = await service.newJob();
      await submitBogus(service.server.service.db, jobId, BOGUS, world.clock.now());
    });
    afterEach(() => {
      rpc.decide = () => null;
    });

    const submit = async (jobId: string, transactionHash: string) => {
      expect((await service.submit(jobId, transactionHash)).status).to.equal(201);
    };
    const confirmed = (jobId: string) => confirmedAfter(service, jobId, 5 * LIMIT_MS);

    for (const [what, decide] of [
      ["a node that gives events", () => null],
      [
        "a node that gives none",
        (method: string, _transaction: unknown, params: unknown[]) =>
          isTradeSearch(method, params) ? { error: { code: -32_005, message: "limit exceeded" } } : null,
      ],
    ] as const) {
      it(`do not hold up a trade that is submitted after its block, at ${what}`, async () => {
        rpc.decide = decide;
        const { jobId, execution } = await preparedTrade(service);
        const hash = await carryOut(walletOf(world), execution);
        await submit(jobId, hash);
        expect(await confirmed(jobId)).to.be.lessThan(LIMIT_MS);
      });

      it(`do not hold up a trade that is submitted before its block, at ${what}`, async () => {
        rpc.decide = decide;
        const { jobId, execution } = await preparedTrade(service);
        const owner = walletOf(world);
        const { approval, guardCall } = execution;
        await approve(owner, approval);
        const raw = await owner.signTransaction(
          await owner.populateTransaction({ to: guardCall.to, data: guardCall.data, gasLimit: 1_000_000 }),
        );
        const { hash } = (await import("ethers")).Transaction.from(raw);
        await submit(jobId, hash as string);
        await sleep(1_000);
        await owner.provider!.broadcastTransaction(raw);
        expect(await confirmed(jobId)).to.be.lessThan(LIMIT_MS);
      });
    }
  });
});
