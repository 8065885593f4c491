/** `assay guard pause`: as fast as it can, despite faults of the RPC, of files and of other commands. */
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { openRecords } from "../../../scripts/admin/records.ts";
import { EXIT } from "../../../scripts/errors.ts";
import { URGENT } from "../../../scripts/sending/paces.ts";
import { adminsOf, behind, type FakeAdmin, typedBy, unknownTransaction } from "../../support/admin.ts";
import { adminTable, type Row } from "../../support/adminTable.ts";
import type { FlakyRpc } from "../../support/flakyRpc.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { expectQuoted } from "../../support/quoted.ts";
import { dropping, fast, greedy, losingAnswers, losingFirst, stuck } from "../../support/rpcFaults.ts";
import { expectSaid } from "../../support/said.ts";
import { testWorld } from "../../support/world.ts";

const PAUSE = 'guard pause --reason "key leak suspected" --execute';
const DRILL = "guard pause --reason drill --execute";
const PAUSED: Partial<Row> = { sends: ["pause confirmed"], becomes: { paused: true } };

function poorPauser(): FlakyRpc["decide"] {
  let asked = 0;
  return (method) => (method === "eth_getBalance" && asked++ === 0 ? { result: "0x0" } : null);
}

const ROWS: readonly Row[] = [
  {
    name: "stops trading in one command, says how long it took, and keeps the reason",
    with: "pauser",
    types: PAUSE,
    ...PAUSED,
    says: [
      /PAUSED: no trade executes\. It took \d+\.\d s; .*31337\.history\.jsonl has it\./,
      "$PAUSER, a pauser",
      "key leak suspected",
      "assay guard unpause",
    ],
    rpc: () => null,
    after: async (admin, _, rpc) => {
      expect(admin.questions).to.deep.equal([]);
      const [entry] = await admin.records.readHistory();
      expect(entry).to.deep.include({
        command: "guard pause",
        reason: "key leak suspected",
        actor: "alice",
        readBack: [{ what: "paused", value: "true", asSent: true }],
      });
      expect(await admin.records.at(URGENT).readPending()).to.equal(null);
      // No simulation and no look at events stands between the admin and the pause.
      expect(rpc!.asked).to.not.include("eth_estimateGas").and.to.not.include("eth_getLogs");
    },
  },
  {
    name: "says that it stands already, with exit 0, and sends nothing",
    first: [DRILL],
    types: PAUSE,
    says: ["PAUSED already"],
  },
  {
    name: "shows everything and sends nothing without --execute, as docs/run/guard.md has it",
    types: "guard pause --reason drill",
    says: ["trading: on -> paused", "Paused(by: ", "NOT paused: trading continues."],
    after: (_, said) =>
      expectQuoted("docs/run/guard.md", 'npm run assay -- guard pause --reason "drill"', said),
  },
  {
    name: "writes a Safe file",
    types: "guard pause --reason drill --safe $DIR/safe.json",
    after: async (admin) => {
      const { transactions } = JSON.parse(await readFile(admin.path("safe.json"), "utf8"));
      expect(transactions[0].contractMethod.name).to.equal("pause");
    },
  },
  { name: "takes the admin's key where the pauser's is missing", with: "admin", types: PAUSE, ...PAUSED },
  {
    name: "takes the admin's key where the pauser cannot pay",
    rpc: poorPauser(),
    types: PAUSE,
    ...PAUSED,
    says: ["Caller   $ADMIN"],
  },
  {
    name: "refuses a stranger's key",
    with: "stranger",
    types: PAUSE,
    code: 1,
    says: ["pause is for a pauser ("],
  },
  {
    name: "does not wait for a steady transaction that has no outcome",
    lost: "guard allow-recipient $NOBODY --execute",
    types: PAUSE,
    ...PAUSED,
    after: async (admin) => {
      const pending = await admin.records.readPending();
      expect(pending?.command).to.equal("guard allow-recipient");
    },
  },
  {
    name: "comes through an RPC that drops, delays and refuses most of what it is asked",
    options: fast(),
    rpc: dropping(),
    types: PAUSE,
    ...PAUSED,
    says: ["The RPC is slow or unreachable; still trying ("],
  },
  {
    name: "does not send twice when the answer to the sending got lost",
    options: fast(),
    rpc: losingAnswers(1),
    types: PAUSE,
    ...PAUSED,
  },
  {
    name: "sends again what the node forgot",
    options: fast(),
    rpc: losingFirst(2),
    types: PAUSE,
    ...PAUSED,
    says: ["the node does not know it; sending it again"],
    after: (_admin, _said, rpc) => {
      expect(new Set(rpc!.sent.slice(0, 2).map(({ hash }) => hash))).to.have.length(1);
    },
  },
  {
    name: "offers more for the same nonce until a block takes it",
    options: fast(),
    rpc: greedy(),
    types: PAUSE,
    ...PAUSED,
    says: ["no block yet, offered more"],
    after: async (admin, _, rpc) => {
      const offers = [...new Map(rpc!.sent.map((each) => [each.hash, each])).values()];
      expect(offers.length).to.be.greaterThan(2);
      expect(new Set(offers.map(({ nonce }) => nonce))).to.have.length(1);
      for (const [index, each] of offers.slice(1).entries())
        expect(each.maxFeePerGas! * 100n >= offers[index]!.maxFeePerGas! * 110n).to.equal(true);
      expect((await admin.records.readHistory())[0]!.transaction).to.equal(offers.at(-1)!.hash);
    },
  },
  {
    name: "pushes a stuck transaction of the same account aside, at its nonce",
    options: fast(),
    rpc: stuck(),
    types: PAUSE,
    ...PAUSED,
    after: (_admin, _said, rpc) => {
      expect(rpc!.sent).to.have.length(4);
      expect(rpc!.sent[0]!.nonce).to.be.lessThan(1_000);
      expect(rpc!.sent[3]!.maxFeePerGas! > rpc!.sent[0]!.maxFeePerGas! * 3n).to.equal(true);
    },
  },
  {
    name: "gives up on an RPC that never answers",
    options: fast(400),
    rpc: () => "drop",
    types: PAUSE,
    code: EXIT.unusable,
    says: ['The RPC of the network "local" does not answer.'],
  },
];

