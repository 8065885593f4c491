/** The sender, killed with SIGKILL at each of its steps and run again: one transaction, one line of history, no file left. */
import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { Wallet } from "ethers";
import { readGuardView } from "../../../chain/guard/reading.ts";
import { adminText } from "../../../scripts/admin/holders.ts";
import { type FakeAdmin, fakeAdmin } from "../../support/admin.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { type Program, start } from "../../support/programs.ts";
import { guardAs } from "../../support/service.ts";
import { ofSuite, ofTest } from "../../support/suite.ts";
import { wordsOf } from "../../support/typed.ts";
import { testWorld } from "../../support/world.ts";

/** Where a run ends: when this method is called for the first time after the sending began, before or after the node has answered. */
interface Step {
  readonly method: string;
  readonly isAnswered: boolean;
  /** Whether the transaction was handed to the node by then. */
  readonly isOut: boolean;
}

const STEPS: Readonly<Record<string, Step>> = {
  "before anything is written": { method: "eth_getTransactionCount", isAnswered: false, isOut: false },
  "written and not sent": { method: "eth_sendRawTransaction", isAnswered: false, isOut: false },
  "sent and not known to be": { method: "eth_sendRawTransaction", isAnswered: true, isOut: true },
  "waiting for a block": { method: "eth_getTransactionReceipt", isAnswered: false, isOut: true },
  "mined and not in the history": { method: "eth_getTransactionReceipt", isAnswered: true, isOut: true },
};

describe("a sender that is killed", () => {
  const chain = testWorld();
  const rpc = ofSuite(() => flakyRpc(chain.url));
  const admin = ofTest(() => fakeAdmin(chain));
  let count = 0;
  afterEach(() => {
    rpc.decide = () => null;
  });

  function run(line: string): Program {
    const dir = ["--dir", admin.path("deployments")];
    const env = { RPC_PORT: new URL(rpc.url).port, DATA_DIR: admin.path("data") };
    return start("scripts/assay.ts", [...wordsOf(line), ...dir], env);
  }

  /** @returns whether the run was ended by the kill */
  async function killed(line: string, { method, isAnswered }: Step): Promise<boolean> {
    let program: Program | null = null;
    let isHit = false;
    rpc.decide = async (asked, transaction) => {
      if (isHit) return "drop";
      if (asked !== method || program === null) return null;
      isHit = true;
      if (isAnswered && transaction !== null)
        await chain.provider.send("eth_sendRawTransaction", [transaction.serialized]);
      await program.crash();
      return "drop";
    };
    program = run(line);
    const code = await program.ended;
    rpc.decide = () => null;
    expect(isHit, `${method} of ${line}\n${program.output()}`).to.equal(true);
    return code === null;
  }

  async function finished(line: string): Promise<string> {
    const program = run(line);
    expect(await program.ended, program.output()).to.equal(0);
    return program.output();
  }

  const view = () => readGuardView(chain.provider, chain.deployment);
  const deployer = () => chain.accounts.deployer.address;
  const key = new Wallet(`0x${"a1".repeat(32)}`);
  const proof = key.signMessageSync(adminText(31_337, key.address));
  const signer = new Wallet(`0x${"a2".repeat(32)}`).address;

  interface Case {
    /** What is typed; another one each time. */
    line(): string;
    readonly sender: () => string;
    /** Whether the chain is as the command makes it. */
    isDone(line: string, as: FakeAdmin): Promise<boolean>;
    undo?(): Promise<unknown>;
  }

  const COMMANDS: Readonly<Record<string, Case>> = {
    "guard allow-recipient": {
      line: () => `guard allow-recipient 0x${(0x2000 + ++count).toString(16).padStart(40, "0")} --execute`,
      sender: deployer,
      isDone: async (line) => (await view()).recipients.includes(line.split(" ")[2]!),
    },
    "guard pause": {
      line: () => 'guard pause --reason "a drill" --execute',
      sender: () => chain.accounts.pauser.address,
      isDone: async () => (await view()).paused,
      undo: async () => (await guardAs(chain).unpause()).wait(),
    },
    "guard deploy": {
      line: () =>
        `guard deploy --admin ${key.address} --pauser none --signer ${signer} --admin-proof ${proof} --salt ${++count} --execute`,
      sender: deployer,
      isDone: async (_line, as) => {
        const { path } = as.records;
        const { guard } = JSON.parse(await readFile(path("json"), "utf8"));
        return (await chain.provider.getCode(guard)) !== "0x";
      },
    },
  };

  for (const [name, { line: typed, sender, isDone, undo }] of Object.entries(COMMANDS))
    for (const [when, step] of Object.entries(STEPS))
      it(`${name}, killed when it is ${when}, goes on and sends once`, async () => {
        const line = typed();
        const before = await chain.provider.getTransactionCount(sender());
        expect(await killed(line, step)).to.equal(true);
        expect(await chain.provider.getTransactionCount(sender())).to.equal(before + (step.isOut ? 1 : 0));
        await finished(line);
        expect(await isDone(line, admin)).to.equal(true);
        expect(await chain.provider.getTransactionCount(sender())).to.equal(before + 1);
        const history = await admin.records.readHistory();
        expect(history.map(({ outcome }) => outcome)).to.deep.equal(["confirmed"]);
        for (const file of ["pending.json", "urgent.pending.json"] as const)
          expect(await admin.records.at({ file }).readPending()).to.equal(null);
        await undo?.();
      }).timeout(60_000);
});
