/** What waits of the guard is shown from the block on that schedules it, and blocks whose events nobody read are counted. */
import { expect } from "chai";
import { id, Wallet } from "ethers";
import { GUARD_ABI } from "../../../chain/abis.ts";
import { readAgain } from "../../../chain/readAgain.ts";
import { AccessManager__factory } from "../../../types/contracts/factories/@openzeppelin/contracts/access/manager/AccessManager__factory.ts";
import { forEachEngine } from "../../support/database.ts";
import { readExposition } from "../../support/exposition.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { guardAs, startService, walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { testWorld } from "../../support/world.ts";

const PAYEE = "0x2222222222222222222222222222222222222222";

describe("Scheduled changes of the guard", () => {
  const world = testWorld();
  const node = ofSuite(() => flakyRpc(world.url));

  forEachEngine((engine) => {
    const service = ofSuite(async () =>
      startService(world, await engine.createUrl(), { METRICS_PORT: "0", RPC_URL: node.url }),
    );

    it("scheduled changes of the guard are looked for in every block: those whose events nobody could read are counted", async () => {
      const unread = async () => {
        const { samples } = readExposition(await (await fetch(service.server.metricsUrl!)).text());
        return samples.find(({ name }) => name === "assay_guard_unread_blocks")?.value;
      };
      await world.mine(4);
      await until("all blocks read", unread, (blocks) => blocks === 0);
      node.decide = (method) => (method === "eth_getLogs" ? "busy" : null);
      await world.mine(5);
      await until("unread blocks", unread, (blocks) => blocks !== undefined && blocks >= 5);
      node.decide = () => null;
      await until("all blocks read again", unread, (blocks) => blocks === 0);
    });

    it("scheduled changes of the guard are in evidence and on /readyz and /status from their block on, until they are cancelled", async () => {
      const { deployer } = world.accounts;
      const [owner, operator] = [new Wallet(deployer.privateKey, world.provider), walletOf(world, 5)];
      const manager = AccessManager__factory.connect(await guardAs(world).authority(), owner);
      const { guard } = world.deployment;
      const data = GUARD_ABI.encodeFunctionData("allowRecipient", [PAYEE]);
      const pending = async () => (await service.call("/readyz?verbose")).body.pendingChanges;
      await (await manager.grantRole(1, operator!.address, 3_600)).wait();
      await service.recordLiquidity();
      await (await manager.connect(operator!).schedule(guard, data, 0)).wait();
      const { report } = await service.newJob();
      const [change, ...more] = report.evidence.guard.pending;
      expect(more).to.deep.equal([]);
      expect(change.call).to.equal(`allowRecipient(recipient: ${PAYEE})`);
      expect(change.readyAt).to.equal(Number(await manager.getSchedule(change.operation)));
      expect(await pending()).to.deep.equal([change]);
      const page = await (await fetch(`${service.url}/status`, { headers: { accept: "text/html" } })).text();
      expect(page).to.contain(change.call).and.to.contain(change.operation);

      await (await manager.cancel(operator!.address, guard, data)).wait();
      expect((await service.newJob()).report.evidence.guard.pending).to.deep.equal([]);
      expect(await pending()).to.deep.equal([]);

      // A reader with a node of their own finds what the evidence leaves out or calls by another name, also afterwards.
      const rpc = (method: string, params: readonly unknown[]) => world.provider.send(method, [...params]);
      const { deployedAtBlock } = world.deployment;
      const doubted = async (given: readonly object[]) => {
        const evidence = { ...report.evidence, guard: { ...report.evidence.guard, pending: given } };
        const { faults } = await readAgain(evidence, [], { rpc, deployedAtBlock });
        return faults.map(({ params }) => params.fact);
      };
      const scheduled = "scheduled changes of the guard";
      expect(await doubted([change])).to.not.include(scheduled);
      for (const lie of [
        [],
        [{ ...change, call: "allowRecipient(recipient: somebody harmless)" }],
        [{ ...change, readyAt: change.readyAt + 86_400 }],
        [{ ...change, operation: id("another") }],
        [change, { ...change, operation: id("another") }],
      ])
        expect(await doubted(lie), JSON.stringify(lie)).to.include(scheduled);
      await (await manager.revokeRole(1, operator!.address)).wait();
    });
  });
});
