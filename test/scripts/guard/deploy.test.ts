import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { keccak256, Wallet } from "ethers";
import { CREATE2_DEPLOYER } from "../../../chain/mandateContracts.ts";
import { adminText, assertRoles } from "../../../scripts/admin/holders.ts";
import { EXIT } from "../../../scripts/errors.ts";
import { adminsOf, behind, type FakeAdmin, keys, loseSending, typedBy } from "../../support/admin.ts";
import { adminTable, type Row } from "../../support/adminTable.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { goneFrom } from "../../support/rpcFaults.ts";
import { expectSaid } from "../../support/said.ts";
import { testWorld } from "../../support/world.ts";

const ADMIN_KEY = new Wallet(`0x${"a1".repeat(32)}`);
const ADMIN = ADMIN_KEY.address;
const SIGNER = new Wallet(`0x${"a2".repeat(32)}`).address;
const PAUSER = new Wallet(`0x${"a3".repeat(32)}`).address;
const DEPLOY = `guard deploy --pauser ${PAUSER} --signer ${SIGNER} --delay 7200 --salt 999`;
const PROOF = `--admin-proof ${ADMIN_KEY.signMessageSync(adminText(31_337, ADMIN))}`;
const SHOW = `guard deploy --admin ${ADMIN} ${PROOF} --pauser ${PAUSER} --signer ${SIGNER} --delay 7200`;
const EXECUTE = `${SHOW} --execute --reason "first guard"`;
const poor = new Wallet(`0x${"b1".repeat(32)}`);
const unproved = (name: string, proof: string): Row => ({
  name: `refuses an admin that nobody controls: ${name}`,
  types: `${DEPLOY} --admin ${ADMIN} ${proof}`,
  code: 1,
  says: [`I control ${ADMIN} and will administer an Assay guard on chain 31337.`],
});

const REFUSALS: readonly Row[] = [
  {
    name: "refuses a deployer without money",
    options: { accounts: keys(poor.privateKey) },
    types: `${DEPLOY} --admin ${ADMIN} ${PROOF} --execute`,
    code: 1,
    says: [`The deployer ${poor.address} has 0.0 native coin`],
  },
  {
    name: "refuses an account whose key is not here",
    types: `${DEPLOY} --admin ${ADMIN} ${PROOF} --from ${ADMIN}`,
    code: 1,
    says: [`has no key of ${ADMIN}`],
  },
  {
    name: "refuses a chain other than the configured one",
    options: { chainId: 56, networkName: "bsc" },
    types: `guard deploy --pauser ${PAUSER} --signer ${SIGNER} --admin ${ADMIN}`,
    code: 1,
    says: ["serves chain 31337"],
  },
  {
    name: "refuses a short delay on a live chain",
    options: { chainId: 56, networkName: "bsc" },
    rpc: (method) => (method === "eth_chainId" ? { result: "0x38" } : null),
    types: `${DEPLOY} --admin ${ADMIN} --delay 60`,
    code: 1,
    says: ["is too short for anybody to notice a theft"],
  },
  {
    name: "refuses a chain without the CREATE2 deployer",
    rpc: (method, _, [address]) =>
      method === "eth_getCode" && address === CREATE2_DEPLOYER.toLowerCase() ? { result: "0x" } : null,
    types: `${DEPLOY} --admin ${ADMIN} ${PROOF}`,
    code: 1,
    says: ["This chain lacks the CREATE2 deployer"],
  },
  {
    name: "refuses an admin who is the deployer",
    types: `${DEPLOY} --admin $ADMIN`,
    code: 1,
    says: ["--admin-is-deployer"],
  },
  {
    name: "takes an admin who is the deployer where it is meant",
    types: `${DEPLOY} --admin $ADMIN --admin-is-deployer`,
  },
  {
    name: "refuses an attestation key with another power",
    types: `guard deploy --admin ${ADMIN} ${PROOF} --pauser ${PAUSER} --signer ${ADMIN}`,
    code: 1,
    says: ["must have no other power"],
  },
  unproved("no signature", ""),
  unproved("what is no signature", "--admin-proof 0x12"),
  unproved("one for another chain", `--admin-proof ${ADMIN_KEY.signMessageSync(adminText(56, ADMIN))}`),
  unproved("one by another key", `--admin-proof ${poor.signMessageSync(adminText(31_337, ADMIN))}`),
  {
    name: "takes an admin whose key signed the message",
    types: `${DEPLOY} --admin ${ADMIN} ${PROOF}`,
    says: ["--execute sends, --print the data."],
    saysNot: ["--safe"],
  },
  { name: "takes a contract for an admin without a proof", types: `${DEPLOY} --admin $V2` },
];

