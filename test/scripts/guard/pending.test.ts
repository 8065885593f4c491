/** `assay guard pending`: transactions that no run saw to their end, on the real chain behind an RPC that loses them. */
import { writeFile } from "node:fs/promises";
import { expect } from "chai";
import { Wallet } from "ethers";
import { GUARD_ABI } from "../../../chain/abis.ts";
import { EXIT } from "../../../scripts/errors.ts";
import { TradeGuard__factory } from "../../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { fakeAdmin, loseSending, typedBy } from "../../support/admin.ts";
import { adminTable, type Row } from "../../support/adminTable.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { losing } from "../../support/rpcFaults.ts";
import { expectSaid } from "../../support/said.ts";
import { ofSuite, ofTest } from "../../support/suite.ts";
import { assayIn, wordsOf } from "../../support/typed.ts";
import { testWorld } from "../../support/world.ts";

const ODD = "0x2222222222222222222222222222222222222222";
const LOST = 'guard allow-recipient $NOBODY --execute --reason "a payee"';
const ALLOWED: Partial<Row> = {
  sends: ["allowRecipient confirmed"],
  becomes: { recipients: ["$NOBODY"] },
};

const ROWS: readonly Row[] = [
  {
    name: "says that no transaction is pending",
    types: "guard pending",
    says: [/^No transaction is pending\.$/],
  },
  { name: "has an empty list for scripts", types: "guard pending --json", says: [/^\[\]$/] },
  {
    name: "does nothing by a record that is about another chain",
    files: {
      "deployments/31337.json": ({ deployment: { guard, deployedAtBlock } }) =>
        JSON.stringify({ chainId: 97, guard, deployedAtBlock }),
    },
    types: "guard pending",
    code: EXIT.unusable,
    says: ["31337.json is about chain 97, and this is 31337."],
  },
  {
    name: "shows what is out: what it does, who sent it and why, its attempts, nonces and price",
    lost: LOST,
    types: "guard pending",
    code: EXIT.pending,
    says: [
      'An earlier "guard allow-recipient" was not seen to finish: allow recipient $NOBODY',
      /Transaction 0x\w{64}, nonce (\d+) of [\s\S]*Sent {5}\d+ s ago: 0x\w{64}, at most [\s\S]*next nonce \1,/,
      "The node does not know it",
      "Reason   a payee",
      "By       alice",
      "resend sends it to the node again",
      "bump offers more",
      "cancel uses the",
    ],
  },
  {
    name: "prints JSON for scripts, without what is signed",
    lost: LOST,
    types: "guard pending --json",
    code: EXIT.pending,
    after: (_, said) => {
      const [out, ...more] = JSON.parse(said);
      expect(more).to.deep.equal([]);
      expect(out).to.include({ command: "guard allow-recipient", reason: "a payee", state: "unknown" });
      expect(out.attempts[0]).to.have.keys("hash", "maxFeePerGas", "maxPriorityFeePerGas", "sentAt");
    },
  },
  ...["resend", "bump", "cancel"].map(
    (way): Row => ({
      name: `${way} does nothing without --execute`,
      lost: LOST,
      rpc: () => null,
      types: `guard pending ${way}`,
      code: EXIT.pending,
      says: ["Dry run: nothing was sent."],
      after: (_admin, _said, rpc) => {
        expect(rpc!.sent).to.deep.equal([]);
      },
    }),
  ),
  {
    name: "resend hands it to the node again, and sees it to its end",
    lost: LOST,
    types: ["guard pending resend --execute", "guard pending"],
    says: ["confirmed  block ", /^No transaction is pending\.$/m],
    ...ALLOWED,
  },
  {
    name: "cancel uses the nonce up, and the call can never happen",
    lost: LOST,
    types: "guard pending cancel --execute",
    says: ["Cancelled: allow recipient $NOBODY"],
    sends: ["allowRecipient replaced"],
  },
  {
    name: "needs the key of the account whose nonce it is",
    with: "stranger",
    lost: LOST,
    types: "guard pending cancel --execute",
    code: EXIT.failed,
    says: ["Only $ADMIN can sign for its nonce"],
  },
];

