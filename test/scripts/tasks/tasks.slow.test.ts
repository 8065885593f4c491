import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { fakeAdmin } from "../../support/admin.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { run, start } from "../../support/programs.ts";
import { ofSuite } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

const HARDHAT = "node_modules/.bin/hardhat";
const RECIPIENT = "0x1111111111111111111111111111111111111111";

describe("The admin tasks, as an admin types them", () => {
  const chain = testWorld();
  const admin = ofSuite(() => fakeAdmin(chain));

  const environment = (url = chain.url) => ({
    RPC_PORT: new URL(url).port,
    DATA_DIR: admin.path("data"),
    DATABASE_URL: `sqlite:${admin.path("keys.db")}`,
    BSC_RPC_URL: "",
    HARDHAT_DISABLE_TELEMETRY: "true",
  });
  const dir = () => ["--dir", admin.path("deployments")];
  const hardhat = (...args: string[]) => run(HARDHAT, [...args], environment());
  const local = (...args: string[]) => hardhat("--network", "local", ...args, ...dir());

  it("guard status is for people, and with --json --check for programs", async () => {
    const shown = await local("guard", "status");
    expect(shown.code, shown.output).to.equal(0);
    expect(shown.output).to.contain("Chain            31337 (local)");
    await writeFile(admin.path("desired"), "");
    expect((await local("guard", "status", "--check")).code).to.equal(1);
  });

  it("shows no control character of a file, which could hide or move text on the screen", async () => {
    const file = admin.path("deployments/31337.desired.json");
    await mkdir(admin.path("deployments"), { recursive: true });
    await writeFile(file, JSON.stringify({ "\u001b[2J\u202Eevil": 1 }));
    const { code, output } = await local("guard", "apply");
    await rm(file);
    expect(code, output).to.equal(1);
    expect(output)
      .to.contain('"<U+001B>[2J<U+202E>evil"')
      .and.to.not.match(/[^\P{C}\n]/u);
  });

  it("a change is shown, sent, and then there is nothing to do", async () => {
    const dry = await local("guard", "allow-recipient", RECIPIENT);
    expect(dry.code, dry.output).to.equal(0);
    expect(dry.output).to.contain("Dry run: nothing was sent");
    const sent = await local("guard", "allow-recipient", RECIPIENT, "--execute", "--reason", "a partner");
    expect(sent.code, sent.output).to.equal(0);
    expect(sent.output).to.match(/confirmed {2}block [0-9]+, gas [0-9,]+/);
    const again = await local("guard", "allow-recipient", RECIPIENT, "--execute");
    expect(again).to.deep.equal({
      code: 0,
      output: "Nothing to do: the chain is already as it should be.\n",
    });
    const [line] = (await readFile(admin.path("deployments/31337.history.jsonl"), "utf8")).split("\n");
    expect(JSON.parse(line!)).to.deep.include({ reason: "a partner", command: "guard allow-recipient" });
    const safe = await local("guard", "disallow-recipient", RECIPIENT, "--safe", admin.path("out.json"));
    expect(safe.code, safe.output).to.equal(0);
    expect(existsSync(admin.path("out.json"))).to.equal(true);
  });

  it("Ctrl-C between send and receipt loses nothing: the next run finds the transaction", async () => {
    // The chain mines it and never says so.
    await using gate = await flakyRpc(chain.url, (method) =>
      method === "eth_getTransactionReceipt" ? { result: null } : null,
    );
    const url = gate.url;
    const args = ["--network", "local", "guard", "disallow-recipient", RECIPIENT, "--execute", ...dir()];
    const program = start(HARDHAT, args, environment(url));
    await program.printed("sent       0x");
    const hash = /sent {7}(0x[0-9a-f]{64})/.exec(program.output())?.[1];
    program.kill("SIGINT");
    expect(await program.ended).to.not.equal(0);
    expect(existsSync(admin.path("deployments/31337.pending.json"))).to.equal(true);

    const next = await local("guard", "status");
    expect(next.code, next.output).to.equal(0);
    expect(next.output).to.contain('An earlier "guard disallow-recipient" was not seen to finish');
    expect(next.output).to.contain(hash);
    expect(next.output).to.match(/It was confirmed in block [0-9]+; the history has it now/);
    expect(existsSync(admin.path("deployments/31337.pending.json"))).to.equal(false);
    const lines = (await readFile(admin.path("deployments/31337.history.jsonl"), "utf8")).trim().split("\n");
    expect(JSON.parse(lines.at(-1)!)).to.deep.include({ transaction: hash, outcome: "confirmed" });
  });

  it("deploy records a guard of one's own, and the commands are then about it", async () => {
    const users = chain.accounts.users;
    const roles = ["--admin", users[6]!.address, "--pauser", "none", "--signer", users[7]!.address];
    const missing = await local("deploy", "--admin", users[6]!.address);
    expect(missing.code).to.equal(2);
    const made = await local("deploy", ...roles, "--execute");
    expect(made.code, made.output).to.equal(0);
    const { guard } = JSON.parse(await readFile(admin.path("deployments/31337.json"), "utf8"));
    const shown = JSON.parse((await local("guard", "status", "--json")).output);
    expect(shown).to.include({ guard });
    expect(shown.holders.pauser).to.deep.equal([{ account: users[6]!.address, delay: 0 }]);
  });

  it("name the network that is wrong, and need no setting of another one", async () => {
    const cases: [string[], RegExp][] = [
      [["guard", "status"], /"default" is not a chain to administer/],
      [["--network", "moon", "guard", "status"], /no network "moon"; it has local, bsc/],
      [["--network", "bsc", "guard", "status"], /BSC_RPC_URL/],
    ];
    for (const [args, words] of cases) {
      const { code, output } = await hardhat(...args);
      expect(code, output).to.equal(1);
      expect(output).to.match(words);
    }
  });

  it("keys are applied for, approved and limited, with a history", async () => {
    const made = await hardhat(
      "keys",
      "apply",
      "--name",
      "Bob",
      "--email",
      "b@example.org",
      "--purpose",
      "-x",
      "--execute",
    );
    expect(made.code, made.output).to.equal(0);
    const [id = ""] = made.output.split(" ");
    expect((await hardhat("keys", "approve", id)).output).to.contain("Dry run");
    expect((await hardhat("keys", "approve", id, "--execute")).output).to.contain("active");
    expect((await hardhat("keys", "limit", id, "5", "--execute")).output).to.contain("5 a minute");
    expect((await hardhat("keys", "list")).output).to.contain("b@example.org");
    const { output } = await hardhat("keys", "history");
    expect(output.match(/applied|approved|limit_set {2}5/g)).to.deep.equal([
      "applied",
      "approved",
      "limit_set  5",
    ]);
    expect((await hardhat("keys", "revoke", "key_no")).code).to.equal(1);
  });
});
