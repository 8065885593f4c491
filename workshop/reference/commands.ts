/** docs/commands.md: the help of every command, as the commands print it. */
import HELP from "../../cli/help/commands.json" with { type: "json" };
import { VERIFY_HELP } from "../../cli/help/verifyHelp.ts";
import START_HELP from "../../devnet/startHelp.json" with { type: "json" };

const { agent, assay, collect, keys, payments, ...others } = HELP;
const COMMANDS: Readonly<Record<string, string>> = {
  "npm start": START_HELP.join("\n"),
  "npm run agent": agent.join("\n"),
  "npm run collect": collect.join("\n"),
  "npm run keys": keys.join("\n"),
  "npm run payments": payments.join("\n"),
  assay: assay.join("\n"),
  "assay verify": VERIFY_HELP,
  ...Object.fromEntries(Object.entries(others).map(([name, lines]) => [`assay ${name}`, lines.join("\n")])),
};

/** As hosts of Markdown make them. */
const anchorOf = (heading: string) => heading.toLowerCase().replaceAll(" ", "-");

export function commandsPage(): string {
  const links = Object.keys(COMMANDS).map((name) => `[${name}](#${anchorOf(name)})`);
  const head = `# Commands

Generated from the help of each command by \`npm run reference\`. Run \`assay\` as \`npm run --silent assay --\` from a checkout, and pass
options of the other commands after \`--\`. [The guard's admin commands](run/guard.md#commands) have a page of their own, and
[workshop/README.md](../workshop/README.md) lists what maintainers run.

${links.join(" ·\n")}
`;
  const sections = Object.entries(COMMANDS).map(
    ([name, help]) => `## ${name}\n\n\`\`\`text\n${help}\n\`\`\`\n`,
  );
  return [head, ...sections].join("\n");
}
