/** What becomes of a change where the RPC, the signer or the files fail: nothing is lost, sent twice or said wrongly. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { JsonRpcProvider, keccak256 } from "ethers";
import { GUARD_ABI } from "../../../chain/abis.ts";
import { readGuardView } from "../../../chain/guard/reading.ts";
import { adminsOf, behind, typedBy, unknownTransaction } from "../../support/admin.ts";
import { adminTable, NOBODY, type Row } from "../../support/adminTable.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { goneFrom } from "../../support/rpcFaults.ts";
import { expectSaid } from "../../support/said.ts";
import { testWorld } from "../../support/world.ts";

const ALLOW = "guard allow-recipient $NOBODY --execute";
const SENT: Partial<Row> = { sends: ["allowRecipient confirmed"], becomes: { recipients: ["$NOBODY"] } };

const pendingOf =
  (wanted: boolean): NonNullable<Row["after"]> =>
  async (admin) => {
    expect((await admin.records.readPending()) !== null).to.equal(wanted);
  };
const UNDER_WAY = "The transaction may have been sent; it is recorded";

const ROWS: readonly Row[] = [
  {
    name: "ends with 2 when the RPC goes away before anything is sent",
    types: ALLOW,
    rpc: goneFrom("eth_estimateGas"),
    code: 2,
    saysNot: [UNDER_WAY],
    after: pendingOf(false),
  },
  {
    name: "ends with 3 when the RPC goes away with the sending, and keeps the transaction",
    types: ALLOW,
    rpc: goneFrom("eth_sendRawTransaction"),
    code: 3,
    says: [UNDER_WAY, "assay guard pending"],
    after: pendingOf(true),
  },
  {
    name: "ends with 3 when the RPC goes away after the sending, and keeps the transaction",
    types: ALLOW,
    rpc: goneFrom("eth_getTransactionReceipt"),
    code: 3,
    becomes: { recipients: ["$NOBODY"] },
    says: [UNDER_WAY],
    after: pendingOf(true),
  },
  {
    name: "tells what the node refuses, and leaves nothing pending that never left",
    types: ALLOW,
    rpc: (method) =>
      method === "eth_sendRawTransaction"
        ? { error: { code: -32000, message: "insufficient funds for gas * price + value: secret words" } }
        : null,
    code: 1,
    says: ["The node refused the transaction. The account does not have enough native coin"],
    saysNot: ["secret words"],
    after: pendingOf(false),
  },
  {
    name: "says so when the guard is not as its transaction should have made it",
    types: ALLOW,
    rpc: (method, _, [call]) => {
      const asked = GUARD_ABI.encodeFunctionData("isRecipientAllowed", [NOBODY]);
      const lie = GUARD_ABI.encodeFunctionResult("isRecipientAllowed", [false]);
      return method === "eth_call" && (call as { data?: string }).data === asked ? { result: lie } : null;
    },
    code: 1,
    ...SENT,
    says: ["which is not what was sent"],
  },
  {
    name: "sends through an external signer behind the RPC",
    options: { accounts: { kind: "remote" } },
    types: ALLOW,
    ...SENT,
  },
  {
    name: "finds by its nonce what an external signer sent under a hash that it never told",
    options: { accounts: { kind: "remote" } },
    types: [ALLOW, "guard pending"],
    rpc: (method) => (method === "eth_sendTransaction" ? "lose-answer" : null),
    ...SENT,
    says: [/It was confirmed in block [0-9]+/],
  },
  {
    name: "prints target and call data without sending",
    types: "guard allow-recipient $NOBODY --print",
    says: ["   to      $GUARD", `   data    ${GUARD_ABI.encodeFunctionData("allowRecipient", [NOBODY])}`],
  },
  {
    name: "refuses another chain behind the RPC than the network's",
    options: { chainId: 56, networkName: "bsc" },
    types: "guard status",
    code: 1,
    says: [
      'The RPC of the network "bsc" serves chain 31337, but the configuration says 56: nothing was done.',
    ],
  },
  {
    name: "says how to start the local chain where its RPC is not there, without the address",
    options: { url: "http://127.0.0.1:9/secret-key" },
    types: "guard status",
    code: 2,
    says: [/The RPC of the network "local" does not answer\. .*RPC_PORT.*DATA_DIR.* \(now \/.*\/data\)\.$/],
    saysNot: ["secret-key"],
  },
];

describe("A change that meets faults", () => {
  const chain = testWorld();
  const adminAt = adminsOf(chain);
  adminTable(chain, ROWS);
  const allow = `guard allow-recipient ${NOBODY} --execute`;
  const disallow = `guard disallow-recipient ${NOBODY} --execute`;

  it("keeps the whole of a transaction in the history", async () => {
    const admin = await adminAt();
    expectSaid(await typedBy(admin, `${allow} --reason "for the test"`), 0);
    const [entry, ...more] = await admin.records.readHistory();
    expect(more).to.deep.equal([]);
    const receipt = await chain.provider.getTransactionReceipt(entry!.transaction!);
    expect(entry).to.deep.include({
      chainId: 31337,
      network: "local",
      command: "guard allow-recipient",
      actor: "alice",
      commit: "0123456789abcdef0123456789abcdef01234567",
      reason: "for the test",
      guard: chain.deployment.guard,
      from: chain.accounts.deployer.address,
      call: { name: "allowRecipient", args: [NOBODY] },
      outcome: "confirmed",
      block: receipt!.blockNumber,
      gasUsed: receipt!.gasUsed.toString(),
      events: [{ name: "RecipientSet", args: { recipient: NOBODY, allowed: true } }],
      readBack: [{ what: `recipient ${NOBODY} allowed`, value: "true", asSent: true }],
    });
    expect(await admin.records.readPending()).to.equal(null);
    await typedBy(admin, disallow);
  });

  it("remembers which events it has seen, and asks again about the last hundred blocks alone", async () => {
    const { records } = await adminAt();
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
    expect(await records.readSeen(NOBODY)).to.equal(null);
  });

  it("asks before it sends on a live chain, and takes a no", async () => {
    // Under another chain's number the node's own signatures would fail; so it is the question that is looked at.
    const admin = await adminAt({ answer: false, chainId: 31_338, networkName: "live" });
    await using gate = await flakyRpc(chain.url, (method) =>
      method === "eth_chainId" ? { result: "0x7a6a" } : null,
    );
    const { guard, executor, deployedAtBlock } = chain.deployment;
    await mkdir(admin.world.deploymentsDir, { recursive: true });
    const record = { chainId: 31_338, guard, executor, deployedAtBlock };
    await writeFile(admin.path("deployments/31338.json"), JSON.stringify(record));
    const block = await chain.provider.getBlockNumber();
    const live = behind(admin, gate);
    expectSaid(await typedBy(live, allow), 1, "Nothing was sent. Without a terminal, confirm with --yes.");
    expect(admin.questions).to.have.length(1);
    expect(await chain.provider.getBlockNumber()).to.equal(block);
  });

  it("finds a transaction that was sent and not seen to its end, and puts it into the history once", async () => {
    const admin = await adminAt();
    await using gate = await flakyRpc(chain.url, goneFrom("eth_getTransactionReceipt"));
    expectSaid(await typedBy(behind(admin, gate), allow), 3);
    const out = (await admin.records.readPending())!;
    expect([out.command, out.call.guard]).to.deep.equal(["guard allow-recipient", chain.deployment.guard]);
    expect(out.attempts[0]!.hash).to.equal(keccak256(out.attempts[0]!.raw!));
    expectSaid(
      await typedBy(admin, "guard status"),
      0,
      'An earlier "guard allow-recipient" was not seen to finish',
      out.attempts[0]!.hash!,
      /It was confirmed in block [0-9]+/,
      `read back recipient ${NOBODY} allowed: true`,
    );
    expect((await typedBy(admin, "guard status")).text).to.not.contain("earlier");
    // A crash between the two steps leaves the file beside the line of the history.
    await admin.records.createPending(out);
    expectSaid(await typedBy(admin, "guard status"), 0, "It was confirmed");
    expect(await admin.records.readHistory()).to.have.length(1);
    expect(await admin.records.readPending()).to.equal(null);
    await typedBy(admin, disallow);
  });

  it("sends nothing over a transaction without an outcome, until its nonce is used", async () => {
    const admin = await adminAt();
    await admin.records.createPending(await unknownTransaction(chain, "pause"));
    const text = expectSaid(
      await typedBy(admin, allow),
      3,
      "The node does not know it",
      "Nothing was sent: the earlier transaction must have an outcome first (assay guard pending)",
    );
    expect(text).to.not.contain("Caller");
    const filler = await adminAt();
    await typedBy(filler, allow);
    expectSaid(await typedBy(admin, "guard pending"), 0, "Another transaction of the account used its nonce");
    expect((await admin.records.readHistory()).map(({ outcome, actor }) => [outcome, actor])).to.deep.equal([
      ["replaced", "bob"],
    ]);
    await typedBy(filler, disallow);
  });

  it("sends and keeps the outcome although a line of the history cannot be read", async () => {
    const admin = await adminAt();
    await mkdir(admin.world.deploymentsDir, { recursive: true });
    // Edited by hand, and cut off by a power cut.
    await writeFile(admin.records.path("history.jsonl"), 'a note\n{"at":"2026-');
    expectSaid(await typedBy(admin, allow), 0);
    const lines = (await readFile(admin.records.path("history.jsonl"), "utf8")).trimEnd().split("\n");
    expect(lines).to.have.length(3);
    expect(JSON.parse(lines[2]!)).to.deep.include({ outcome: "confirmed" });
    await typedBy(admin, disallow);
  });
});
