/** Commands that README and docs give: each exists, and takes the options that stand behind it. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { AnyCommand, Noun } from "../../scripts/command.ts";
import { COMMANDS } from "../../scripts/commands.ts";
import { EXIT, EXIT_WORDS } from "../../scripts/errors.ts";
import { trackedFiles } from "../../workshop/lint/tracked.ts";
import { fakeConsole } from "../support/fakeConsole.ts";
import { assayIn, typed } from "../support/typed.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const pages = ["README.md", ...trackedFiles(ROOT, "docs/*.md", "deployments/*.md", "deploy/*.md")];
const { scripts } = JSON.parse(read("package.json"));

/** Lines of code blocks, and code spans. */
const codeOf = (text: string): string[] => [
  ...[...text.matchAll(/^\s*```[\s\S]*?^\s*```$/gm)].flatMap(([block]) => block.split("\n")),
  ...[...text.replace(/^\s*```[\s\S]*?^\s*```$/gm, "").matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!),
];
const optionsIn = (line: string) => line.replace(/ #.*$/, "").match(/(?<= )--[a-z][a-z-]*/g) ?? [];

/** The command that words name; null: there is none; undefined: they end in a noun, or in a placeholder. */
async function commandIn(words: readonly string[]): Promise<AnyCommand | null | undefined> {
  let noun: Noun = COMMANDS;
  for (const word of words) {
    const found: Noun["verbs"][string] | undefined = noun.verbs[word];
    if (typeof found === "function") return await found();
    if (found === undefined) {
      if (noun.bare !== undefined && (word === "" || word.startsWith("-"))) return await noun.bare();
      return /^[a-z]/.test(word) ? null : undefined;
    }
    noun = found;
  }
  return noun.bare === undefined ? undefined : await noun.bare();
}
const dashed = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

async function faultsOf(line: string): Promise<string[]> {
  const [, rest] =
    /(?:\bassay --|\bassay|npm run) ((?:agent|guard|mandate|keys|payments|log|collect|keystore|backup|database|retention|check-live|verify|mcp)\b.*)$/.exec(
      line,
    ) ?? [];
  if (rest === undefined) return [];
  const command = await commandIn(rest.replace(/ #.*$/, "").split(/\s+/));
  if (command === null) return [`assay ${rest}`];
  if (command === undefined) return [];
  const known = [...Object.keys(command.options ?? {}).map(dashed), "--help"];
  return optionsIn(rest)
    .filter((option) => !known.includes(option))
    .map((option) => `assay ${rest}: ${option}`);
}

describe("commands in README and docs", () => {
  for (const page of pages)
    it(`${page} names scripts, commands and options that exist`, async () => {
      const faults: string[] = [];
      for (const line of codeOf(read(page))) {
        for (const [, name] of line.matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g))
          if (!Object.hasOwn(scripts, name!)) faults.push(`npm run ${name}`);
        for (const [, path] of line.matchAll(/(?:^|\s)node (?!node_modules)([\w/-]+\.ts)\b/g))
          if (!existsSync(join(ROOT, path!))) faults.push(`node ${path}`);
        faults.push(...(await faultsOf(line)));
      }
      expect(faults).to.deep.equal([]);
    });

  it("leave with the exit codes that `assay help` lists", async () => {
    const { world, shown } = fakeConsole();
    expect(await assayIn(["help"], world)).to.equal(EXIT.ok);
    const listed = [...shown.join("\n").matchAll(/^ {2}(\d) {2}(.*)$/gm)].map(([, code, words]) => [
      Number(code),
      words,
    ]);
    expect(listed).to.deep.equal(
      Object.entries(EXIT_WORDS).map(([name, words]) => [EXIT[name as keyof typeof EXIT], words]),
    );
  });

  it("each print help that names its arguments and options", async () => {
    const visit = async ({ verbs, bare }: Noun): Promise<void> => {
      for (const made of [...Object.values(verbs), ...(bare === undefined ? [] : [bare])]) {
        if (typeof made !== "function") {
          await visit(made);
          continue;
        }
        const command = await made();
        const { world, shown } = fakeConsole();
        expect(await typed(command, ["--help"], world)).to.equal(0);
        for (const name of Object.keys(command.options ?? {})) expect(shown.join()).to.contain(dashed(name));
        for (const name of Object.keys(command.positionals ?? {}))
          expect(shown.join().toLowerCase()).to.contain(dashed(name).slice(2));
        expect(command.summary).to.match(/^[A-Z].*[^.]$/);
      }
    };
    await visit(COMMANDS);
  });

  it("tell nobody to have npx fetch a name that is not published, which may be anybody's", () => {
    const places = [
      "*.md",
      "{api,scripts,client,deploy,deployments,devnet,docs,packages,web,workshop}/**/*.{md,json,ts,tsx,py}",
    ];
    const exclude = ["**/node_modules/**", "docs/vectors/**", "web/dist/**"];
    const files = globSync(places, { cwd: ROOT, exclude });
    expect(files).to.include.members(["README.md", "client/README.md", "packages/verify/README.md"]);
    // Ours to name: npm has them, and a checkout installs them.
    for (const file of files)
      for (const [, options, name] of read(file).matchAll(/\bnpx((?:\s+-\S+)*)\s+([a-z@][\w@./-]*)/g))
        if (!/\s--no\b/.test(options!)) expect(["hardhat", "mocha"], file).to.include(name);
  });
});
