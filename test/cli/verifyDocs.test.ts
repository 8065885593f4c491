/** What docs/verify.md says of the command is what the program does. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { VERIFY_HELP } from "../../cli/help/verifyHelp.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

describe("documents and help texts", () => {
  const PLACES = [
    "*.md",
    "{api,cli,client,deploy,deployments,devnet,docs,packages,web,workshop}/**/*.{md,json,ts,tsx,py}",
  ];
  /** Ours to name: npm has them, and a checkout installs them. */
  const PUBLISHED = ["hardhat", "mocha"];

  it("tell nobody to have npx fetch a name that is not published, which may be anybody's", () => {
    const files = globSync(PLACES, {
      cwd: ROOT,
      exclude: ["**/node_modules/**", "docs/vectors/**", "web/dist/**"],
    });
    expect(files).to.include.members([
      "README.md",
      "client/README.md",
      "docs/mcp.md",
      "packages/verify/README.md",
    ]);
    for (const file of files)
      for (const [, options, name] of read(file).matchAll(/\bnpx((?:\s+-\S+)*)\s+([a-z@][\w@./-]*)/g))
        if (!/\s--no\b/.test(options!)) expect(PUBLISHED, file).to.include(name);
  });
});

describe("docs/verify.md", () => {
  it("links to the table of who could still lie, as SECURITY.md does", () => {
    expect(read("docs/guard/threat-model.md")).to.contain("\n## Who could still lie about what\n");
    expect(read("SECURITY.md")).to.contain("docs/guard/threat-model.md#who-could-still-lie-about-what");
    expect(read("docs/verify.md")).to.contain("threat-model.md#who-could-still-lie-about-what");
  });

  it("names options of verify that the command has", () => {
    const options = new Set(read("docs/verify.md").match(/(?<=[` ])--[a-z]+(?:-[a-z]+)*/g));
    for (const other of ["--silent"]) options.delete(other);
    expect(options).to.include.keys("--guard", "--signer", "--rpc");
    for (const option of options) expect(VERIFY_HELP).to.contain(`  ${option} `);
  });
});
