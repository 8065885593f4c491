/** Commands that README and docs give: each exists, and takes the options that stand behind it. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import HELP from "../../cli/help/commands.json" with { type: "json" };
import { VERIFY_HELP } from "../../cli/help/verifyHelp.ts";
import { TASKS } from "../../scripts/tasks/index.ts";
import { trackedFiles } from "../../workshop/lint/tracked.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const pages = ["README.md", ...trackedFiles(ROOT, "docs/*.md")];
const { scripts } = JSON.parse(read("package.json"));
const helpOf = (name: string): string | undefined =>
  name === "verify" ? VERIFY_HELP : (HELP as Record<string, string[]>)[name]?.join("\n");
/** `guard pause`, with the names of its options as they are typed. */
const tasks = new Map(
  TASKS.map((task) => [
    task.id.join(" "),
    "options" in task
      ? Object.keys(task.options).map(
          (name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
        )
      : [],
  ]),
);

/** Lines of code blocks, and code spans. */
const codeOf = (text: string): string[] => [
  ...[...text.matchAll(/^\s*```[\s\S]*?^\s*```$/gm)].flatMap(([block]) => block.split("\n")),
  ...[...text.replace(/^\s*```[\s\S]*?^\s*```$/gm, "").matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!),
];
const optionsIn = (line: string) => line.replace(/ #.*$/, "").match(/(?<= )--[a-z][a-z-]*/g) ?? [];

describe("commands in README and docs", () => {
  for (const page of pages)
    it(`${page} names scripts, subcommands, tasks and options that exist`, () => {
      const faults: string[] = [];
      for (const line of codeOf(read(page))) {
        for (const [, name] of line.matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g))
          if (!Object.hasOwn(scripts, name!)) faults.push(`npm run ${name}`);
        for (const [, path] of line.matchAll(/(?:^|\s)node (?!node_modules)([\w/-]+\.ts)\b/g))
          if (!existsSync(join(ROOT, path!))) faults.push(`node ${path}`);
        const [, sub, rest = ""] = /\bassay -- ([a-z-]+)(.*)$/.exec(line) ?? [];
        const help = sub === undefined ? undefined : helpOf(sub);
        if (sub !== undefined && help === undefined) faults.push(`assay ${sub}`);
        for (const option of help === undefined ? [] : optionsIn(rest))
          if (!help!.includes(option)) faults.push(`assay ${sub} ${option}`);
        const [, task, after = ""] =
          /(?:hardhat|npm run) (guard (?:-- )?(?:mandate )?[a-z-]+)(.*)$/.exec(line) ?? [];
        if (task === undefined || /^guard --/.test(task.replace("guard -- ", "guard "))) continue;
        const options = tasks.get(task.replace(" -- ", " "));
        if (options === undefined) faults.push(task);
        else
          for (const option of optionsIn(after))
            if (![...options, "--network", "--help"].includes(option)) faults.push(`${task} ${option}`);
      }
      expect(faults).to.deep.equal([]);
    });

  it("docs/verify.md names options of verify that the command has", () => {
    const options = new Set(read("docs/verify.md").match(/(?<=[` ])--[a-z]+(?:-[a-z]+)*/g));
    options.delete("--silent");
    expect(options).to.include.keys("--guard", "--signer", "--rpc");
    for (const option of options) expect(VERIFY_HELP).to.contain(`  ${option} `);
  });

  it("tell nobody to have npx fetch a name that is not published, which may be anybody's", () => {
    const places = [
      "*.md",
      "{api,cli,client,deploy,deployments,devnet,docs,packages,web,workshop}/**/*.{md,json,ts,tsx,py}",
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
