/** Changes of the guard that are missing in its admins' record are counted and reported; recorded ones are not. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { type ContractTransactionResponse, Wallet } from "ethers";
import { GUARD_ABI } from "../../../chain/guard/events.ts";
import { CHANGES } from "../../../chain/guard/trades.ts";
import { observeAgain } from "../../../chain/observeAgain.ts";
import { AccessManager__factory } from "../../../types/contracts/factories/@openzeppelin/contracts/access/manager/AccessManager__factory.ts";
import { forAlikeEngines } from "../../support/database.ts";
import { readExposition } from "../../support/exposition.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { loggerTo } from "../../support/http.ts";
import { guardAs, startService, walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { testWorld } from "../../support/world.ts";

const NAME = "assay_guard_unrecorded_changes";
const PAYEE = "0x2222222222222222222222222222222222222222";

describe("Changes of the guard outside of the deployment's record", () => {
  const world = testWorld();
  const node = ofSuite(() => flakyRpc(world.url));

  forAlikeEngines((engine) => {
    const file = () => join(world.dataDir, `recorded-${engine.name}.json`);
    const logged: string[] = [];
    let recorded: string[];
    const record = async (transactions: readonly string[] | undefined) =>
      writeFile(file(), JSON.stringify({ ...world.deployment, adminTransactions: transactions }));
    let unread: number | undefined;
    /** By event, as `/metrics` has them. */
    const counts = async () => {
      const { samples } = readExposition(await (await fetch(service.server.metricsUrl!)).text());
      unread = samples.find(({ name }) => name === "assay_guard_unread_blocks")?.value;
      const counted = samples.filter(({ name }) => name === NAME);
      return new Map(counted.map(({ labels, value }) => [labels.kind, value]));
    };
    const countsWhen = (holds: (found: Map<string | undefined, number>) => boolean) =>
      until("such counts", counts, holds);
    const sum = (found: Map<unknown, number>) => [...found.values()].reduce((all, one) => all + one, 0);

    const service = ofSuite(async () => {
      // All that made the world is in the record.
      const { guard } = world.deployment;
      const address = [guard, await guardAs(world).authority()];
      const logs = await world.provider.getLogs({ address, fromBlock: 0, toBlock: "latest" });
      recorded = [...new Set(logs.map(({ transactionHash }) => transactionHash))];
      await record(recorded);
      const env = { METRICS_PORT: "0", DEPLOYMENT_FILE: file(), RPC_URL: node.url };
      return startService(world, await engine.createUrl(), env, { logger: loggerTo(logged) });
    });

    it("are counted by kind once their block is final, and told with their transaction", async () => {
      const { deployer, pauser, users, attestation } = world.accounts;
      const admin = guardAs(world);
      const owner = new Wallet(deployer.privateKey, world.provider);
      const manager = AccessManager__factory.connect(await admin.authority(), owner);
      const sent: string[] = [];
      const send = async (call: Promise<ContractTransactionResponse>) => {
        const { hash } = await call;
        await world.provider.waitForTransaction(hash);
        sent.push(hash);
      };
      await world.mine(4);
      await countsWhen((found) => found.size === CHANGES.length && sum(found) === 0);

      await send(admin.rotateSigner(users[4]!.address, 0));
      await send(admin.allowRoute(PAYEE, "0x38ed1739"));
      await send(admin.allowRecipient(PAYEE));
      await send(admin.renewExecutor([]));
      await send(guardAs(world, pauser).pause());
      await send(admin.unpause());
      await send(manager.grantRole(2, users[6]!.address, 0));
      await send(manager.revokeRole(2, users[6]!.address));
      const kinds = ["SignerRotated", "RouteSet", "RecipientSet", "ExecutorRenewed", "Paused", "Unpaused"];
      kinds.push("RoleGranted", "RoleRevoked");
      expect(sum(await counts()), "not final yet").to.be.lessThan(kinds.length);
      await world.mine(4);
      const found = await countsWhen((seen) => sum(seen) >= kinds.length);
      expect(CHANGES.filter((kind) => found.get(kind) === 1)).to.deep.equal(kinds);
      const told = logged.filter((line) => line.includes("outside of the deployment's record"));
      expect(told.map((line) => JSON.parse(line).transaction)).to.deep.equal(sent);
      expect(told[0]).to.contain(`newSigner: ${users[4]!.address}`);

      // What is recorded meanwhile raises nothing any more, without a restart; a file half written changes nothing.
      await record([...recorded, ...sent.slice(1)]);
      await countsWhen((seen) => sum(seen) === 1 && seen.get("SignerRotated") === 1);
      await writeFile(file(), "{");
      await countsWhen((seen) => sum(seen) === kinds.length);
      await record([...recorded, ...sent]);
      await countsWhen((seen) => sum(seen) === 0);
      await record(undefined);
      await countsWhen((seen) => seen.size === 0);

      // A node that gives no events leaves them unread.
      await record([...recorded, ...sent]);
      await countsWhen(() => unread === 0);
      node.decide = (method) => (method === "eth_getLogs" ? "busy" : null);
      await world.mine(5);
      await countsWhen(() => unread! >= 5);
      node.decide = () => null;
      await countsWhen(() => unread === 0);

      // As it was, for the other engine, and in its record.
      await send(admin.rotateSigner(attestation.address, 0));
      recorded.push(...sent);
    });

    it("that are scheduled appear in /readyz, on /status, in evidence and in the bundle's second look, until they are cancelled", async () => {
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
      const made = await world.provider.getLogs({ address: await manager.getAddress(), fromBlock: 0 });
      recorded.push(...made.map(({ transactionHash }) => transactionHash));
    });
  });
});
