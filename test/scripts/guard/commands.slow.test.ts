import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { Contract, Wallet } from "ethers";
import { isSafeFileWhole } from "../../../attestor/evm/safeFile.ts";
import type { AdminCall } from "../../../chain/guard/adminCalls.ts";
import { readGuardView } from "../../../chain/guard/reading.ts";
import { adminText } from "../../../scripts/admin/holders.ts";
import type { AnyCommand } from "../../../scripts/command.ts";
import { apply } from "../../../scripts/guard/apply.ts";
import {
  allowRecipient,
  allowRoute,
  disallowRecipient,
  disallowRoute,
  grantRole,
  revokeRole,
  unpause,
} from "../../../scripts/guard/changes.ts";
import { deploy } from "../../../scripts/guard/deploy.ts";
import { cancelScheduled, executeScheduled, listScheduled } from "../../../scripts/guard/scheduled.ts";
import { status } from "../../../scripts/guard/status.ts";
import { isoTime } from "../../../scripts/typed.ts";

import { RouteExecutor__factory } from "../../../types/contracts/factories/contracts/RouteExecutor__factory.ts";
import { PlainToken__factory } from "../../../types/contracts/factories/test/support/contracts/tokens/PlainToken__factory.ts";
import { adminsOf, behind, type FakeAdmin, keys } from "../../support/admin.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { poisonExecutor } from "../../support/poisonedExecutor.ts";
import { expectSaid } from "../../support/said.ts";
import { guardAs } from "../../support/service.ts";
import { runGiven, type Words } from "../../support/typed.ts";
import { testWorld } from "../../support/world.ts";

const proofOf = ({ address, privateKey }: { address: string; privateKey: string }) =>
  new Wallet(privateKey).signMessageSync(adminText(31_337, address));
const RECIPIENT = "0x1111111111111111111111111111111111111111";
const EXECUTE = { execute: true };
const NOTHING = { code: 0, text: "Nothing to do: the chain is already as it should be." };