describe("guard pending", () => {
  const chain = testWorld();
  adminTable(chain, ROWS);

  const rpc = ofSuite(() => flakyRpc(chain.url));
  const admin = ofTest(() => fakeAdmin(chain, { url: rpc.url }));
  let last = 0x1000;
  beforeEach(() => {
    rpc.decide = () => null;
  });

  const records = () => admin.records;
  const isAllowed = (recipient: string) =>
    TradeGuard__factory.connect(chain.deployment.guard, chain.provider).isRecipientAllowed(recipient);
  const run = (words = "") => typedBy(admin, `guard pending ${words}`);

  /** @returns the recipient of a transaction that was lost, and the transaction */
  async function interrupted() {
    const recipient = `0x${(++last).toString(16).padStart(40, "0")}`;
    await loseSending(admin, rpc, `guard allow-recipient ${recipient} --execute`);
    rpc.sent.length = 0;
    const pending = (await records().readPending())!;
    return { recipient, pending, first: pending.attempts[0]! };
  }

  it("signs and hands on only what the file shows: not another chain's, nor an edited one", async () => {
    const { pending: whole, first } = await interrupted();
    const other = GUARD_ABI.encodeFunctionData("allowRecipient", [ODD]);
    const signedOther = await new Wallet(chain.accounts.deployer.privateKey).signTransaction({
      type: 2,
      chainId: 31337,
      nonce: whole.nonce,
      to: whole.call.to,
      data: other,
      gasLimit: 100_000n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
    });
    const edits: [object, RegExp][] = [
      [{ chainId: 97 }, /it is about chain 97, and this is 31337/],
      [{ call: { ...whole.call, to: ODD } }, /goes to another address than the guard/],
      [{ call: { ...whole.call, data: other } }, /its data is not the call that it names/],
      [{ call: { ...whole.call, name: "unpause", args: [] } }, /its data is not the call that it names/],
      [{ attempts: [{ ...first, raw: signedOther }] }, /a signed transaction in it is a different one/],
      [{ attempts: [{ ...first, raw: "0x02" }] }, /a signed transaction in it is a different one/],
    ];
    for (const [edit, said] of edits) {
      await writeFile(records().path("pending.json"), JSON.stringify({ ...whole, ...edit }));
      for (const words of ["", "bump --execute", "resend --execute"])
        expectSaid(await run(words), EXIT.unusable, said);
    }
    expect(rpc.sent).to.deep.equal([]);
  });

  it("offers more for the same nonce, and keeps both attempts until one is mined", async () => {
    const { recipient, pending, first } = await interrupted();
    expectSaid(await run("bump --execute"), EXIT.ok);
    expect(rpc.sent).to.have.length(1);
    expect(rpc.sent[0]!.nonce).to.equal(pending.nonce);
    expect(rpc.sent[0]!.maxFeePerGas! * 10n >= BigInt(first.maxFeePerGas) * 11n).to.equal(true);
    expect(await isAllowed(recipient)).to.equal(true);
    expect((await records().readHistory())[0]!.transaction).to.equal(rpc.sent[0]!.hash);
  });

  it("finds the first attempt mined after a bump that was interrupted", async () => {
    const { recipient, first } = await interrupted();
    rpc.decide = losing;
    const cut = { ...admin.world, sleep: () => Promise.reject(new Error("Ctrl-C")) };
    await assayIn(wordsOf("guard pending bump --execute"), cut);
    admin.take();
    rpc.decide = () => null;
    expect((await records().readPending())!.attempts).to.have.length(2);
    await chain.provider.send("eth_sendRawTransaction", [first.raw]);
    const done = expectSaid(await run("--json"), EXIT.ok);
    expect(JSON.parse(done)[0].state).to.equal("confirmed");
    expect((await records().readHistory())[0]!.transaction).to.equal(first.hash);
    expect(await isAllowed(recipient)).to.equal(true);
  });

  it("says when it is too late to cancel", async () => {
    const { recipient, first } = await interrupted();
    rpc.decide = async (method) => {
      if (method !== "eth_sendRawTransaction") return null;
      await chain.provider.send("eth_sendRawTransaction", [first.raw]);
      return { result: `0x${"cd".repeat(32)}` };
    };
    expectSaid(await run("cancel --execute"), EXIT.failed, "Too late to cancel: it was confirmed");
    expect(await isAllowed(recipient)).to.equal(true);
  });
});
