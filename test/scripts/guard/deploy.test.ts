import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { keccak256, Wallet } from "ethers";
import { publicKeyOf } from "../../../api/log/key.ts";
import { verifierKey, vkeyText } from "../../../attestor/log/note.ts";
import { Deployment } from "../../../chain/deployment.ts";
import { readRoles } from "../../../chain/guard/roles.ts";
import { mandateContracts } from "../../../chain/mandateContracts.ts";
import { adminText, assertRoles } from "../../../scripts/admin/holders.ts";
import { EXIT } from "../../../scripts/errors.ts";
import { isCodeOf, PARTS, readBuild } from "../../../scripts/guard/build.ts";
import { allowRecipient } from "../../../scripts/guard/changes.ts";
import { deploy } from "../../../scripts/guard/deploy.ts";
import { submitAll } from "../../../scripts/guard/publishSource.ts";

import { serviceFile } from "../../../scripts/guard/serviceFile.ts";
import { status } from "../../../scripts/guard/status.ts";
import { deployMandates } from "../../../scripts/mandate/deploy.ts";
import { knownGuards } from "../../../scripts/verify/knownGuards.ts";
import { adminsOf, behind, type FakeAdmin, keys, marketOf } from "../../support/admin.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { expectSaid } from "../../support/said.ts";
import { runGiven, shownIn, type Words } from "../../support/typed.ts";
import { testWorld } from "../../support/world.ts";

const ROOT = join(import.meta.dirname, "../../..");
const ADMIN_KEY = new Wallet(`0x${"a1".repeat(32)}`);
const ADMIN = ADMIN_KEY.address;
const SIGNER = new Wallet(`0x${"a2".repeat(32)}`).address;
const PAUSER = new Wallet(`0x${"a3".repeat(32)}`).address;
const ARGS = {
  admin: ADMIN,
  pauser: PAUSER,
  signer: SIGNER,
  delay: "7200",
  adminProof: ADMIN_KEY.signMessageSync(adminText(31_337, ADMIN)),
};
/** Of a guard that is never deployed. */
const FRESH = { ...ARGS, salt: "999" };
const EXECUTE = { ...ARGS, execute: true, reason: "first guard" };

