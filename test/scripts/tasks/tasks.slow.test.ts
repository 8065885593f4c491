import { mkdir, rm, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { fakeAdmin } from "../../support/admin.ts";
import { run } from "../../support/programs.ts";
import { ofSuite } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

const HARDHAT = "node_modules/.bin/hardhat";

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
    const bob = ["--name", "Bob", "--email", "b@example.org", "--purpose", "-x"];
    const made = await hardhat("keys", "apply", ...bob);
    expect(made.code, made.output).to.equal(0);
    const [id = ""] = made.output.split(" ");
    expect((await hardhat("keys", "approve", id)).output).to.contain("active");
    expect((await hardhat("keys", "limit", id, "5")).output).to.contain("5 a minute");
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
