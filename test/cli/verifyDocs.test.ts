/** What the documents say of the verification is what the program does. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { VERIFY_HELP } from "../../cli/verify.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** A part of a page, from its heading to the next of the same rank. */
function sectionOf(path: string, heading: string): string {
  const [, after] = read(path).split(`\n## ${heading}\n`);
  return after?.split("\n## ")[0] ?? "";
}

describe("the table of who could still lie", () => {
  const rows = sectionOf("docs/threat-model.md", "Who could still lie about what")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(1)
    .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")));

  it("says of each fact who states it, who could catch it and how", () => {
    expect(rows.length).to.be.greaterThan(15);
    for (const row of rows) {
      expect(row, row[0]).to.have.length(4);
      for (const cell of row) expect(cell, row[0]).to.not.equal("");
    }
  });

  it("names steps that the verification takes, and says so of the facts that it cannot check", () => {
    const source = globSync(
      ["attestor/{verify*,reportStep,issuer,steps}.ts", "attestor/proofs/*.ts", "chain/*.ts"],
      {
        cwd: ROOT,
      },
    )
      .map(read)
      .join("\n");
    const steps = new Set(
      [
        ...source.matchAll(/(?:add|judge)\(\s*"([a-z ]+)"|(?:ISSUER|PROVED|READ_AGAIN) = "([a-z ]+)"/g),
      ].flatMap(([, a, b]) => a ?? b ?? []),
    );
    expect(steps).to.include.keys("issuer", "block", "route call");
    const NO_STEPS = [
      "minAmountOut",
      "rawHash",
      "nyse-calendar",
      "SignerRotated",
      "guard status",
      "--rpc",
      "--header",
      "--samples",
      "samplesRoot",
    ];
    for (const [fact, , , how] of rows) {
      const named = [...how!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
      for (const name of named.filter((one) => !NO_STEPS.includes(one))) expect(steps, fact).to.include(name);
      const isChecked = named.some((name) => steps.has(name));
      expect(isChecked || /not checked|^ask two|instead/.test(how!), fact).to.equal(true);
    }
  });

  it("has the table of who could still lie where SECURITY.md links to", () => {
    expect(read("SECURITY.md")).to.contain("docs/threat-model.md#who-could-still-lie-about-what");
    expect(read("docs/guard.md")).to.contain("threat-model.md#who-could-still-lie-about-what");
  });
});

describe("what docs/guard.md says of verifying", () => {
  it("names options that the command has", () => {
    const section = sectionOf("docs/guard.md", "Verifying a prepared trade");
    const options = new Set(section.match(/--[a-z]+(?:-[a-z]+)*/g));
    expect(options).to.include.keys("--guard", "--signer", "--rpc");
    for (const option of options) expect(VERIFY_HELP).to.contain(`  ${option} `);
  });
});
