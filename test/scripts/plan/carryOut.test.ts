import { readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { JsonRpcProvider, keccak256 } from "ethers";
import {
  type AdminCall,
  pauseCall,
  setRecipientCall,
  setRouteCall,
  unpauseCall,
} from "../../../chain/guard/adminCalls.ts";
import { GUARD_ABI } from "../../../chain/guard/events.ts";
import { readGuardView } from "../../../chain/guard/reading.ts";
import { type GuardRoles, readRoles } from "../../../chain/guard/roles.ts";
import { withSession } from "../../../scripts/admin/session.ts";
import { EXIT } from "../../../scripts/errors.ts";
import { actOnGuard, carryOut } from "../../../scripts/plan/byRole.ts";

import type { ActGiven } from "../../../scripts/plan/options.ts";
import { adminsOf, behind, type FakeAdmin, keys, unknownTransaction } from "../../support/admin.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { shownIn } from "../../support/typed.ts";
import { testWorld } from "../../support/world.ts";

const EXECUTE = { execute: true };
const ROUTE = { route: "0x1111111111111111111111111111111111111111", selector: "0x38ed1739" };

describe("Carrying out calls on the guard", () => {
  const chain = testWorld();
  const adminAt = adminsOf(chain);

  async function act(
    admin: FakeAdmin,
    make: (roles: GuardRoles) => AdminCall[],
    given: ActGiven = {},
  ): Promise<{ code: number; text: string }> {
    const code = await shownIn(admin.world, () =>
      actOnGuard(admin.world, given, "guard test", (_session, roles) => make(roles)),
    );
    return { code, text: admin.take() };
  }
  const history = (admin: FakeAdmin) => admin.records.readHistory();
  const rolesNow = () => readRoles(chain.provider, chain.deployment.guard);

  it("shows chain, guard, caller, difference, decoded call, gas and simulated event, and sends nothing", async () => {
    const admin = await adminAt();
    const before = await chain.provider.getBlockNumber();
    const { code, text } = await act(admin, () => [setRouteCall(ROUTE, true, "uniswap-v2")]);
    expect(code).to.equal(EXIT.ok);
    for (const part of [
      `31337 (local), block ${before}`,
      chain.deployment.guard,
      `${chain.accounts.deployer.address}, an admin, an operator, a pauser`,
      "allow route 0x1111111111111111111111111111111111111111 (uniswap-v2), 0x38ed1739 swapExactTokensForTokens(",
      "not allowed -> allowed",
      "allowRoute(route: 0x1111111111111111111111111111111111111111, selector: 0x38ed1739)",
      "RouteSet(route: 0x1111111111111111111111111111111111111111, selector: 0x38ed1739, allowed: true)",
      "Dry run: nothing was sent",
    ])
      expect(text).to.contain(part);
    expect(text).to.match(/gas {5}[0-9]{2,3},[0-9]{3} at/);
    expect(await chain.provider.getBlockNumber()).to.equal(before);
    expect(await history(admin)).to.deep.equal([]);
  });

  it("sends, waits, reads back, and keeps the whole of it in the history", async () => {
    const admin = await adminAt();
    const calls = () => [setRouteCall(ROUTE, true), setRecipientCall(ROUTE.route, true)];
    const { code, text } = await act(admin, calls, { ...EXECUTE, reason: "for the test" });
    expect(code, text).to.equal(EXIT.ok);
    const [first, second, ...more] = await history(admin);
    expect(more).to.deep.equal([]);
    const receipt = await chain.provider.getTransactionReceipt(first!.transaction!);
    expect(first).to.deep.include({
      chainId: 31337,
      network: "local",
      command: "guard test",
      actor: "alice",
      commit: "0123456789abcdef0123456789abcdef01234567",
      reason: "for the test",
      guard: chain.deployment.guard,
      from: chain.accounts.deployer.address,
      call: { name: "allowRoute", args: [ROUTE.route, ROUTE.selector] },
      outcome: "confirmed",
      block: receipt!.blockNumber,
      gasUsed: receipt!.gasUsed.toString(),
      events: [{ name: "RouteSet", args: { ...ROUTE, allowed: true } }],
      readBack: [{ what: `route ${ROUTE.route} ${ROUTE.selector} allowed`, value: "true", asSent: true }],
    });
    expect(second!.call).to.deep.equal({ name: "allowRecipient", args: [ROUTE.route] });
    expect(await admin.records.readPending()).to.equal(null);
    const view = await readGuardView(chain.provider, chain.deployment);
    expect(view.routes).to.deep.include(ROUTE);
    expect(view.recipients).to.deep.equal([ROUTE.route]);
    expect(view.routes).to.have.length(3);
    await act(admin, () => [setRouteCall(ROUTE, false), setRecipientCall(ROUTE.route, false)], EXECUTE);
    expect((await readGuardView(chain.provider, chain.deployment)).routes).to.have.length(2);
  });

  it("remembers which events it has seen, and asks again about the last hundred blocks alone", async () => {
    const admin = await adminAt();
    const records = admin.records;
    await chain.mine(150);
    const first = await readGuardView(chain.provider, chain.deployment, { records });
    const seen = await records.readSeen(chain.deployment.guard);
    expect(seen?.upToBlock).to.equal(first.block - 100);
    expect(seen?.routes).to.deep.include.members([...first.routes]);
    const asked: number[] = [];
    await using gate = await flakyRpc(chain.url, (method, _, [filter]) => {
      if (method === "eth_getLogs") asked.push(Number((filter as { fromBlock: string }).fromBlock));
      return null;
    });
    const provider = new JsonRpcProvider(gate.url, 31337, { batchMaxCount: 1 });
    const second = await readGuardView(provider, chain.deployment, { records });
    provider.destroy();
    expect(asked).to.deep.equal([first.block - 99]);
    expect(second.routes).to.deep.equal(first.routes);
    expect(await records.readSeen(ROUTE.route)).to.equal(null);
  });

  it("names the role and its holder to who may not act, before anything is sent", async () => {
    const { deployer, pauser, users } = chain.accounts;
    const stranger = await adminAt({ accounts: keys(users[0]!.privateKey) });
    const { code, text } = await act(stranger, (roles) => [unpauseCall(roles)], EXECUTE);
    expect(code).to.equal(EXIT.failed);
    expect(text).to.contain(`unpause is for an operator (${deployer.address})`);
    const either = await act(stranger, (roles) => [pauseCall(roles)], EXECUTE);
    expect(either.text).to.contain(`pause is for a pauser (${deployer.address}, ${pauser.address})`);
    const another = { from: users[0]!.address };
    const from = await act(await adminAt(), (roles) => [unpauseCall(roles)], another);
    expect(from.code).to.equal(EXIT.failed);
  });

  it("decodes the error of a call that the chain would refuse, and sends nothing", async () => {
    const { guard } = chain.deployment;
    const admin = await adminAt();
    const call = setRouteCall({ route: guard, selector: "0x38ed1739" }, true);
    const { code, text } = await act(admin, () => [call], EXECUTE);
    expect(code).to.equal(EXIT.failed);
    expect(text).to.contain(`InvalidRoute(route: ${guard}, selector: 0x38ed1739)`);
    expect(await history(admin)).to.deep.equal([]);
  });

  it("refuses a wrong network, a wrong chain behind the RPC, and an RPC that is not there", async () => {
    const other = await act(await adminAt({ chainId: 56, networkName: "bsc" }), () => []);
    expect(other.text).to.equal(
      'assay: The RPC of the network "bsc" serves chain 31337, but the configuration says 56: nothing was done.',
    );
    const gone = await act(await adminAt({ url: "http://127.0.0.1:9/secret-key" }), () => []);
    expect(gone.code).to.equal(1);
    expect(gone.text)
      .to.match(
        /^assay: The RPC of the network "local" does not answer\. .*RPC_PORT.*DATA_DIR.* \(now \/.*\/data\)\.$/,
      )
      .and.not.contain("secret-key");
  });

  it("asks before it sends on a live chain, and takes a no", async () => {
    // The same chain by another number would be another chain; so the look is made at the question alone.
    const admin = await adminAt({ answer: false });
    const code = await shownIn(admin.world, () =>
      withSession(admin.world, async (session) => {
        const live = { ...session, connection: { ...session.connection, live: true } };
        const roles = await readRoles(session.connection.provider, session.place.guard);
        return Number(await carryOut(live, roles, [pauseCall(roles)], EXECUTE, "guard pause"));
      }),
    );
    expect(code).to.equal(EXIT.failed);
    expect(admin.questions).to.have.length(1);
    expect((await rolesNow()).paused).to.equal(false);
  });

  it("finds a transaction that was sent and not seen to its end, and puts it into the history once", async () => {
    const { guard } = chain.deployment;
    const cut = new Error("Ctrl-C");
    const interrupted = await adminAt({ sleep: () => Promise.reject(cut) });
    // Cut off right after the sending: the receipt is never asked for.
    const before = await rolesNow();
    const failing = await withSession(interrupted.world, async (session) => {
      const provider = new Proxy(session.connection.provider, {
        get(target, name) {
          if (name === "getTransactionReceipt") return () => Promise.reject(cut);
          const member = Reflect.get(target, name, target);
          return member instanceof Function ? member.bind(target) : member;
        },
      });
      const broken = { ...session, connection: { ...session.connection, provider } };
      return await carryOut(broken, before, [pauseCall(before)], EXECUTE, "guard pause");
    }).catch((error: unknown) => error);
    expect(failing).to.not.equal(EXIT.ok);
    const pending = await interrupted.records.readPending();
    expect(pending).to.deep.include({ command: "guard pause", from: chain.accounts.pauser.address, guard });
    expect(pending!.attempts[0]!.hash).to.equal(keccak256(pending!.attempts[0]!.raw!));
    interrupted.take();

    const { code, text } = await act(interrupted, () => []);
    expect(code).to.equal(EXIT.ok);
    expect(text).to.contain('An earlier "guard pause" was not seen to finish');
    expect(text).to.contain(pending!.attempts[0]!.hash!);
    expect(text).to.match(/It was confirmed in block [0-9]+/);
    expect(text).to.contain("read back paused: true");
    expect((await history(interrupted))[0]?.readBack).to.deep.equal([
      { what: "paused", value: "true", asSent: true },
    ]);
    expect((await history(interrupted)).map(({ call, outcome }) => [call.name, outcome])).to.deep.equal([
      ["pause", "confirmed"],
    ]);
    expect((await act(interrupted, () => [])).text).to.not.contain("earlier");
    await act(interrupted, (roles) => [unpauseCall(roles)], EXECUTE);
    expect((await rolesNow()).paused).to.equal(false);
  });

  it("sends nothing over a transaction without an outcome", async () => {
    const admin = await adminAt();
    await admin.records.createPending(await unknownTransaction(chain, "pause"));
    const { code, text } = await act(admin, (roles) => [pauseCall(roles)], EXECUTE);
    expect(code).to.equal(EXIT.pending);
    expect(text).to.contain("The node does not know it");
    expect(text).to.contain("Nothing was sent: the earlier transaction must have an outcome first");
    expect(text).to.contain("guard pending");
    expect(text).to.not.contain("Caller");
    expect((await rolesNow()).paused).to.equal(false);
    // A nonce that was used by another transaction is an outcome.
    const filler = await adminAt();
    await act(filler, () => [setRecipientCall(ROUTE.route, true)], EXECUTE);
    const after = await act(admin, () => []);
    expect(after.text).to.contain("Another transaction of the account used its nonce");
    expect((await history(admin)).map(({ outcome, actor }) => [outcome, actor])).to.deep.equal([
      ["replaced", "bob"],
    ]);
    await act(filler, () => [setRecipientCall(ROUTE.route, false)], EXECUTE);
  });

  it("sends through an external signer behind the RPC", async () => {
    const admin = await adminAt({ accounts: { kind: "remote" } });
    expect((await act(admin, (roles) => [pauseCall(roles)], EXECUTE)).code).to.equal(EXIT.ok);
    expect((await act(admin, (roles) => [unpauseCall(roles)], EXECUTE)).code).to.equal(EXIT.ok);
    expect((await history(admin)).map(({ from }) => from)).to.deep.equal([
      chain.accounts.pauser.address,
      chain.accounts.deployer.address,
    ]);
  });

  it("keeps an outcome once, though a crash left the pending file beside it", async () => {
    const admin = await adminAt();
    const records = admin.records;
    let pending: Awaited<ReturnType<typeof records.readPending>> = null;
    // The file as it was while the transaction was out.
    await using gate = await flakyRpc(chain.url, (method) => {
      if (method === "eth_getTransactionReceipt")
        pending ??= JSON.parse(readFileSync(records.path("pending.json"), "utf8"));
      return null;
    });
    const watched = behind(admin, gate);
    expect((await act(watched, () => [setRecipientCall(ROUTE.route, true)], EXECUTE)).code).to.equal(EXIT.ok);
    await records.createPending(pending!);
    expect((await act(admin, () => [])).text).to.contain("It was confirmed");
    expect(await history(admin)).to.have.length(1);
    expect(await records.readPending()).to.equal(null);
    await act(admin, () => [setRecipientCall(ROUTE.route, false)], EXECUTE);
  });

  it("says so when the guard is not as its transactions should have made it", async () => {
    const admin = await adminAt();
    const asked = GUARD_ABI.encodeFunctionData("isRecipientAllowed", [ROUTE.route]);
    await using gate = await flakyRpc(chain.url, (method, _, [call]) =>
      method === "eth_call" && (call as { data?: string }).data === asked
        ? { result: GUARD_ABI.encodeFunctionResult("isRecipientAllowed", [false]) }
        : null,
    );
    const lied = behind(admin, gate);
    const { code, text } = await act(lied, () => [setRecipientCall(ROUTE.route, true)], EXECUTE);
    expect(code).to.equal(EXIT.failed);
    expect(text).to.contain("which is not what was sent");
    expect((await history(admin))[0]?.readBack[0]).to.include({ value: "false", asSent: false });
    await act(admin, () => [setRecipientCall(ROUTE.route, false)], EXECUTE);
  });

  it("finds by its nonce what an external signer sent under a hash that it never told", async () => {
    const admin = await adminAt({ accounts: { kind: "remote" } });
    await using gate = await flakyRpc(chain.url, (method) =>
      method === "eth_sendTransaction" ? "lose-answer" : null,
    );
    const broken = behind(admin, gate);
    const cut = await act(broken, (roles) => [pauseCall(roles)], EXECUTE).catch(() => null);
    expect(cut?.code ?? EXIT.failed).to.not.equal(EXIT.ok);
    const records = admin.records;
    expect((await records.readPending())?.attempts[0]).to.include({ hash: null, raw: null });
    admin.take();
    const { text } = await act(admin, () => []);
    expect(text).to.match(/It was confirmed in block [0-9]+/);
    expect((await history(admin)).map(({ call, outcome }) => `${call.name} ${outcome}`)).to.deep.equal([
      "pause confirmed",
    ]);
    expect((await history(admin))[0]?.transaction).to.match(/^0x[0-9a-f]{64}$/);
    await act(admin, (roles) => [unpauseCall(roles)], EXECUTE);
  });

  it("ends with 3 when the RPC goes away once the transaction is out, and with 1 before", async () => {
    for (const [from, code] of [
      ["eth_sendRawTransaction", EXIT.pending],
      ["eth_getTransactionReceipt", EXIT.pending],
      ["eth_estimateGas", EXIT.failed],
    ] as const) {
      const admin = await adminAt();
      let isAway = false;
      await using gate = await flakyRpc(chain.url, (method) => {
        isAway ||= method === from;
        return isAway ? "drop" : null;
      });
      const cut = behind(admin, gate);
      const done = await act(cut, () => [setRecipientCall(ROUTE.route, true)], EXECUTE);
      expect(done.code, done.text).to.equal(code);
      expect(done.text.includes("The transaction may have been sent; it is recorded")).to.equal(
        code === EXIT.pending,
      );
      const out = await admin.records.readPending();
      expect(out !== null).to.equal(code === EXIT.pending);
    }
    const admin = await adminAt();
    const isListed = async () =>
      (await readGuardView(chain.provider, chain.deployment)).recipients.includes(ROUTE.route);
    if (await isListed()) await act(admin, () => [setRecipientCall(ROUTE.route, false)], EXECUTE);
  });

  it("sends and keeps the outcome although a line of the history cannot be read", async () => {
    const admin = await adminAt();
    const records = admin.records;
    await mkdir(admin.world.deploymentsDir, { recursive: true });
    // Edited by hand, and cut off by a power cut.
    await writeFile(records.path("history.jsonl"), 'a note\n{"at":"2026-');
    const { code, text } = await act(admin, () => [setRecipientCall(ROUTE.route, true)], EXECUTE);
    expect(code, text).to.equal(EXIT.ok);
    const lines = (await readFile(records.path("history.jsonl"), "utf8")).trimEnd().split("\n");
    expect(lines).to.have.length(3);
    expect(JSON.parse(lines[2]!)).to.deep.include({ outcome: "confirmed" });
    await act(admin, () => [setRecipientCall(ROUTE.route, false)], EXECUTE);
  });

  it("tells what the node refuses, and leaves nothing pending that never left", async () => {
    const admin = await adminAt();
    await using gate = await flakyRpc(chain.url, (method) =>
      method === "eth_sendRawTransaction"
        ? { error: { code: -32000, message: "insufficient funds for gas * price + value: secret words" } }
        : null,
    );
    const poor = behind(admin, gate);
    const { code, text } = await act(poor, (roles) => [pauseCall(roles)], EXECUTE);
    expect(code).to.equal(EXIT.failed);
    expect(text).to.contain("The node refused the transaction. The account does not have enough native coin");
    expect(text).to.not.contain("secret words");
    expect(await admin.records.readPending()).to.equal(null);
  });

  it("prints the raw call and writes a Safe file, both without sending", async () => {
    const admin = await adminAt();
    const before = await chain.provider.getBlockNumber();
    const path = admin.path("out.json");
    const both = { safe: path, print: true };
    const { code, text } = await act(admin, () => [setRouteCall(ROUTE, true)], both);
    expect(code).to.equal(EXIT.ok);
    expect(text).to.contain(GUARD_ABI.encodeFunctionData("allowRoute", [ROUTE.route, ROUTE.selector]));
    expect(JSON.parse(await readFile(path, "utf8")).transactions).to.have.length(1);
    expect(await chain.provider.getBlockNumber()).to.equal(before);
    expect((await act(admin, () => [setRouteCall(ROUTE, true)], { ...EXECUTE, print: true })).code).to.equal(
      EXIT.unusable,
    );
  });
});
