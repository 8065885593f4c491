import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import DEFECTS from "../../workshop/mutate/defects.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const PAGES = ["scope", "threat-model"].map((name) => `docs/guard/${name}.md`);

/** Whose protection cannot be taken away: a copy from the mempool pays the owner on any guard. */
const WITHOUT_DEFECT = ["A relayed trade is copied from the mempool"];

interface Row {
  readonly title: string;
  readonly tests: readonly { readonly file: string; readonly name: string }[];
}

/** Each test with the file before it, or of the attacks: "`Attacks.t.sol`: `test_a`, `test_b`. `Terms.t.sol`: `test_c`". */
function testsIn(cell: string): Row["tests"] {
  const tests: { file: string; name: string }[] = [];
  let file = "Attacks.t.sol";
  for (const [, quoted] of cell.matchAll(/`([^`]+)`/g)) {
    if (quoted!.endsWith(".t.sol")) file = quoted!;
    else tests.push({ file, name: quoted! });
  }
  return tests;
}

/** The rows of the table in a section of the threat model. */
function rowsOf(section: string, titleColumn: number): Row[] {
  const [, text] = read("docs/guard/threat-model.md").split(`\n## ${section}\n`);
  const lines = text!.split("\n## ")[0]!.split("\n");
  const rows = lines.filter((line) => line.startsWith("|")).slice(2);
  return rows.map((row) => {
    const cells = row.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, ""));
    const cell = cells.at(-1)!;
    return { title: cells[titleColumn]!, tests: testsIn(cell) };
  });
}

describe("the threat model", () => {
  for (const row of [...rowsOf("Properties", 1), ...rowsOf("Attacks", 0)])
    it(`${row.title}: has its tests`, () => {
      expect(row.tests).not.to.be.empty;
      for (const { file, name } of row.tests)
        expect(read(`test/contracts/${file}`), file).to.include(`function ${name}(`);
    });

  it("has all properties and attacks", () => {
    expect(rowsOf("Properties", 1)).to.have.length(16);
    expect(rowsOf("Attacks", 0)).to.have.length(24);
  });

  it("has a planted defect for each attack that the guard prevents", () => {
    const killers = new Set(DEFECTS.map(({ killedBy }) => killedBy.split(".")[1]));
    const withoutDefect = rowsOf("Attacks", 0)
      .filter(({ tests }) => !tests.some(({ name }) => killers.has(name)))
      .map(({ title }) => title);
    expect(withoutDefect).to.deep.equal(WITHOUT_DEFECT);
  });

  it("and the scope name no test that is not there", () => {
    const tests = globSync("test/contracts/*.t.sol", { cwd: ROOT }).map(read).join("\n");
    for (const page of PAGES)
      for (const [, name] of read(page).matchAll(/`((?:test|testFuzz|invariant)_\w+)`/g))
        expect(tests, page).to.include(`function ${name}(`);
  });

  it("counts the planted defects on the page of the scope", () => {
    const page = read("docs/guard/scope.md").replace(/\s+/g, " ");
    expect(page).to.include(`All ${DEFECTS.length} do: `);
    const files = {
      guard: "TradeGuard",
      executor: "RouteExecutor",
      deployment: "GuardDeployment",
      "mandate module": "MandateModule",
      "its setup": "MandateSetup",
    };
    for (const [name, file] of Object.entries(files)) {
      const count = DEFECTS.filter((defect) => defect.file === `contracts/${file}.sol`).length;
      expect(page).to.match(new RegExp(`\\b${count} in ${name.startsWith("its") ? "" : "the "}${name}\\b`));
    }
  });
});