describe("Admin commands on a local chain", () => {
  const chain = testWorld();
  let admin: FakeAdmin;
  const adminAt = adminsOf(chain);
  beforeEach(async () => {
    admin = await adminAt();
  });

  async function run(command: AnyCommand, given: Words, as = admin) {
    return { code: await runGiven(command, given, as.world), text: as.take() };
  }
  const view = () => readGuardView(chain.provider, chain.deployment);
  const blocks = () => chain.provider.getBlockNumber();
  const historyOf = async (as = admin) =>
    (await as.records.readHistory()).map(({ command, call, outcome }) =>
      [command, call.name, outcome].join(" "),
    );
  const v2 = () => chain.dex.v2.router;
  async function desire(desired: unknown, as = admin) {
    await mkdir(as.world.deploymentsDir, { recursive: true });
    const text = typeof desired === "string" ? desired : JSON.stringify(desired);
    await writeFile(join(as.world.deploymentsDir, "31337.desired.json"), text);
  }
  async function asIs() {
    const { signer, paused, routes, recipients } = await view();
    const { deployer, pauser } = chain.accounts;
    return { admin: deployer.address, pauser: pauser.address, delay: 0, signer, paused, routes, recipients };
  }

  describe("guard status", () => {
    it("tells everything, with names where they are known", async () => {
      const text = expectSaid(await run(status, {}), 0);
      const { deployer, pauser, attestation } = chain.accounts;
      for (const part of [
        deployer.address,
        pauser.address,
        chain.deployment.executor,
        "uniswap-v2 of the registry",
      ])
        expect(text).to.contain(part);
      expect(text).to.contain(`Service signs    ${attestation.address}, as the guard wants`);
      expect(text).to.contain("Trading          on");
      expect(text).to.contain("swapExactTokensForTokens(uint256,uint256,address[],address,uint256)");
      expect(text).to.contain("No desired state");
    });

    it("ends with 1 on any difference when it checks, and with 0 without one", async () => {
      expect((await run(status, { check: true })).text).to.contain("31337.desired.json");
      await desire(await asIs());
      const same = await run(status, { check: true });
      expect(same.text).to.contain("All as desired");
      expect(same.code).to.equal(0);
      await desire({ ...(await asIs()), pauser: null });
      const drifted = await run(status, { check: true });
      expect(drifted.code).to.equal(1);
      expect(drifted.text).to.contain(`pauser: ${chain.accounts.pauser.address}, should be nobody`);
      expect((await run(status, {})).code).to.equal(0);
    });

    it("sees that the service would sign with a key that the guard refuses", async () => {
      const other = await adminAt({ attestor: RECIPIENT });
      await desire(await asIs(), other);
      expectSaid(await run(status, { check: true }, other), 1, `${RECIPIENT}, which the guard REFUSES`);
      const none = await adminAt({ attestor: null });
      await desire(await asIs(), none);
      expect((await run(status, { check: true }, none)).code).to.equal(0);
    });

    it("shows the roles and what files name where the RPC gives no events, and does not call that checked", async () => {
      await desire(await asIs());
      await using gate = await flakyRpc(chain.url, (method) =>
        method === "eth_getLogs" ? { error: { code: -32005, message: "limit exceeded" } } : null,
      );
      const blind = behind(admin, gate);
      expectSaid(await run(status, { check: true }, blind), 1, "Routes           2", "there may be more");
      expect((await run(apply, {}, blind)).code).to.equal(1);
    });

    it("finds an allowance of the executor that no view of the guard shows, until anyone has cleared it", async () => {
      await desire(await asIs());
      const { executor } = chain.deployment;
      const [token, thief] = [chain.token("USDL"), RECIPIENT];
      const check = () => run(status, { check: true });
      expect((await check()).code).to.equal(0);

      await poisonExecutor(chain, token, thief, 5n);
      expectSaid(await check(), 1, `${thief} may take 5 raw units`, `clearAllowance(${token}, ${thief})`);
      const { allowances } = JSON.parse((await run(status, { check: true, json: true })).text);
      expect(allowances).to.deep.equal([{ token, spender: thief, units: "5" }]);

      const stranger = new Wallet(chain.accounts.pauser.privateKey, chain.provider);
      const clearing = await RouteExecutor__factory.connect(executor, stranger).clearAllowance(token, thief);
      await clearing.wait();
      expect((await check()).code).to.equal(0);
    });

    it("shows what a token says that nobody here knows, and does not call it wrong", async () => {
      await desire(await asIs());
      const deployer = new Wallet(chain.accounts.deployer.privateKey, chain.provider);
      const token = await new PlainToken__factory(deployer).deploy("UNKNOWN", 18);
      await token.waitForDeployment();
      const unknown = await token.getAddress();
      await poisonExecutor(chain, unknown, RECIPIENT, 7n);
      const { code, text } = await run(status, { check: true });
      expect(code, text).to.equal(0);
      expect(text).to.contain(`${unknown}, not known here, says that ${RECIPIENT} may take 7`);
    });

    it("Admin commands on a local chain guard status is one JSON object for programs", async () => {
      const { text } = await run(status, { json: true });
      const parsed = JSON.parse(text);
      expect(parsed).to.deep.include({ chainId: 31337, paused: false, desired: false, drift: [] });
      expect(parsed.routes).to.have.length(2);
    });

    it("refuses a desired file that cannot be read, and one of another guard", async () => {
      for (const [content, words] of [
        ["{", "is not JSON"],
        [{ routes: 1 }, "routes"],
        [{ guard: RECIPIENT }, `is about the guard ${RECIPIENT}`],
      ] as const) {
        await desire(content);
        expectSaid(await run(status, {}), 1, words);
      }
    });
  });

  describe("guard apply", () => {
    it("shows, writes a Safe file, sends, and has nothing to do the second time", async () => {
      const before = await asIs();
      const [first, second] = before.routes;
      await desire({ ...before, routes: [second], recipients: [RECIPIENT], pauser: null });
      const at = await blocks();
      const dry = await run(apply, {});
      expect(dry.code).to.equal(0);
      expect(dry.text).to.match(
        /1\. disallow route .*uniswap-v2 of the registry[\s\S]*2\. 0x\w+ is no longer a pauser[\s\S]*3\. allow recipient/,
      );

      const path = admin.path("out.json");
      expect((await run(apply, { safe: path })).code).to.equal(0);
      const file = JSON.parse(await readFile(path, "utf8"));
      expect(isSafeFileWhole(file)).to.equal(true);
      expect(file.transactions.map((one: any) => one.contractMethod.name)).to.deep.equal([
        "disallowRoute",
        "revokeRole",
        "allowRecipient",
      ]);
      expect(await blocks()).to.equal(at);

      expect((await run(apply, EXECUTE)).code).to.equal(0);
      const after = await view();
      expect(after).to.deep.include({ recipients: [RECIPIENT], routes: [second] });
      expect(after.holders.pauser).to.have.length(1);
      expect(await historyOf()).to.deep.equal([
        "guard apply disallowRoute confirmed",
        "guard apply revokeRole confirmed",
        "guard apply allowRecipient confirmed",
      ]);
      const again = await run(apply, EXECUTE);
      expect(again).to.deep.equal(NOTHING);
      expect((await run(status, { check: true })).code).to.equal(0);

      await desire(before);
      expect((await run(apply, EXECUTE)).code).to.equal(0);
      expect((await view()).routes).to.deep.include(first);
    });

    it("names what it leaves to a person, and ends with 1", async () => {
      await desire({ signer: RECIPIENT });
      const text = expectSaid(await run(apply, EXECUTE), 1);
      expect(text)
        .to.contain("guard rotate-signer")
        .and.to.contain("NOT as desired")
        .and.to.not.contain("the chain is already as it should be");
    });

    it("allows no route that cannot be one", async () => {
      await desire({ routes: [{ route: chain.token("USDL"), selector: "0x38ed1739" }] });
      const at = await blocks();
      expectSaid(await run(apply, EXECUTE), 1, "is the token USDL of the registry");
      expect(await blocks()).to.equal(at);
    });

    it("applies nothing without a desired state", async () => {
      expect((await run(apply, {})).code).to.equal(1);
    });
  });

  describe("guard allow-route and disallow-route", () => {
    it("take a route off and put it back, known by its registry and its published code", async () => {
      const args = {
        route: v2(),
        selector: "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)",
      };
      expect((await run(disallowRoute, { ...args, ...EXECUTE })).code).to.equal(0);
      expect((await view()).routes).to.have.length(1);
      const back = await run(allowRoute, { ...args, selector: "0x38ED1739", ...EXECUTE });
      expect(back.code, back.text).to.equal(0);
      expect(back.text).to.contain(
        "uniswap-v2 of the registry, code of Uniswap V2 Router02 (@uniswap/v2-periphery)",
      );
      expect(back.text).to.not.contain("WARNING");
      expect((await view()).routes).to.have.length(2);
      const again = await run(allowRoute, { ...args, ...EXECUTE });
      expect(again).to.deep.equal(NOTHING);
      expect(await historyOf()).to.deep.equal([
        "guard disallow-route disallowRoute confirmed",
        "guard allow-route allowRoute confirmed",
      ]);
    });

    it("warn of a function that the contract does not seem to have", async () => {
      const { code, text } = await run(allowRoute, { route: v2(), selector: "exotic(uint256)" });
      expect(code).to.equal(0);
      expect(text).to.contain("is a function not known here");
      expect(text).to.match(/code does not contain 0x[0-9a-f]{8}/);
    });

    it("refuse what is no contract, a token, one of our own, Permit2, or no trade", async () => {
      const { guard, executor } = chain.deployment;
      const router = new Contract(v2(), ["function WETH() view returns (address)"], chain.provider);
      const wrapped: string = await router.getFunction("WETH").staticCall();
      for (const [route, selector, words] of [
        [RECIPIENT, "0x38ed1739", "there is no contract at this address"],
        [chain.accounts.users[0]!.address, "0x38ed1739", "there is no contract at this address"],
        [chain.token("AAPLx"), "0x38ed1739", "is the token AAPLx of the registry"],
        [wrapped, "0x38ed1739", "so it is a token"],
        [guard, "0x38ed1739", "it is the guard"],
        [executor, "0x38ed1739", "the guard's executor"],
        ["0x000000000022D473030F116dDEE9F6B43aC78BA3", "0x38ed1739", "Permit2"],
        [v2(), "0x23b872dd", "is not a trade"],
        [v2(), "transferFrom(address,address,uint256)", "is not a trade"],
      ] as const) {
        expectSaid(await run(allowRoute, { route, selector, ...EXECUTE }), 1, words);
      }
    });

    it("refuse what is not understood with 2, and an unknown route with 1", async () => {
      const cases = [
        [{ route: "0x12", selector: "0x38ed1739" }, 2],
        [{ route: v2().toLowerCase().replace("0x", "0xA"), selector: "0x38ed1739" }, 2],
        [{ route: v2(), selector: "exactInputSingle" }, 2],
        [{ route: v2(), selector: "" }, 2],
        [{ route: RECIPIENT, selector: "0x38ed1739" }, 1],
      ] as const;
      for (const [args, expected] of cases)
        expect((await run(disallowRoute, args)).code, JSON.stringify(args)).to.equal(expected);
    });
  });

  it("guard allow-recipient and disallow-recipient change the list, and refuse tokens", async () => {
    const args = { recipient: RECIPIENT, ...EXECUTE };
    expect((await run(allowRecipient, args)).code).to.equal(0);
    expect((await view()).recipients).to.deep.equal([RECIPIENT]);
    expect((await run(allowRecipient, args)).text).to.contain("Nothing to do");
    expect((await run(disallowRecipient, args)).code).to.equal(0);
    expect((await view()).recipients).to.deep.equal([]);
    const token = await run(allowRecipient, { recipient: chain.token("USDL") });
    expect(token).to.deep.include({ code: 1 });
    const guard = await run(allowRecipient, { recipient: chain.deployment.guard });
    expect(guard.text).to.contain("InvalidRecipient");
  });

  it("guard unpause names whose certificates will count, and unpauses", async () => {
    await (await guardAs(chain).pause()).wait();
    const other = await adminAt({ attestor: RECIPIENT });
    const { code, text } = await run(unpause, EXECUTE, other);
    expect(code).to.equal(0);
    expect(text).to.contain(`The service here signs with ${RECIPIENT}, which the guard will refuse`);
    expect((await view()).paused).to.equal(false);
    expect((await run(unpause, EXECUTE)).text).to.contain("Nothing to do");
  });

  it("guard grant-role and revoke-role hand over to an admin that somebody controls, and keep one", async () => {
    const { deployer, users, attestation } = chain.accounts;
    const successor = users[4]!;
    const handover = { role: "admin", account: successor.address, ...EXECUTE };
    const unproved = await run(grantRole, handover);
    expect(unproved.code).to.equal(1);
    expect(unproved.text).to.contain(adminText(31_337, successor.address));
    const adminProof = proofOf(successor);
    for (const account of [attestation.address, chain.deployment.guard])
      expect((await run(grantRole, { role: "admin", account, adminProof })).code).to.equal(1);
    const only = await run(revokeRole, { role: "admin", account: deployer.address, ...EXECUTE });
    expect(only.text).to.contain("is the only admin");
    expect((await run(grantRole, { ...handover, role: "king" })).code).to.equal(2);

    expect((await run(grantRole, { ...handover, adminProof })).code).to.equal(0);
    const next = await adminAt({ accounts: keys(successor.privateKey) });
    const gone = { role: "admin", account: deployer.address, ...EXECUTE };
    expect((await run(revokeRole, { ...gone, role: "pauser" }, next)).text).to.contain("can always pause");
    expect((await run(revokeRole, gone, next)).code).to.equal(0);
    const { holders } = await view();
    expect([...holders.admin, ...holders.operator].map(({ account }) => account)).to.deep.equal([
      successor.address,
      successor.address,
    ]);
    const refused = await run(allowRecipient, { recipient: RECIPIENT, ...EXECUTE });
    expect(refused.text).to.contain(`allowRecipient is for an operator (${successor.address})`);
    await run(
      grantRole,
      { role: "admin", account: deployer.address, adminProof: proofOf(deployer), ...EXECUTE },
      next,
    );
    expect((await run(revokeRole, handover)).code).to.equal(0);
  });

  it("each show a dry run, write a whole Safe file, send, and have nothing to do the second time", async () => {
    const v3 = chain.dex.v3.router;
    const pauser = { role: "pauser", account: chain.accounts.users[4]!.address };
    await (await guardAs(chain).pause()).wait();
    const desired = await asIs();
    await desire({ ...desired, recipients: [RECIPIENT], paused: undefined });
    const route = { route: v3, selector: "0x414bf389" };
    const recipient = { recipient: RECIPIENT };
    const commands: [string, AnyCommand, Words, AdminCall["name"]][] = [
      ["guard disallow-route", disallowRoute, route, "disallowRoute"],
      ["guard allow-route", allowRoute, route, "allowRoute"],
      ["guard apply", apply, {}, "allowRecipient"],
      ["guard disallow-recipient", disallowRecipient, recipient, "disallowRecipient"],
      ["guard allow-recipient", allowRecipient, recipient, "allowRecipient"],
      ["guard grant-role", grantRole, pauser, "grantRole"],
      ["guard revoke-role", revokeRole, pauser, "revokeRole"],
      ["guard unpause", unpause, {}, "unpause"],
    ];
    for (const [name, command, own, call] of commands) {
      const at = await blocks();
      const dry = await run(command, own);
      expect(dry, name).to.deep.include({ code: 0 });
      expect(dry.text).to.contain("Dry run: nothing was sent").and.to.contain(`   call    ${call}(`);
      const safe = admin.path(`${name}.json`);
      expect((await run(command, { ...own, safe })).code).to.equal(0);
      const file = JSON.parse(await readFile(safe, "utf8"));
      expect(isSafeFileWhole(file), name).to.equal(true);
      expect(file.transactions.map(({ contractMethod }: any) => contractMethod.name)).to.deep.equal([call]);
      expect(await blocks(), name).to.equal(at);
      expect((await run(command, { ...own, ...EXECUTE })).code, name).to.equal(0);
      const again = await run(command, { ...own, ...EXECUTE });
      expect(again, name).to.deep.equal(NOTHING);
    }
    expect(await historyOf()).to.deep.equal(commands.map(([name, , , call]) => `${name} ${call} confirmed`));
    await run(disallowRecipient, { recipient: RECIPIENT, ...EXECUTE });
  });

  describe("where the admin's calls have to wait", () => {
    const DELAY = 7_200;
    const recipient = { recipient: RECIPIENT, ...EXECUTE };
    let pauserOnly: FakeAdmin;
    /** Another guard for each test. */
    let salt = 0;
    const scheduledNow = async () => JSON.parse((await run(status, { json: true })).text).scheduled;

    beforeEach(async () => {
      const { deployer, pauser, attestation } = chain.accounts;
      const roles = { admin: deployer.address, pauser: pauser.address, signer: attestation.address };
      const args = {
        ...roles,
        delay: String(DELAY),
        adminIsDeployer: true,
        salt: String(++salt),
        ...EXECUTE,
      };
      // The pauser's key would cancel, and is somebody else's here.
      admin = await adminAt({ accounts: keys(deployer.privateKey) });
      const deployed = await run(deploy, args);
      expect(deployed.code, deployed.text).to.equal(0);
      const other = await adminAt({ accounts: keys(pauser.privateKey) });
      pauserOnly = { ...admin, world: { ...admin.world, network: other.world.network } };
    });

    it("the first run schedules, a run before the time shows when, and a run after it executes", async () => {
      const first = await run(allowRecipient, recipient);
      expect(first.code, first.text).to.equal(0);
      expect(first.text).to.contain(`schedule, to be executed after ${DELAY} seconds: allow recipient`);
      expect(first.text).to.contain("Nothing of what was scheduled has taken effect");
      const [operation, ...more] = await scheduledNow();
      expect(more).to.deep.equal([]);
      expect(operation).to.include({ call: `allowRecipient(recipient: ${RECIPIENT})` });
      const shown = (await run(listScheduled, {})).text;
      expect(shown)
        .to.contain(operation.id)
        .and.to.contain(`ready at ${isoTime(operation.readyAt)}`);

      const early = await run(allowRecipient, recipient);
      expect(early).to.deep.include({ code: 0 });
      expect(early.text).to.contain(`can be executed from ${isoTime(operation.readyAt)} on`);
      expect((await run(executeScheduled, { ...EXECUTE })).text).to.contain("Nothing is ready.");
      await chain.tick(DELAY);
      const done = await run(allowRecipient, recipient);
      expect(done.code, done.text).to.equal(0);
      expect(done.text).to.contain(`read back recipient ${RECIPIENT} allowed: true`);
      expect(await scheduledNow()).to.deep.equal([]);
      expect(await historyOf()).to.deep.equal([
        "guard deploy constructor confirmed",
        "guard allow-recipient schedule confirmed",
        "guard allow-recipient execute confirmed",
      ]);
      // What only restricts waits for nothing.
      expect((await run(disallowRecipient, recipient, pauserOnly)).text).to.contain("allowed: false");
    });

    it("a pauser cancels what a stolen admin key scheduled, were it a role", async () => {
      const role = { role: "pauser", account: RECIPIENT, ...EXECUTE };
      expect((await run(grantRole, role)).code).to.equal(0);
      expect((await run(unpause, EXECUTE)).text).to.contain("Nothing to do");
      await run(allowRecipient, recipient);
      const [{ id }, other] = await scheduledNow();
      expect((await run(cancelScheduled, { id: RECIPIENT, ...EXECUTE })).code).to.equal(2);
      expect((await run(cancelScheduled, { id, ...EXECUTE }, pauserOnly)).code).to.equal(0);
      expect(await scheduledNow()).to.deep.equal([other]);
      expect((await run(cancelScheduled, { id: "all", ...EXECUTE }, pauserOnly)).code).to.equal(0);
      await chain.tick(DELAY);
      expect((await run(executeScheduled, { ...EXECUTE })).text).to.contain("Nothing is ready.");
      expect(await scheduledNow()).to.deep.equal([]);
    });

    it("one command executes all that is ready, and a Safe file has the manager's schedule and execute", async () => {
      const route = { route: v2(), selector: "0x38ed1739" };
      const names = async () => {
        const { transactions } = JSON.parse(await readFile(admin.path("out.json"), "utf8"));
        return transactions.map(({ to, contractMethod }: any) => [to, contractMethod.name]);
      };
      const { manager } = JSON.parse((await run(status, { json: true })).text);
      await run(allowRoute, { ...route, safe: admin.path("out.json") });
      expect(await names()).to.deep.equal([[manager, "schedule"]]);
      await run(allowRoute, { ...route, ...EXECUTE });
      await run(allowRecipient, recipient);
      await chain.tick(DELAY);
      await run(executeScheduled, { safe: admin.path("out.json") });
      expect(await names()).to.deep.equal([
        [manager, "execute"],
        [manager, "execute"],
      ]);
      const done = await run(executeScheduled, { ...EXECUTE });
      expect(done.code, done.text).to.equal(0);
      const found = JSON.parse((await run(status, { json: true })).text);
      expect(found).to.deep.include({ routes: [route], recipients: [RECIPIENT], scheduled: [] });
    });
  });
});
