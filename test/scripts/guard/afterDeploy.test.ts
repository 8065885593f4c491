/** What follows a deployment: the service's file with the log's key, the mandates' record, and sources for explorers. */
import { readFile, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { publicKeyOf } from "../../../api/log/key.ts";
import { verifierKey, vkeyText } from "../../../attestor/log/note.ts";
import { Deployment } from "../../../chain/deployment.ts";
import { mandateContracts } from "../../../chain/mandateContracts.ts";
import { EXIT } from "../../../scripts/errors.ts";
import { PARTS } from "../../../scripts/guard/build.ts";
import { submitAll } from "../../../scripts/guard/publishSource.ts";
import { knownGuards } from "../../../scripts/verify/knownGuards.ts";
import { adminsOf, type FakeAdmin, marketOf, typedBy } from "../../support/admin.ts";
import { expectSaid } from "../../support/said.ts";
import { shownIn } from "../../support/typed.ts";
import { testWorld } from "../../support/world.ts";

describe("After a deployment", () => {
  const chain = testWorld();
  const adminAt = adminsOf(chain);
  let salt = 0;
  /** With a guard of the admin's own. */
  async function deployedAdmin(): Promise<FakeAdmin> {
    const { deployer, pauser, attestation } = chain.accounts;
    const roles = `--admin ${deployer.address} --pauser ${pauser.address} --signer ${attestation.address}`;
    const admin = await adminAt();
    const line = `guard deploy ${roles} --admin-is-deployer --salt ${++salt} --execute`;
    expectSaid(await typedBy(admin, line), 0);
    return admin;
  }
  const record = async (admin: FakeAdmin) => JSON.parse(await readFile(admin.records.path("json"), "utf8"));
  const market = (admin: FakeAdmin, content: object = marketOf(chain)) =>
    writeFile(admin.records.path("market.json"), JSON.stringify(content));

  it("guard service-file joins record and market into what the service takes", async () => {
    const admin = await deployedAdmin();
    expectSaid(await typedBy(admin, "guard service-file"), EXIT.unusable, "31337.market.json");
    await market(admin);
    const out = admin.path("service.json");
    expectSaid(await typedBy(admin, `guard service-file --out ${out}`), 0);
    const made = Deployment.parse(JSON.parse(await readFile(out, "utf8")));
    expect(made.guard).to.equal((await record(admin)).guard);
    expect(made.registry).to.deep.equal(chain.deployment.registry);
    await market(admin, { ...marketOf(chain), source: "moon" });
    expectSaid(await typedBy(admin, "guard service-file"), EXIT.unusable, "source");
    expectSaid(await typedBy(await adminAt(), "guard service-file"), 1, "assay guard deploy writes it");
  });

  it("mandate deploy writes into the record where the module is", async () => {
    const admin = await deployedAdmin();
    expectSaid(await typedBy(admin, "mandate deploy --execute"), 0, "Wrote ", "change  module: none -> 0x");
    const { guard, mandates } = await record(admin);
    const { module, setup } = mandateContracts(guard);
    expect(mandates).to.deep.equal({ module: module.address, setup: setup.address });
    expectSaid(await typedBy(admin, "mandate deploy --execute"), 0, `The module is at ${module.address}.`);
  });

  it("guard service-file puts the log's key where the service and assay verify find it, and keeps the one before", async () => {
    const admin = await deployedAdmin();
    await market(admin);
    const out = admin.path("service.json");
    const keyOf = (seed: number) =>
      vkeyText(verifierKey("assay.example.com/log", 1, publicKeyOf(new Uint8Array(32).fill(seed))));
    for (const [option, keys] of [
      [`--log-key ${keyOf(1)}`, [keyOf(1)]],
      ["", [keyOf(1)]],
      [`--log-key ${keyOf(1)}`, [keyOf(1)]],
      [`--log-key ${keyOf(2)}`, [keyOf(1), keyOf(2)]],
    ] as const) {
      expectSaid(await typedBy(admin, `guard service-file --out ${out} ${option}`), 0);
      expect(Deployment.parse(JSON.parse(await readFile(out, "utf8"))).logKeys).to.deep.equal(keys);
      const places = { deployments: admin.world.deploymentsDir, dataDir: admin.path("none") };
      const [known] = await knownGuards(places);
      expect(known!.logKeys!.map(vkeyText)).to.deep.equal(keys);
    }
    // The other commands read the same record.
    await writeFile(admin.records.path("desired.json"), "{}");
    expectSaid(await typedBy(admin, "guard status --check"), 0);
  });

  it("guard status sees code on the chain that is not what was recorded", async () => {
    const admin = await deployedAdmin();
    const made = await record(admin);
    made.codeHash.guard = `0x${"00".repeat(32)}`;
    await writeFile(admin.records.path("json"), JSON.stringify(made));
    await writeFile(admin.records.path("desired.json"), "{}");
    expectSaid(await typedBy(admin, "guard status --check"), 1, "code of the guard");
  });

  it("guard publish-source hands all three contracts to the explorers, with what they were constructed with", async () => {
    const none = await adminAt();
    expect(await shownIn(none.world, () => submitAll(none.world, async () => async () => true))).to.equal(1);
    const admin = await deployedAdmin();
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
      [made.guard, "contracts/TradeGuard.sol:TradeGuard", made.manager, made.roles.signer],
      [made.executor, "contracts/RouteExecutor.sol:RouteExecutor"],
    ];
    expect(asked).to.deep.equal(
      [manager, guard, executor].flatMap((part) => ["etherscan", "sourcify"].map((by) => [by, ...part!])),
    );
    expect(admin.take()).to.contain("NOT verified: contracts/RouteExecutor.sol");
  });
});