describe("Deploying a guard", () => {
  const chain = testWorld();
  const adminAt = adminsOf(chain);
  let salt = 0;
  /** A guard of the test's own: the same code and roles stand at one place. */
  const another = () => `${SHOW} --salt ${++salt}`;
  const record = async (admin: FakeAdmin) =>
    JSON.parse(await readFile(admin.path("deployments/31337.json"), "utf8"));

  it("Deploying a guard is a dry run by default: roles, cost and events are shown, and nothing is sent", async () => {
    const admin = await adminAt();
    const before = await chain.provider.getBlockNumber();
    expectSaid(
      await typedBy(admin, SHOW),
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
    const text = expectSaid(await typedBy(admin, EXECUTE), 0);
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
    const again = await typedBy(admin, EXECUTE);
    expect(again).to.deep.equal({
      code: 0,
      text: `Nothing to do: the guard ${made.guard} was deployed in block ${made.deployedAtBlock}.`,
    });
    expect((await typedBy(admin, `${EXECUTE} --pauser none`)).code).to.equal(1);
    // The commands now are about this guard.
    expectSaid(await typedBy(admin, "guard status"), 0, made.guard);
  });

  it("goes on where the transaction was mined and its receipt never came, and deploys one guard alone", async () => {
    const { address, privateKey } = chain.accounts.users[5]!;
    const admin = await adminAt({ accounts: keys(privateKey) });
    const line = `${another()} --execute`;
    const before = await chain.provider.getTransactionCount(address);
    await using gate = await flakyRpc(chain.url, goneFrom("eth_getTransactionReceipt"));
    expectSaid(await typedBy(behind(admin, gate), line), EXIT.pending);
    expectSaid(
      await typedBy(admin, line),
      0,
      'An earlier "guard deploy" was not seen to finish',
      "is there already",
      "Recorded in",
    );
    expect(await admin.records.readHistory()).to.have.length(1);
    expect(await chain.provider.getTransactionCount(address)).to.equal(before + 1);
  });

  it("sends again what the node lost before a crash, and records what another has deployed", async () => {
    const admin = await adminAt();
    const line = another();
    await using gate = await flakyRpc(chain.url);
    await loseSending(behind(admin, gate), gate, `${line} --execute`);
    const lost = await admin.records.readPending();
    expect([lost?.command, lost?.call.kind]).to.deep.equal(["guard deploy", "create"]);
    const start = Date.now();
    const hurried = { ...admin.world, now: () => start + (Date.now() - start) * 200 };
    expectSaid(
      await typedBy({ ...admin, world: hurried }, `${line} --execute`),
      0,
      "continuing with the transaction of an earlier run",
    );
    expect((await admin.records.readHistory())[0]?.nonce).to.equal(lost?.nonce);

    const colleague = await adminAt();
    expectSaid(await typedBy(colleague, line), 0, "is there already", "--execute records it");
    expectSaid(await typedBy(colleague, `${line} --execute`), 0, "Recorded in");
    const { commit: _, actor: __, ...same } = await record(admin);
    expect(await record(colleague)).to.deep.include(same);
  });

  adminTable(chain, REFUSALS);

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

  it("with a contract as the admin takes a Safe file for an answer, and no key", async () => {
    const admin = await adminAt();
    // Any contract does for a Safe here: the calls are simulated as its own.
    const safe = chain.dex.v2.router;
    expectSaid(await typedBy(admin, `${EXECUTE} --admin ${safe}`), 0);
    const line = `guard allow-recipient ${ADMIN}`;
    expectSaid(
      await typedBy(admin, `${line} --execute`),
      1,
      `allowRecipient is for an operator (${safe}), which is a contract: write a file for it with --safe <file>.`,
    );
    const out = admin.path("safe.json");
    const said = expectSaid(await typedBy(admin, `${line} --safe ${out}`), 0, "event   OperationScheduled(");
    expect(said).to.not.contain("WARNING");
    expect(JSON.parse(await readFile(out, "utf8")).meta.createdFromSafeAddress).to.equal(safe);
  });
});
