/** The runbooks of docs/run: every command verbatim but for names, on the local chain beside a running service. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { Wallet } from "ethers";
import { executorOf } from "../../attestor/evm/address.ts";
import { readGuardView } from "../../chain/guard/reading.ts";
import { AccessManager__factory } from "../../types/contracts/factories/@openzeppelin/contracts/access/manager/AccessManager__factory.ts";
import { RouteExecutor__factory } from "../../types/contracts/factories/contracts/RouteExecutor__factory.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { fakeAdmin, loseSending, marketOf } from "../support/admin.ts";
import { flakyRpc } from "../support/flakyRpc.ts";
import { keystoreFolder } from "../support/keystores.ts";
import { localServer } from "../support/ports.ts";
import { blockNames } from "../support/runbooks.ts";
import { expectSaid } from "../support/said.ts";
import { carryOut, deniedBy, startService, walletOf, withoutProof } from "../support/service.ts";
import { ofSuite } from "../support/suite.ts";
import { testWorld } from "../support/world.ts";
import { startDebianPostgres } from "./debianPostgres.ts";
import { poisonExecutor } from "./guard/poisonedExecutor.ts";
import { followed, installSystemctl, type Machine, ranOn } from "./runbookMachine.ts";

describe("The runbooks of docs/run", () => {
  const world = testWorld();
  const rpc = ofSuite(() => flakyRpc(world.url));
  const admin = ofSuite(() => fakeAdmin(world, { url: rpc.url }));
  const keystore = ofSuite(() => keystoreFolder(world.accounts.attestation.privateKey));
  const service = ofSuite(async () => {
    await mkdir(admin.path("deployments"), { recursive: true });
    await mkdir(admin.path("lib"));
    await mkdir(admin.path("bin"));
    const { chainId, guard } = world.deployment;
    await writeFile(join(keystore.path, "../deployment.json"), JSON.stringify({ chainId, guard }));
    const env = { ...keystore.env, RPC_URL: rpc.url };
    return startService(world, `sqlite:${admin.path("lib/assay.db")}`, env);
  });
  /** `systemctl stop|start|restart assay@…` reaches the service of this test; installed.slow.test.ts starts the unit. */
  const control = ofSuite(() =>
    localServer(async (request, response) => {
      await (request.url === "/stop" ? service.stop() : service.restart());
      response.end();
    }),
  );
  const done = new Set<string>();
  const etc = () => join(keystore.path, "..");
  const machine: Machine = { admin, keystore, service, rpc };

  before(function () {
    return installSystemctl(this, admin.path("bin"), control.url);
  });
  afterEach(() => {
    rpc.decide = () => null;
  });

  /** @returns what each line printed */
  async function follow(name: string, words: Record<string, string> = {}): Promise<string[]> {
    const outputs = await followed(name, machine, words);
    done.add(name);
    return outputs;
  }

  const view = () => readGuardView(world.provider, world.deployment);
  const guardAs = ({ privateKey }: { privateKey: string }, guard = world.deployment.guard) =>
    TradeGuard__factory.connect(guard, new Wallet(privateKey, world.provider));
  async function desireWhatIs(changes: object = {}): Promise<void> {
    const { routes, recipients, paused, signer } = await view();
    const desired = JSON.stringify({ routes, recipients, paused, signer, ...changes });
    await writeFile(admin.path("deployments/31337.desired.json"), desired);
  }
  async function prepare() {
    await world.tick();
    await service.recordLiquidity();
    return (await service.newPrepared()).prepared;
  }
  const newSigner = async () =>
    JSON.parse(await readFile(join(etc(), "proof.json"), "utf8")).signer as string;

  it("another key on a quiet day: old certificates end with the rotation, and the service signs after its restart", async () => {
    const old = await prepare();
    const outputs = await follow("quiet-rotation");
    expect(outputs[2])
      .to.contain("Prepared 1 certificate could be executed now and ends with the rotation")
      .and.to.contain(`ends: ${old.jobId} version 2`);
    expect((await view()).signer).to.equal(await newSigner());
    expect(JSON.parse(outputs.at(-1)!).attestation.signer).to.equal(await newSigner());
    expect((await prepare()).execution.certificate.signer).to.equal(await newSigner());
    const { to, data } = old.execution.guardCall;
    const refused = await walletOf(world)
      .call({ to, data })
      .catch((error: { data: string }) => error.data);
    expect(TradeGuard__factory.createInterface().parseError(refused)?.name).to.equal(
      "CertificateSignerUnknown",
    );
  });

  it("leads through a leaked key", async () => {
    await desireWhatIs();
    const [paused] = await follow("key-leak-1");
    expect(paused).to.match(/PAUSED: no trade executes\. It took [0-9.]+ s/);
    await follow("key-leak-2");
    const [shown] = await follow("key-leak-3");
    expect(shown).to.contain("Dry run");
    expect((await view()).signer).to.equal(await newSigner());
    const outputs = await follow("key-leak-4");
    expect(JSON.parse(outputs.at(-1)!).attestation.signer).to.equal(await newSigner());
    await desireWhatIs({ paused: false });
    await follow("key-leak-5");
    expect((await prepare()).execution.certificate.signer).to.equal(await newSigner());
  });

  it("a wrong allowlist, entry by entry and by the desired state", async () => {
    const route = world.token("AAPLx");
    const recipient = "0x1111111111111111111111111111111111111111";
    for (const block of ["wrong-allowlist-1", "wrong-allowlist-2"]) {
      await desireWhatIs();
      const guard = guardAs(world.accounts.deployer);
      await (await guard.allowRoute(route, "0x38ed1739")).wait();
      await (await guard.allowRecipient(recipient)).wait();
      const before = await view();
      await follow(block, { ROUTE: route, RECIPIENT: recipient });
      const after = await view();
      expect(before.routes.length - after.routes.length).to.equal(1);
      expect(after.recipients).to.deep.equal([]);
    }
  });

  /** Ctrl-C after the sending of a transaction that the node then loses. */
  async function getStuck(recipient: string): Promise<void> {
    await loseSending(admin, rpc, `guard allow-recipient ${recipient} --execute --reason "a payee"`);
    expect(await records().readPending()).to.not.equal(null);
  }
  const records = () => admin.records;
  const PAYEE = "0x2222222222222222222222222222222222222222";

  it("a stuck transaction that should still happen", async () => {
    await getStuck(PAYEE);
    const [shown] = await follow("stuck-1");
    expect(shown).to.contain(`allow recipient ${PAYEE}`).and.to.contain("bump offers more");
    await follow("stuck-2");
    expect((await view()).recipients).to.deep.equal([PAYEE]);
    await (await guardAs(world.accounts.deployer).disallowRecipient(PAYEE)).wait();
  });

  it("a stuck transaction that should not happen any more", async () => {
    await getStuck(PAYEE);
    await follow("stuck-3");
    expect((await view()).recipients).to.deep.equal([]);
    expect(await records().readPending()).to.equal(null);
    expect((await records().readHistory()).at(-1)!.outcome).to.equal("replaced");
  });

  it("leads through a halted chain", async () => {
    // Blocks stop, and the node still answers: the quote is too old.
    await service.recordLiquidity();
    world.clock.advance(15 * 60_000);
    expect(deniedBy((await service.newJob()).report)).to.include("quote-age");

    rpc.decide = () => "drop";
    const [status, shown] = await follow("chain-halt-1");
    expect(status).to.contain("503");
    expect(shown).to.contain('The RPC of the network "local" does not answer.');
    rpc.decide = () => null;
    await follow("chain-halt-2");
    expect((await view()).paused).to.equal(false);
    expect((await prepare()).execution).to.not.equal(null);
  });

  it("a leaked admin key: the role is handed over", async () => {
    const { deployer, users } = world.accounts;
    const next = users[5]!;
    await desireWhatIs();
    await poisonExecutor(world, world.token("USDL"), PAYEE, 5n);
    await follow("lost-admin-1", { NEXT_ADMIN: next.address, OLD_ADMIN: deployer.address });
    const file = JSON.parse(await readFile(join(etc(), "revoke.json"), "utf8"));
    const { transactions, meta } = file;
    expect(transactions.map(({ contractMethod }: any) => contractMethod.name)).to.deep.equal([
      "revokeRole",
      "revokeRole",
      "revokeRole",
    ]);
    expect(meta.createdFromSafeAddress).to.equal(next.address);
    const manager = AccessManager__factory.connect(
      (await view()).manager,
      new Wallet(next.privateKey, world.provider),
    );
    for (const { contractInputsValues } of transactions)
      await (await manager.revokeRole(contractInputsValues.roleId, contractInputsValues.account)).wait();
    expect((await view()).holders.admin.map(({ account }) => account)).to.deep.equal([next.address]);
    await desireWhatIs();
    const [found] = await follow("lost-admin-check");
    expect(found).to.contain(`clearAllowance(${world.token("USDL")}, ${PAYEE})`);
    const anyone = new Wallet(users[1]!.privateKey, world.provider);
    const executor = RouteExecutor__factory.connect(world.deployment.executor, anyone);
    await (await executor.clearAllowance(world.token("USDL"), PAYEE)).wait();
    await follow("lost-admin-cleared");
    await (await guardAs(next).unpause()).wait();
    for (const role of [2, 1, 0]) await (await manager.grantRole(role, deployer.address, 0)).wait();
    for (const role of [2, 1, 0]) await (await manager.renounceRole(role, next.address)).wait();
  });

  const recordedGuard = async (path = "deployments/31337.json"): Promise<string> =>
    JSON.parse(await readFile(admin.path(path), "utf8")).guard;
  /** A guard with its records, as the live one would have been deployed, and what it should be like. */
  async function deployLike(holder: string, desired: object): Promise<string> {
    const { signer } = await view();
    const roles = `--admin ${holder} --pauser ${world.accounts.pauser.address} --signer ${signer}`;
    const line = `npm run assay -- guard deploy --network bsc ${roles} --execute`;
    expectSaid(await ranOn(machine, line), 0);
    const market = marketOf(world);
    await writeFile(admin.path("deployments/31337.market.json"), JSON.stringify(market));
    const routes = market.registry.routes.map(({ address, selector }) => ({ route: address, selector }));
    const whole = JSON.stringify({ routes, ...desired });
    await writeFile(admin.path("deployments/31337.desired.json"), whole);
    return await recordedGuard();
  }

  it("an issuer that blocks the executor: another guard, whose executor is another", async () => {
    const { deployer, pauser, users } = world.accounts;
    const holder = users[6]!;
    const old = await deployLike(holder.address, { admin: holder.address });
    const { signer: ATTESTATION_KEY } = await view();
    await follow("another-guard-1", { ADMIN: holder.address, PAUSER: pauser.address, ATTESTATION_KEY });
    const young = await recordedGuard();
    expect(young).to.not.equal(old);
    const file = JSON.parse(await readFile(join(etc(), "apply.json"), "utf8"));
    for (const { to, contractInputsValues: route } of file.transactions) {
      expect(to).to.equal(young);
      await (await guardAs(holder, young).allowRoute(route.route, route.selector)).wait();
    }
    expect(await guardAs(deployer, old).paused(), "until the service has moved").to.equal(false);

    await follow("another-guard-2");
    const moved = { ...keystore.env, DEPLOYMENT_FILE: join(etc(), "deployment.json") };
    const { executor } = JSON.parse(await readFile(moved.DEPLOYMENT_FILE, "utf8"));
    expect(executor).to.equal(executorOf(young)).and.to.not.equal(executorOf(old));
    await using service = await startService(world, "sqlite::memory:", moved);
    const { prepared } = await service.newPrepared();
    expect(prepared.execution.guardCall.to).to.equal(young);
    expect((await carryOut(walletOf(world), prepared.execution)).length).to.equal(66);

    await follow("another-guard-3");
    expect(await guardAs(deployer, old).paused()).to.equal(true);
    expect(await guardAs(deployer, young).paused()).to.equal(false);
    expect(await recordedGuard("deployments/retired/31337.json")).to.equal(old);
    await rm(admin.path("deployments/31337.json"));
  });

  it("a lost admin: this guard is paused for good, and another one has another admin", async () => {
    const { deployer, pauser, users, attestation } = world.accounts;
    const [lost, next] = [users[4]!.address, users[7]!.address];
    const old = await deployLike(lost, { admin: next });
    expect(await guardAs(deployer, old).paused()).to.equal(false);
    await follow("lost-admin-2");
    expect(await guardAs(deployer, old).paused()).to.equal(true);

    const [PAUSER, ATTESTATION_KEY] = [pauser.address, attestation.address];
    await follow("another-guard-1", { ADMIN: next, PAUSER, ATTESTATION_KEY });
    const { roles, guard: young } = JSON.parse(await readFile(admin.path("deployments/31337.json"), "utf8"));
    expect(young).to.not.equal(old);
    expect(roles.admin).to.equal(next);
    const file = JSON.parse(await readFile(join(etc(), "apply.json"), "utf8"));
    for (const { to } of file.transactions) expect(to).to.equal(young);
    expect(await recordedGuard("deployments/retired/31337.json")).to.equal(old);
    await rm(admin.path("deployments/31337.json"));
  });

  it("a restore from a backup of SQLite", async () => {
    const { body: job } = await service.post("/v1/jobs", service.jobBody());
    await follow("restore-1");
    const { body: later } = await service.post("/v1/jobs", service.jobBody());
    await follow("restore-2");
    expect((await service.call(`/v1/jobs/${job.jobId}`)).status).to.equal(200);
    expect((await service.call(`/v1/jobs/${later.jobId}`)).status).to.equal(404);
  });

  it("a restore from a backup of PostgreSQL", async function () {
    await using server = await startDebianPostgres(this);
    const [url, other] = [await server.createEmptyDatabase("old"), await server.createEmptyDatabase("new")];
    const first = await startService(world, url);
    const { jobId } = (await first.post("/v1/jobs", first.jobBody())).body;
    const { body: job } = await first.call(`/v1/jobs/${jobId}`);
    await follow("dump", { POSTGRES_URL: url });
    await first.stop();
    await follow("restore-3", { NEW_POSTGRES_URL: other });
    const second = await startService(world, other);
    const answer = await second.call(`/v1/jobs/${jobId}`, { key: first.key });
    expect(withoutProof(answer.body)).to.deep.equal(withoutProof(job));
    await second.stop();
  });

  it("The runbooks of docs/run have no command that this test did not run", () => {
    // Those of an installation are test/deploy/installed.slow.test.ts's.
    const others = blockNames().filter((name) => !name.startsWith("install-"));
    expect([...done].sort()).to.deep.equal(others.sort());
  });
});
