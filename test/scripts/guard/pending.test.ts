/** Transactions that no run saw to their end, on the real chain behind an RPC that loses them. */

import { mkdir, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { Wallet } from "ethers";
import { GUARD_ABI } from "../../../chain/abis.ts";
import { EXIT } from "../../../scripts/errors.ts";
import { TradeGuard__factory } from "../../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { type FakeAdminOptions, fakeAdmin, keys, loseSending, typedBy } from "../../support/admin.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { expectSaid } from "../../support/said.ts";
import { ofSuite, ofTest } from "../../support/suite.ts";
import { assayIn, wordsOf } from "../../support/typed.ts";
import { testWorld } from "../../support/world.ts";

let last = 0x1000;
const ODD = "0x2222222222222222222222222222222222222222";

describe("guard pending", () => {
  const chain = testWorld();
  const rpc = ofSuite(() => flakyRpc(chain.url));
  const admin = ofTest(() => newAdmin());
  beforeEach(() => {
    rpc.decide = () => null;
  });

  const start = Date.now();
  /** A minute in three seconds. */
  const now = () => start + (Date.now() - start) * 20;
  const newAdmin = (options: FakeAdminOptions = {}) => fakeAdmin(chain, { url: rpc.url, now, ...options });
  const records = () => admin.records;
  const outcomes = async () => (await records().readHistory()).map(({ outcome }) => outcome);
  const isAllowed = (recipient: string) =>
    TradeGuard__factory.connect(chain.deployment.guard, chain.provider).isRecipientAllowed(recipient);
  const run = (words = "") => typedBy(admin, `guard pending ${words}`);

  /** Ctrl-C after the sending of a transaction that the node then loses. @returns whose listing is out */
  async function interrupted(): Promise<string> {
    const recipient = `0x${(++last).toString(16).padStart(40, "0")}`;
    await loseSending(admin, rpc, recipient);
    rpc.sent.length = 0;
    admin.take();
    return recipient;
  }

  it("signs and hands on only what the file shows: not another chain's, nor an edited one", async () => {
    await interrupted();
    const whole = (await records().readPending())!;
    const [attempt] = whole.attempts;
    const other = GUARD_ABI.encodeFunctionData("allowRecipient", [ODD]);
    const signedOther = await new Wallet(chain.accounts.deployer.privateKey).signTransaction({
      type: 2,
      chainId: 31337,
      nonce: whole.nonce,
      to: whole.to,
      data: other,
      gasLimit: 100_000n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
    });
    const edits: [object, RegExp][] = [
      [{ chainId: 97 }, /it is about chain 97, and this is 31337/],
      [{ to: ODD }, /goes to another address than the guard/],
      [{ data: other }, /its data is not the call that it names/],
      [{ call: { name: "unpause", args: [] } }, /its data is not the call that it names/],
      [{ attempts: [{ ...attempt, raw: signedOther }] }, /a signed transaction in it is a different one/],
      [{ attempts: [{ ...attempt, raw: "0x02" }] }, /a signed transaction in it is a different one/],
    ];
    for (const [edit, said] of edits) {
      await writeFile(records().path("pending.json"), JSON.stringify({ ...whole, ...edit }));
      for (const words of ["", "bump --execute", "resend --execute"]) {
        expectSaid(await run(words), EXIT.unusable, said);
      }
    }
    expect(rpc.sent).to.deep.equal([]);
  });

  it("guard pending does nothing by a record that is about another chain", async () => {
    const { guard, deployedAtBlock } = chain.deployment;
    await mkdir(admin.world.deploymentsDir, { recursive: true });
    await writeFile(records().path("json"), JSON.stringify({ chainId: 97, guard, deployedAtBlock }));
    expectSaid(await run(), EXIT.unusable, "31337.json is about chain 97, and this is 31337.");
  });

  it("says that no admin transaction is pending", async () => {
    expect(await run()).to.deep.equal({ code: EXIT.ok, text: "No transaction is pending." });
    expect(await run("--json")).to.deep.equal({ code: EXIT.ok, text: "[]" });
  });

  it("prints JSON for scripts, without what is signed, and exits with 3 until there is an outcome", async () => {
    const recipient = await interrupted();
    const { hash } = (await records().readPending())!.attempts[0]!;
    const open = await run("--json");
    expect(open.code, open.text).to.equal(EXIT.pending);
    const [out, ...more] = JSON.parse(open.text);
    expect(more).to.deep.equal([]);
    expect(out).to.include({ command: "guard allow-recipient", reason: "a payee", state: "unknown" });
    expect(out.attempts[0]).to.have.keys("hash", "maxFeePerGas", "maxPriorityFeePerGas", "sentAt");
    expect(out.attempts[0].hash).to.equal(hash);
    await chain.provider.send("eth_sendRawTransaction", [(await records().readPending())!.attempts[0]!.raw]);
    const done = await run("--json");
    expect([done.code, JSON.parse(done.text)[0].state]).to.deep.equal([EXIT.ok, "confirmed"]);
    expect(await outcomes()).to.deep.equal(["confirmed"]);
    expect(await isAllowed(recipient)).to.equal(true);
  });

  it("shows what is out: what it does, who sent it and why, its attempts, nonces and price; exit 3", async () => {
    const recipient = await interrupted();
    const text = expectSaid(await run(), EXIT.pending);
    const out = (await records().readPending())!;
    for (const part of [
      'An earlier "guard allow-recipient" was not seen to finish',
      `allow recipient ${recipient}`,
      "The node does not know it",
      "Reason   a payee",
      "By       alice",
      out.attempts[0]!.hash!,
      `next nonce ${out.nonce}`,
      "resend sends it to the node again",
      "bump offers more",
      "cancel uses the",
    ])
      expect(text).to.contain(part);
    await run("cancel --execute");
  });

  it("resends, bumps and cancels nothing without --execute", async () => {
    await interrupted();
    for (const way of ["resend", "bump", "cancel"]) {
      expectSaid(await run(way), EXIT.pending, "Dry run: nothing was sent.");
    }
    expect(rpc.sent).to.deep.equal([]);
    for (const words of ["bump cancel", "--execute", "end"])
      expect((await run(words)).code, words).to.equal(EXIT.unusable);
    await run("cancel --execute");
  });

  it("hands it to the node again, and sees it to its end", async () => {
    const recipient = await interrupted();
    expectSaid(await run("resend --execute"), EXIT.ok);
    expect(await isAllowed(recipient)).to.equal(true);
    expect(await outcomes()).to.deep.equal(["confirmed"]);
    expect(await records().readPending()).to.equal(null);
    expect((await run()).text).to.equal("No transaction is pending.");
  });

  it("offers more for the same nonce, and keeps both attempts until one is mined", async () => {
    const recipient = await interrupted();
    const before = (await records().readPending())!;
    expectSaid(await run("bump --execute"), EXIT.ok);
    expect(rpc.sent).to.have.length(1);
    expect(rpc.sent[0]!.nonce).to.equal(before.nonce);
    expect(rpc.sent[0]!.maxFeePerGas! * 10n >= BigInt(before.attempts[0]!.maxFeePerGas) * 11n).to.equal(true);
    expect(await isAllowed(recipient)).to.equal(true);
    expect((await records().readHistory())[0]!.transaction).to.equal(rpc.sent[0]!.hash);
  });

  it("finds the first attempt mined after a bump that was interrupted", async () => {
    const recipient = await interrupted();
    const first = (await records().readPending())!.attempts[0]!;
    rpc.decide = (method, transaction) =>
      method === "eth_sendRawTransaction" ? { result: transaction!.hash } : null;
    const cut = { ...admin.world, sleep: () => Promise.reject(new Error("Ctrl-C")) };
    await assayIn(wordsOf("guard pending bump --execute"), cut);
    rpc.decide = () => null;
    expect((await records().readPending())!.attempts).to.have.length(2);
    await chain.provider.send("eth_sendRawTransaction", [first.raw]);
    expectSaid(await run(), EXIT.ok, /It was confirmed in block [0-9]+/);
    expect((await records().readHistory())[0]!.transaction).to.equal(first.hash);
    expect(await isAllowed(recipient)).to.equal(true);
  });

  it("cancels: the nonce is used up and the call can never happen", async () => {
    const recipient = await interrupted();
    const { raw } = (await records().readPending())!.attempts[0]!;
    expectSaid(await run("cancel --execute"), EXIT.ok, "Cancelled: allow recipient");
    expect(await outcomes()).to.deep.equal(["replaced"]);
    const late = await chain.provider.send("eth_sendRawTransaction", [raw]).catch(() => "refused");
    expect(late).to.equal("refused");
    expect(await isAllowed(recipient)).to.equal(false);
  });

  it("says when it is too late to cancel", async () => {
    const recipient = await interrupted();
    const { raw } = (await records().readPending())!.attempts[0]!;
    rpc.decide = async (method) => {
      if (method === "eth_sendRawTransaction") {
        await chain.provider.send("eth_sendRawTransaction", [raw]);
        return { result: `0x${"cd".repeat(32)}` };
      }
      return null;
    };
    const { code, text } = await run("cancel --execute");
    expect(code).to.equal(EXIT.failed);
    expect(text).to.contain("Too late to cancel: it was confirmed");
    expect(await isAllowed(recipient)).to.equal(true);
  });

  it("needs the key of the account whose nonce it is", async () => {
    await interrupted();
    const { users } = chain.accounts;
    const stranger = {
      ...admin.world,
      network: { ...admin.world.network, accounts: () => keys(users[0]!.privateKey) },
    };
    expect(await assayIn(wordsOf("guard pending cancel --execute"), stranger)).to.equal(EXIT.failed);
    expect(admin.take()).to.contain("Only ").and.to.contain("can sign for its nonce");
    await run("cancel --execute");
  });
});