describe("guard pause", () => {
  const chain = testWorld();
  const adminAt = adminsOf(chain);
  adminTable(chain, ROWS);

  const unpause = async () => expectSaid(await typedBy(await adminAt(), "guard unpause --execute"), 0);
  const urgent = (admin: FakeAdmin) => admin.records.at(URGENT);

  it("is not held up by another command's pending transaction of any sender", async () => {
    const admin = await adminAt();
    await admin.records.createPending(await unknownTransaction(chain, "unpause"));
    expectSaid(await typedBy(admin, PAUSE), 0, "PAUSED");
    expect((await admin.records.readPending())?.actor).to.equal("bob");
    await unpause();
  });

  it("is not stopped by a market file or an earlier pause's file that cannot be read", async () => {
    const admin = await adminAt();
    await mkdir(admin.world.deploymentsDir, { recursive: true });
    await writeFile(admin.records.path("market.json"), '{"registry":');
    for (const broken of ["", "{}", "null"]) {
      await writeFile(admin.records.path("urgent.pending.json"), broken);
      expectSaid(
        await typedBy(admin, PAUSE),
        0,
        /WARNING .*urgent\.pending\.json .*It is now in .*\.broken/s,
        "PAUSED: no trade",
      );
      await rm(admin.records.path("market.json"), { force: true });
      await unpause();
    }
    const kept = (await readdir(admin.world.deploymentsDir)).filter((name) => name.endsWith(".broken"));
    expect(kept).to.have.length(3);
  });

  it("pauses also where nothing can be written, and says that no file has it", async () => {
    const admin = await adminAt();
    // A file where the folder should be: nobody can write there, the superuser neither.
    await writeFile(admin.path("occupied"), "");
    await mkdir(admin.world.deploymentsDir, { recursive: true });
    await symlink(`${admin.path("occupied")}/x`, admin.records.path("history.jsonl"));
    expectSaid(
      await typedBy(admin, PAUSE),
      0,
      /WARNING .*history\.jsonl cannot be .*Continuing without a record/,
      "no file has it",
    );
    await unpause();
  });

  it("does not trust an RPC that is behind about a pause that stands", async () => {
    const { guard, deployedAtBlock } = chain.deployment;
    expectSaid(await typedBy(await adminAt(), DRILL), 0);
    await using gate = await flakyRpc(chain.url, (method) =>
      method === "eth_chainId" ? { result: "0x38" } : null,
    );
    const { timestamp } = (await chain.provider.getBlock("latest"))!;
    for (const [secondsLater, code] of [
      [0, EXIT.ok],
      [3_600, EXIT.failed],
    ] as const) {
      const now = () => (timestamp + secondsLater) * 1000;
      const admin = behind(await adminAt({ chainId: 56, networkName: "bsc", now }), gate);
      await mkdir(admin.world.deploymentsDir, { recursive: true });
      const record = JSON.stringify({ chainId: 56, guard, deployedAtBlock });
      await writeFile(openRecords(admin.world.deploymentsDir, 56).path("json"), record);
      const said = expectSaid(await typedBy(admin, PAUSE), code);
      expect(said.includes("is 3600 seconds old")).to.equal(code === EXIT.failed);
    }
    await unpause();
  });

  it("asks an external signer again in the next run when its answer got lost", async () => {
    const admin = await adminAt({ accounts: { kind: "remote" }, ...fast(100)() });
    await using gate = await flakyRpc(chain.url, (method) =>
      method === "eth_sendTransaction" ? "drop" : null,
    );
    const { code, text } = await typedBy(behind(admin, gate), PAUSE);
    expect(code).to.equal(EXIT.pending);
    expect(text).to.not.match(/ECONN|node_modules|127\.0\.0\.1/);
    expect(await urgent(admin).readPending()).to.not.equal(null);
    expectSaid(await typedBy(admin, PAUSE), 0, "PAUSED");
    expect(await admin.records.readHistory()).to.have.length(1);
    await unpause();
  });

  it("gives up after ten seconds where nothing listens, since that is no slow node", async () => {
    let now = 0;
    const sleep = async (ms: number) => {
      now += ms;
    };
    const admin = await adminAt({ url: "http://127.0.0.1:9/secret-path", now: () => now, sleep });
    const said = expectSaid(await typedBy(admin, PAUSE), EXIT.unusable, /DATA_DIR to its folder \(now \//);
    expect(said).to.not.contain("secret-path");
    expect(now).to.be.within(10_000, 12_000);
  });
});
