/** guard pause: as fast as it can, despite faults of the RPC. On the real chain. */

import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { toQuantity, Wallet } from "ethers";
import { readRoles } from "../../../chain/guard/roles.ts";
import { openRecords } from "../../../scripts/admin/records.ts";
import { EXIT } from "../../../scripts/errors.ts";
import { unpause } from "../../../scripts/guard/changes.ts";
import { pause } from "../../../scripts/guard/pause.ts";

import { URGENT } from "../../../scripts/sending/paces.ts";
import { adminsOf, type FakeAdmin, keys, unknownTransaction } from "../../support/admin.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { expectQuoted } from "../../support/quoted.ts";
import { ofSuite } from "../../support/suite.ts";
import { runGiven } from "../../support/typed.ts";
import { testWorld } from "../../support/world.ts";

const NOW = { reason: "key leak suspected", execute: true };

/** A clock on which minutes pass in seconds. */
function fastClock(times = 20): () => number {
  const start = Date.now();
  return () => start + (Date.now() - start) * times;
}

describe("guard pause", () => {
  const chain = testWorld();
  const rpc = ofSuite(() => flakyRpc(chain.url));
  const adminAt = adminsOf(chain, () => ({ url: rpc.url, now: fastClock() }));
  afterEach(async () => {
    rpc.decide = () => null;
    rpc.asked.length = 0;
    rpc.sent.length = 0;
    const admin = await adminAt({ url: chain.url });
    await runGiven(unpause, { execute: true }, admin.world);
  });

  const isPaused = async () => (await readRoles(chain.provider, chain.deployment.guard)).paused;
  const history = (admin: FakeAdmin) => admin.records.readHistory();
  const pending = (admin: FakeAdmin) => admin.records.at(URGENT).readPending();

  it("stops trading in one command with the pauser's key, says how long it took, and keeps the reason", async () => {
    const { pauser } = chain.accounts;
    const admin = await adminAt({ accounts: keys(pauser.privateKey) });
    expect(await runGiven(pause, NOW, admin.world)).to.equal(EXIT.ok);
    expect(await isPaused()).to.equal(true);
    const text = admin.take();
    expect(text).to.match(/PAUSED: no trade executes\. It took \d+\.\d s; .*31337\.history\.jsonl has it\./);
    expect(text).to.contain(`${pauser.address}, a pauser`).and.to.contain("key leak suspected");
    expect(admin.questions).to.deep.equal([]);
    const [entry, ...more] = await history(admin);
    expect(more).to.deep.equal([]);
    expect(entry).to.deep.include({
      command: "guard pause",
      reason: "key leak suspected",
      actor: "alice",
      from: pauser.address,
      outcome: "confirmed",
      events: [{ name: "Paused", args: { by: pauser.address } }],
      readBack: [{ what: "paused", value: "true", asSent: true }],
    });
    expect(await pending(admin)).to.equal(null);
    // No simulation and no look at events stands between the admin and the pause.
    expect(rpc.asked).to.not.include.members(["eth_estimateGas"]).and.to.not.include("eth_getLogs");
  });

  it("needs a reason, before it asks the chain anything", async () => {
    const admin = await adminAt();
    for (const reason of [undefined, "", "  "]) {
      expect(await runGiven(pause, { ...NOW, reason }, admin.world)).to.equal(EXIT.unusable);
      expect(admin.take()).to.contain("--reason");
    }
    expect(rpc.asked).to.deep.equal([]);
    expect(await isPaused()).to.equal(false);
  });

  it("says that it stands already, with exit 0, and sends nothing", async () => {
    const admin = await adminAt();
    await runGiven(pause, NOW, admin.world);
    rpc.sent.length = 0;
    admin.take();
    expect(await runGiven(pause, NOW, admin.world)).to.equal(EXIT.ok);
    expect(admin.take()).to.contain("PAUSED already");
    expect(rpc.sent).to.deep.equal([]);
    expect(await history(admin)).to.have.length(1);
  });

  it("shows everything and sends nothing without --execute, and writes a Safe file", async () => {
    const admin = await adminAt();
    expect(await runGiven(pause, { reason: "drill" }, admin.world)).to.equal(EXIT.ok);
    const text = admin.take();
    expect(text).to.contain("trading: on -> paused").and.to.contain("Paused(by: ");
    expectQuoted("docs/run/guard.md", 'npm run assay -- guard pause --reason "drill"', text);
    expect(await runGiven(pause, { reason: "drill", safe: admin.path("safe.json") }, admin.world)).to.equal(
      EXIT.ok,
    );
    expect(
      JSON.parse(await readFile(admin.path("safe.json"), "utf8")).transactions[0].contractMethod.name,
    ).to.equal("pause");
    expect(rpc.sent).to.deep.equal([]);
    expect(await isPaused()).to.equal(false);
  });

  it("takes the admin's key where the pauser's is missing or cannot pay, and refuses a stranger's", async () => {
    const { deployer, users } = chain.accounts;
    const admin = await adminAt({ accounts: keys(deployer.privateKey) });
    expect(await runGiven(pause, NOW, admin.world)).to.equal(EXIT.ok);
    expect((await history(admin))[0]!.from).to.equal(deployer.address);
    await runGiven(unpause, { execute: true }, admin.world);
    const stranger = await adminAt({ accounts: keys(users[0]!.privateKey) });
    expect(await runGiven(pause, NOW, stranger.world)).to.equal(EXIT.failed);
    expect(stranger.take()).to.contain("pause is for a pauser (");
    // The pauser's purse looks empty.
    const { pauser } = chain.accounts;
    const both = await adminAt({ accounts: keys(pauser.privateKey, deployer.privateKey) });
    rpc.decide = (method) =>
      method === "eth_getBalance" && rpc.asked.filter((m) => m === method).length === 1
        ? { result: "0x0" }
        : null;
    rpc.asked.length = 0;
    expect(await runGiven(pause, NOW, both.world)).to.equal(EXIT.ok);
    expect((await history(both))[0]!.from).to.equal(deployer.address);
  });

  it("comes through an RPC that drops, delays and refuses most of what it is asked", async () => {
    let count = 0;
    rpc.decide = async () => {
      count++;
      if (count % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 60));
      if (count % 2 === 1) return count % 3 === 0 ? "busy" : "drop";
      return null;
    };
    const admin = await adminAt();
    expect(await runGiven(pause, NOW, admin.world), admin.text()).to.equal(EXIT.ok);
    expect(await isPaused()).to.equal(true);
    expect(admin.take()).to.contain("The RPC is slow or unreachable; still trying (");
    expect((await history(admin)).map(({ outcome }) => outcome)).to.deep.equal(["confirmed"]);
  });

  it("guard pause does not send twice when the answer to the sending got lost", async () => {
    let lost = 0;
    rpc.decide = async (method, transaction) => {
      if (method !== "eth_sendRawTransaction" || lost > 0) return null;
      lost++;
      await chain.provider.send("eth_sendRawTransaction", [transaction!.serialized]);
      return "drop";
    };
    const admin = await adminAt();
    const before = await chain.provider.getTransactionCount(chain.accounts.pauser.address);
    expect(await runGiven(pause, NOW, admin.world), admin.text()).to.equal(EXIT.ok);
    expect(await chain.provider.getTransactionCount(chain.accounts.pauser.address)).to.equal(before + 1);
    expect(await history(admin)).to.have.length(1);
  });

  it("sends again what the node forgot", async () => {
    let forgotten = 0;
    rpc.decide = (method, transaction) =>
      method === "eth_sendRawTransaction" && forgotten++ < 2 ? { result: transaction!.hash } : null;
    const admin = await adminAt();
    expect(await runGiven(pause, NOW, admin.world), admin.text()).to.equal(EXIT.ok);
    expect(admin.take()).to.contain("the node does not know it; sending it again");
    expect(new Set(rpc.sent.slice(0, 2).map(({ hash }) => hash))).to.have.length(1);
    expect(await isPaused()).to.equal(true);
  });

  it("offers more for the same nonce until a block takes it", async () => {
    let least = 0n;
    rpc.decide = (method, transaction) => {
      if (method !== "eth_sendRawTransaction") return null;
      least ||= transaction!.maxFeePerGas! * 2n;
      return transaction!.maxFeePerGas! < least ? { result: transaction!.hash } : null;
    };
    const admin = await adminAt();
    expect(await runGiven(pause, NOW, admin.world), admin.text()).to.equal(EXIT.ok);
    const offers = [...new Map(rpc.sent.map((each) => [each.hash, each])).values()];
    expect(offers.length).to.be.greaterThan(2);
    expect(new Set(offers.map(({ nonce }) => nonce))).to.have.length(1);
    for (const [index, each] of offers.slice(1).entries())
      expect(each.maxFeePerGas! * 100n >= offers[index]!.maxFeePerGas! * 110n).to.equal(true);
    const [entry] = await history(admin);
    expect(entry!.transaction).to.equal(offers.at(-1)!.hash);
    expect(admin.take()).to.contain("no block yet, offered more");
  });

  it("pushes a stuck transaction of the same account aside", async () => {
    let refusals = 0;
    const nonce = await chain.provider.getTransactionCount(chain.accounts.pauser.address);
    rpc.decide = (method, _transaction, params) => {
      if (method === "eth_getTransactionCount" && params[1] === "pending")
        return { result: toQuantity(nonce + 1) };
      return method === "eth_sendRawTransaction" && refusals++ < 3
        ? { error: { code: -32000, message: "replacement transaction underpriced" } }
        : null;
    };
    const admin = await adminAt();
    expect(await runGiven(pause, NOW, admin.world), admin.text()).to.equal(EXIT.ok);
    expect(rpc.sent).to.have.length(4);
    // The nonce of the stuck one, not the next after it.
    expect(rpc.sent[0]!.nonce).to.equal(nonce);
    expect(rpc.sent[3]!.maxFeePerGas! > rpc.sent[0]!.maxFeePerGas! * 3n).to.equal(true);
  });

  it("guard pause is not held up by another command's pending transaction of any sender", async () => {
    const admin = await adminAt();
    await admin.records.createPending(await unknownTransaction(chain, "unpause"));
    expect(await runGiven(pause, NOW, admin.world), admin.text()).to.equal(EXIT.ok);
    expect(await isPaused()).to.equal(true);
    expect((await admin.records.readPending())?.actor).to.equal("bob");
    await admin.records.clearPending();
  });

  it("guard pause is not stopped by a market file or an earlier pause's file that cannot be read", async () => {
    const admin = await adminAt();
    const files = admin.records;
    await mkdir(admin.world.deploymentsDir, { recursive: true });
    await writeFile(files.path("market.json"), '{"registry":');
    for (const broken of ["", "{}", "null"]) {
      await writeFile(files.path("urgent.pending.json"), broken);
      expect(await runGiven(pause, NOW, admin.world), admin.text()).to.equal(EXIT.ok);
      expect(await isPaused()).to.equal(true);
      expect(admin.take()).to.match(/WARNING .*urgent\.pending\.json .*It is now in .*\.broken/s);
      await rm(files.path("market.json"), { force: true });
      await runGiven(unpause, { execute: true }, admin.world);
    }
    const kept = (await readdir(admin.world.deploymentsDir)).filter((name) => name.endsWith(".broken"));
    expect(kept).to.have.length(3);
  });

  it("pauses also where nothing can be written, and says that no file has it", async () => {
    const admin = await adminAt();
    // A file where the folder should be: nobody can write there, the superuser neither.
    const notAFolder = admin.path("occupied");
    await writeFile(notAFolder, "");
    const world = { ...admin.world, deploymentsDir: admin.path("deployments") };
    await mkdir(world.deploymentsDir, { recursive: true });
    await symlink(`${notAFolder}/x`, openRecords(world.deploymentsDir, 31337).path("history.jsonl"));
    expect(await runGiven(pause, NOW, world), admin.text()).to.equal(EXIT.ok);
    expect(await isPaused()).to.equal(true);
    expect(admin.take())
      .to.match(/WARNING .*history\.jsonl cannot be .*Continuing without a record/)
      .and.to.contain("no file has it");
  });

  it("guard pause does not trust an RPC that is behind about a pause that stands", async () => {
    const { guard, deployedAtBlock } = chain.deployment;
    await runGiven(pause, NOW, (await adminAt({ url: chain.url })).world);
    rpc.decide = (method) => (method === "eth_chainId" ? { result: "0x38" } : null);
    for (const [secondsLater, code] of [
      [0, EXIT.ok],
      [3_600, EXIT.failed],
    ] as const) {
      const { timestamp } = (await chain.provider.getBlock("latest"))!;
      const now = () => (timestamp + secondsLater) * 1000;
      const admin = await adminAt({ chainId: 56, networkName: "bsc", now });
      await mkdir(admin.world.deploymentsDir, { recursive: true });
      const record = JSON.stringify({ chainId: 56, guard, deployedAtBlock });
      await writeFile(openRecords(admin.world.deploymentsDir, 56).path("json"), record);
      expect(await runGiven(pause, NOW, admin.world), admin.text()).to.equal(code);
      expect(admin.take().includes("is 3600 seconds old")).to.equal(code === EXIT.failed);
      expect(await runGiven(unpause, {}, admin.world), admin.text()).to.equal(EXIT.ok);
      expect(admin.take().includes("is 3600 seconds old")).to.equal(code === EXIT.failed);
    }
  });

  it("goes on where a run was cut off between sending and receipt", async () => {
    const cut = new Error("Ctrl-C");
    const { pauser } = chain.accounts;
    rpc.decide = (method, transaction) =>
      method === "eth_sendRawTransaction" ? { result: transaction!.hash } : null;
    let looks = 0;
    const sleep = () => (++looks > 3 ? Promise.reject(cut) : Promise.resolve());
    const interrupted = await adminAt({ sleep });
    expect(await runGiven(pause, NOW, interrupted.world)).to.equal(EXIT.failed);
    const left = (await pending(interrupted))!;
    expect(left).to.deep.include({ command: "guard pause", from: pauser.address });
    rpc.decide = () => null;
    const again = { ...interrupted.world, sleep: () => new Promise<void>((go) => setTimeout(go, 5)) };
    interrupted.take();
    expect(await runGiven(pause, NOW, again), interrupted.text()).to.equal(EXIT.ok);
    expect(interrupted.take())
      .to.contain('An earlier "guard pause" was not seen to finish')
      .and.to.contain(`continuing with the transaction of an earlier run, nonce ${left.nonce}`);
    const [entry, ...more] = await history(interrupted);
    expect(more).to.deep.equal([]);
    expect(entry!.nonce).to.equal(left.nonce);
  });

  it("goes through an external signer, and asks it again in the next run when its answer got lost", async () => {
    const admin = await adminAt({ accounts: { kind: "remote" }, now: fastClock(100) });
    rpc.decide = (method) => (method === "eth_sendTransaction" ? "drop" : null);
    expect(await runGiven(pause, NOW, admin.world)).to.be.oneOf([EXIT.failed, EXIT.pending]);
    expect(admin.take()).to.not.match(/ECONN|node_modules|127\.0\.0\.1/);
    expect(await pending(admin)).to.not.equal(null);
    rpc.decide = () => null;
    expect(await runGiven(pause, NOW, admin.world), admin.text()).to.equal(EXIT.ok);
    expect(await isPaused()).to.equal(true);
    expect((await history(admin)).map(({ outcome }) => outcome)).to.deep.equal(["confirmed"]);
  });

  it("gives up after its time with exit 3, and says what is known", async () => {
    rpc.decide = (method, transaction) =>
      method === "eth_sendRawTransaction" ? { result: transaction!.hash } : null;
    const stuck = await adminAt({ now: fastClock(400) });
    expect(await runGiven(pause, NOW, stuck.world)).to.equal(EXIT.pending);
    expect(stuck.take()).to.match(/No block has the transaction 0x[0-9a-f]{64} yet\. It is recorded/);
    // 25 times the market's fee, and no more.
    const fees = rpc.sent.map(({ maxFeePerGas }) => maxFeePerGas!);
    expect(fees.at(-1)! <= fees[0]! * 13n).to.equal(true);
    const silent = await adminAt({ now: fastClock(400) });
    rpc.decide = () => "drop";
    expect(await runGiven(pause, NOW, silent.world)).to.equal(EXIT.failed);
    expect(silent.take()).to.contain('The RPC of the network "local" does not answer.');
  });

  it("gives up after ten seconds where nothing listens, since that is no slow node", async () => {
    let now = 0;
    const admin = await adminAt({
      url: "http://127.0.0.1:9",
      now: () => now,
      sleep: async (ms) => {
        now += ms;
      },
    });
    expect(await runGiven(pause, NOW, admin.world)).to.equal(EXIT.failed);
    expect(admin.take()).to.match(/DATA_DIR to its folder \(now \//);
    expect(now).to.be.within(10_000, 12_000);
  });

  it("says nothing of the RPC's address or the key", async () => {
    const admin = await adminAt({ url: `${rpc.url}/secret-path` });
    await runGiven(pause, NOW, admin.world);
    expect(admin.text()).to.not.contain("secret-path");
    expect(admin.text()).to.not.contain(new Wallet(chain.accounts.pauser.privateKey).privateKey.slice(2));
  });
});