describe("Deploying a guard", () => {
  const chain = testWorld();
  const adminAt = adminsOf(chain);
  const run = async (admin: FakeAdmin, args: Words = ARGS) => ({
    code: await runGiven(deploy, args, admin.world),
    text: admin.take(),
  });
  let salt = 0;
  /** A guard of the test's own: the same code and roles stand at one place. */
  const another = () => ({ ...EXECUTE, salt: String(++salt) });
  const record = async (admin: FakeAdmin) =>
    JSON.parse(await readFile(admin.path("deployments/31337.json"), "utf8"));

  it("Deploying a guard is a dry run by default: roles, cost and events are shown, and nothing is sent", async () => {
    const admin = await adminAt();
    const before = await chain.provider.getBlockNumber();
    expectSaid(
      await run(admin),
      0,
      `constructor(initialAdmin: ${ADMIN}, initialPauser: ${PAUSER}, initialSigner: ${SIGNER}, delaySeconds: 7200)`,
      `Caller   ${chain.accounts.deployer.address}, the deployer`,
      "commit 0123456789abcdef",
      `RoleGranted(roleId: 0, account: ${ADMIN}, delay: 7200, `,
      "Dry run: nothing was sent",
    );
    expect(await chain.provider.getBlockNumber()).to.equal(before);
  });

  it("records what was read back, and has nothing to do the second time", async () => {
    const admin = await adminAt();
    const text = expectSaid(await run(admin, EXECUTE), 0);
    const made = await record(admin);
    const receipt = await chain.provider.getTransactionReceipt(made.transaction);
    expect(made).to.deep.include({
      schema: "assay.deployed/1",
      chainId: 31337,
      constructorArguments: {
        initialAdmin: ADMIN,
        initialPauser: PAUSER,
        initialSigner: SIGNER,
        delaySeconds: 7_200,
      },
      roles: { admin: ADMIN, pauser: PAUSER, signer: SIGNER },
      deployedAtBlock: receipt?.blockNumber,
      deployer: chain.accounts.deployer.address,
      commit: "0123456789abcdef0123456789abcdef01234567",
    });
    for (const part of ["manager", "guard", "executor"])
      expect(made.codeHash[part]).to.equal(keccak256(await chain.provider.getCode(made[part])));
    expect(made.compiler.version).to.match(/^0\.8\.35\+commit/);
    expect(made.compiler.settings).to.deep.include({ viaIR: true, evmVersion: "cancun" });
    expect(text).to.contain(made.guard);

    const [entry, ...more] = await admin.records.readHistory();
    expect(more).to.deep.equal([]);
    expect(entry).to.deep.include({
      command: "guard deploy",
      reason: "first guard",
      outcome: "confirmed",
      transaction: made.transaction,
      call: { name: "constructor", args: [ADMIN, PAUSER, SIGNER, "7200"] },
    });
    const again = await run(admin, EXECUTE);
    expect(again).to.deep.equal({
      code: 0,
      text: `Nothing to do: the guard ${made.guard} was deployed in block ${made.deployedAtBlock}.`,
    });
    expect((await run(admin, { ...EXECUTE, pauser: "none" })).code).to.equal(1);
    // The commands now are about this guard.
    expect(await runGiven(status, {}, admin.world)).to.equal(0);
    expect(admin.take()).to.contain(made.guard);
  });

  it("goes on where a run was cut off, and deploys one guard alone", async () => {
    const admin = await adminAt({ accounts: keys(chain.accounts.users[5]!.privateKey) });
    const args = another();
    const from = chain.accounts.users[5]!.address;
    const before = await chain.provider.getTransactionCount(from);
    // The chain's answers end right after the transaction is out.
    let sent = 0;
    await using gate = await flakyRpc(chain.url, (method) => {
      if (method === "eth_sendRawTransaction") sent++;
      return sent > 0 && method === "eth_getTransactionReceipt" ? "drop" : null;
    });
    expect(await runGiven(deploy, args, behind(admin, gate).world)).to.equal(EXIT.pending);
    admin.take();
    expect(await chain.provider.getTransactionCount(from)).to.equal(before + 1);
    expectSaid(
      await run(admin, args),
      0,
      'An earlier "guard deploy" was not seen to finish',
      "is there already",
    );
    expect(await chain.provider.getTransactionCount(from)).to.equal(before + 1);
    expect((await readRoles(chain.provider, (await record(admin)).guard)).signer).to.equal(SIGNER);
    expect(await admin.records.readHistory()).to.have.length(1);
  });

  it("sends again what the node lost before a crash, and records what another has deployed", async () => {
    const admin = await adminAt();
    const args = another();
    await using gate = await flakyRpc(chain.url, (method, transaction) =>
      method === "eth_sendRawTransaction" ? { result: transaction!.hash } : null,
    );
    const cut = { ...behind(admin, gate).world, sleep: () => Promise.reject(new Error("Ctrl-C")) };
    expect(await runGiven(deploy, args, cut)).to.equal(EXIT.failed);
    const lost = await admin.records.readPending();
    expect(lost).to.include({ kind: "create", command: "guard deploy" });
    admin.take();
    const start = Date.now();
    const hurried = { ...admin.world, now: () => start + (Date.now() - start) * 200 };
    const code = await runGiven(deploy, args, hurried);
    expect(code, admin.text()).to.equal(0);
    expect(admin.take()).to.contain("continuing with the transaction of an earlier run");
    expect((await admin.records.readHistory())[0]?.nonce).to.equal(lost?.nonce);

    const colleague = await adminAt();
    expectSaid(
      await run(colleague, { ...args, execute: false }),
      0,
      "is there already",
      "--execute records it",
    );
    expectSaid(await run(colleague, args), 0, "Recorded in");
    const { commit: _, actor: __, ...same } = await record(admin);
    expect(await record(colleague)).to.deep.include(same);
  });

  it("refuses a deployer without money, unknown accounts and arguments that make no sense", async () => {
    const poor = new Wallet(`0x${"b1".repeat(32)}`);
    const { code, text } = await run(await adminAt({ accounts: keys(poor.privateKey) }), another());
    expect(code).to.equal(1);
    expect(text).to.contain(`The deployer ${poor.address} has 0.0 native coin`);
    const admin = await adminAt();
    expect((await run(admin, { ...FRESH, from: ADMIN })).code).to.equal(1);
    expect((await run(admin, { ...FRESH, admin: "0x12" })).code).to.equal(2);
    expect((await run(admin, { ...FRESH, pauser: `0x${"0".repeat(40)}` })).code).to.equal(2);
    const elsewhere = await adminAt({ chainId: 56, networkName: "bsc" });
    expect((await run(elsewhere)).text).to.contain("serves chain 31337");
  });

  it("refuses an admin who is the deployer, unless it is meant", async () => {
    const admin = await adminAt();
    const args = { ...FRESH, admin: chain.accounts.deployer.address };
    expect((await run(admin, args)).text).to.contain("--admin-is-deployer");
    expect((await run(admin, { ...args, adminIsDeployer: true })).code).to.equal(0);
    expect((await run(admin, { ...FRESH, signer: ADMIN })).text).to.contain("must have no other power");
  });

  it("refuses an admin that nobody controls: no code, and no signature by its key for this chain", async () => {
    const admin = await adminAt();
    const { adminProof: _, ...bare } = FRESH;
    for (const adminProof of [
      undefined,
      "0x12",
      ADMIN_KEY.signMessageSync(adminText(56, ADMIN)),
      new Wallet(`0x${"a2".repeat(32)}`).signMessageSync(adminText(31_337, ADMIN)),
    ]) {
      const { code, text } = await run(admin, { ...bare, adminProof });
      expect(code).to.equal(1);
      expect(text).to.contain(`I control ${ADMIN} and will administer an Assay guard on chain 31337.`);
    }
    expect((await run(admin, FRESH)).code).to.equal(0);
    expect((await run(admin, { ...bare, admin: chain.dex.v2.router })).code, "a contract").to.equal(0);
    expect((await run(admin, { ...FRESH, delay: "a day" })).code).to.equal(2);
  });

  it("refuses every well-known development key on a live chain", () => {
    const { deployer, attestation, pauser } = chain.accounts;
    const roles = { admin: ADMIN, pauser: PAUSER, signer: SIGNER, delay: 86_400 };
    const live = { live: true, adminIsDeployer: false };
    assertRoles(roles, new Wallet(`0x${"b1".repeat(32)}`).address, live);
    for (const known of [
      { ...roles, signer: attestation.address },
      { ...roles, pauser: pauser.address },
      { ...roles, admin: deployer.address },
    ])
      expect(() => assertRoles(known, PAUSER, live)).to.throw("well-known development key");
    expect(() => assertRoles(roles, deployer.address, live)).to.throw("The deployer 0xf39F");
    assertRoles({ ...roles, signer: attestation.address }, deployer.address, { ...live, live: false });
  });

  it("refuses to deploy something else than the sources that lie here", async () => {
    const elsewhere = await adminAt();
    const error = await readBuild(elsewhere.path("data"), join(ROOT, "artifacts")).catch(
      (caught: Error) => caught.message,
    );
    expect(error).to.match(/contracts\/.*\.sol changed since it was compiled/);
  });

  it("distinguishes the compiled code from any other, with any immutable values", async () => {
    const { guard } = await readBuild(ROOT);
    const code = await chain.provider.getCode(chain.deployment.guard);
    expect(isCodeOf(guard, code)).to.equal(true);
    expect(code).to.not.equal(guard.deployedBytecode);
    expect(isCodeOf(guard, code.replace("6080", "6081"))).to.equal(false);
    expect(isCodeOf(guard, `${code}00`)).to.equal(false);
    expect(isCodeOf(guard, await chain.provider.getCode(chain.deployment.executor))).to.equal(false);
    expect(isCodeOf(guard, "0x")).to.equal(false);
  });

  it("sees code on the chain that is not what was recorded", async () => {
    const admin = await adminAt();
    await run(admin, another());
    const made = await record(admin);
    made.codeHash.guard = `0x${"00".repeat(32)}`;
    await writeFile(admin.path("deployments/31337.json"), JSON.stringify(made));
    await writeFile(admin.path("deployments/31337.desired.json"), "{}");
    expect(await runGiven(status, { check: true }, { ...admin.world, attestor: async () => null })).to.equal(
      1,
    );
    expect(admin.take()).to.contain("code of the guard");
  });

  it("with a contract as the admin takes a Safe file for an answer, and no key", async () => {
    const admin = await adminAt();
    // Any contract does for a Safe here: the calls are simulated as its own.
    const safe = chain.dex.v2.router;
    expect((await run(admin, { ...EXECUTE, admin: safe })).code).to.equal(0);
    const args = { recipient: ADMIN };
    expect(await runGiven(allowRecipient, { ...args, execute: true }, admin.world)).to.equal(1);
    expect(admin.take()).to.contain(
      `allowRecipient is for an operator (${safe}), which is a contract: write a file for it with --safe <file>.`,
    );
    const out = admin.path("safe.json");
    expect(await runGiven(allowRecipient, { ...args, safe: out }, admin.world)).to.equal(0);
    expect(admin.take()).to.contain("event   OperationScheduled(").and.to.not.contain("WARNING");
    expect(JSON.parse(await readFile(out, "utf8")).meta.createdFromSafeAddress).to.equal(safe);
  });

  it("joins record and market into what the service takes", async () => {
    const admin = await adminAt();
    await run(admin, EXECUTE);
    const market = marketOf(chain);
    expect(await runGiven(serviceFile, {}, admin.world)).to.equal(1);
    expect(admin.take()).to.contain("31337.market.json");
    await writeFile(admin.path("deployments/31337.market.json"), JSON.stringify(market));
    const out = admin.path("service.json");
    expect(await runGiven(serviceFile, { out }, admin.world), admin.take()).to.equal(0);
    const made = Deployment.parse(JSON.parse(await readFile(out, "utf8")));
    expect(made.guard).to.equal((await record(admin)).guard);
    expect(made.registry).to.deep.equal(chain.deployment.registry);
    expect(await runGiven(deployMandates, { execute: true }, admin.world)).to.equal(0);
    expect(admin.take()).to.contain("Wrote ");
    const { module, setup } = mandateContracts(made.guard);
    const { mandates } = await record(admin);
    expect(mandates).to.deep.equal({ module: module.address, setup: setup.address });

    const wrong = JSON.stringify({ ...market, source: "moon" });
    await writeFile(admin.path("deployments/31337.market.json"), wrong);
    expect(await runGiven(serviceFile, {}, admin.world)).to.equal(1);
    await rm(out);
  });

  it("puts the log's key where the service and assay verify find it, and keeps the one before", async () => {
    const admin = await adminAt();
    await run(admin, EXECUTE);
    await writeFile(admin.path("deployments/31337.market.json"), JSON.stringify(marketOf(chain)));
    const out = admin.path("service.json");
    const keyOf = (seed: number, kind: 1 | 4 = 1) =>
      vkeyText(verifierKey("assay.example.com/log", kind, publicKeyOf(new Uint8Array(32).fill(seed))));
    const keysIn = async (path: string) => JSON.parse(await readFile(path, "utf8")).logKeys;

    for (const logKey of ["nonsense", keyOf(1, 4)]) {
      expect(await runGiven(serviceFile, { out, logKey }, admin.world)).to.equal(2);
      expect(admin.take()).to.contain("--log-key takes the verifier key of a log");
    }
    expect(await keysIn(admin.path("deployments/31337.json"))).to.equal(undefined);

    for (const [logKey, keys] of [
      [keyOf(1), [keyOf(1)]],
      [undefined, [keyOf(1)]],
      [keyOf(1), [keyOf(1)]],
      [keyOf(2), [keyOf(1), keyOf(2)]],
    ] as const) {
      expect(await runGiven(serviceFile, { out, logKey }, admin.world), admin.take()).to.equal(0);
      expect(Deployment.parse(JSON.parse(await readFile(out, "utf8"))).logKeys).to.deep.equal(keys);
      const places = { deployments: admin.path("deployments"), dataDir: admin.path("none") };
      const [known] = await knownGuards(places);
      expect(known).to.include({ chainId: 31337 });
      expect(known!.logKeys!.map(vkeyText)).to.deep.equal(keys);
    }
    // The other commands read the same record.
    await writeFile(admin.path("deployments/31337.desired.json"), "{}");
    const checked = await runGiven(status, { check: true }, { ...admin.world, attestor: async () => null });
    expect(checked, admin.take()).to.equal(0);
  });

  it("hands all three contracts to the explorers, with what they were constructed with", async () => {
    const admin = await adminAt();
    expect(await shownIn(admin.world, () => submitAll(admin.world, async () => async () => true))).to.equal(
      1,
    );
    await run(admin, EXECUTE);
    const made = await record(admin);
    const asked: unknown[] = [];
    const code = await submitAll(
      admin.world,
      async () =>
        async ({ address, constructorArgs, contract }, explorer) => {
          asked.push([explorer, address, contract, ...constructorArgs]);
          if (explorer === "etherscan") throw new Error("no key");
          return address === made.guard;
        },
    );
    expect(code).to.equal(1);
    const [manager, guard, executor] = [
      [made.manager, PARTS.manager, made.deployment],
      [made.guard, "contracts/TradeGuard.sol:TradeGuard", made.manager, SIGNER],
      [made.executor, "contracts/RouteExecutor.sol:RouteExecutor"],
    ];
    expect(asked).to.deep.equal(
      [manager, guard, executor].flatMap((part) => ["etherscan", "sourcify"].map((by) => [by, ...part!])),
    );
    expect(admin.take()).to.contain("NOT verified: contracts/RouteExecutor.sol");
  });
});
