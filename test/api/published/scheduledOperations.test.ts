/** What is scheduled of the guard is shown until it is cancelled, and blocks whose events nobody read are counted. */
import { expect } from "chai";
import { Wallet } from "ethers";
import { GUARD_ABI } from "../../../chain/guard/events.ts";
import { observeAgain } from "../../../chain/observeAgain.ts";
import { AccessManager__factory } from "../../../types/contracts/factories/@openzeppelin/contracts/access/manager/AccessManager__factory.ts";
import { forAlikeEngines } from "../../support/database.ts";
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

  forAlikeEngines((engine) => {
    const service = ofSuite(async () =>
      startService(world, await engine.createUrl(), { METRICS_PORT: "0", RPC_URL: node.url }),
    );

    it("are unread where the node gives no events, and the blocks are counted", async () => {
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

    it("appear in /readyz, on /status, in evidence and in the bundle's second look, until they are cancelled", async () => {
      const { deployer } = world.accounts;
      const [owner, operator] = [new Wallet(deployer.privateKey, world.provider), walletOf(world, 5)];
      const manager = AccessManager__factory.connect(await guardAs(world).authority(), owner);
      const { guard } = world.deployment;
      const data = GUARD_ABI.encodeFunctionData("allowRecipient", [PAYEE]);
      const pending = async () => (await service.call("/readyz?verbose")).body.pendingChanges;
      const pendingOf = (count: number) =>
        until(`${count} pending changes`, pending, ({ length }) => length === count);
      await (await manager.grantRole(1, operator!.address, 3_600)).wait();
      await (await manager.connect(operator!).schedule(guard, data, 0)).wait();
      await world.mine(4);
      const [change, ...more] = await pendingOf(1);
      expect(more).to.deep.equal([]);
      expect(change.call).to.equal(`allowRecipient(recipient: ${PAYEE})`);
      expect(change.readyAt).to.equal(Number(await manager.getSchedule(change.operation)));
      const page = await (await fetch(`${service.url}/status`, { headers: { accept: "text/html" } })).text();
      expect(page).to.contain(change.call).and.to.contain(change.operation);
      await service.recordLiquidity();
      const { report } = await service.newJob();
      expect(report.evidence.guard.pending).to.deep.equal([change]);
      const rpc = (method: string, params: readonly unknown[]) => world.provider.send(method, [...params]);
      const steps = await observeAgain(report.evidence, [], { rpc });
      const asked = steps.filter(({ detail }) => detail.startsWith("scheduled change of the guard"));
      expect(asked.map(({ outcome }) => outcome)).to.deep.equal(["ok"]);

      await (await manager.cancel(operator!.address, guard, data)).wait();
      expect(await pendingOf(0)).to.deep.equal([]);
      await (await manager.revokeRole(1, operator!.address)).wait();
    });
  });
});
