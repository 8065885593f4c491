/** docs/commands.md: the help of every command, as the commands print it. */
import HELP from "../../cli/help/commands.json" with { type: "json" };
import { VERIFY_HELP } from "../../cli/help/verifyHelp.ts";
import START_HELP from "../../devnet/startHelp.json" with { type: "json" };
import { TASKS } from "../../scripts/tasks/index.ts";

const { agent, assay, collect, keys, payments, ...others } = HELP;
/** Those of every command that sends, which are explained once. */
const SENDING = ["dir", "execute", "from", "print", "reason", "safe", "yes"];

interface Described {
  readonly name: string;
  readonly description: string;
}
type Task = (typeof TASKS)[number];

const typed = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
const lineOf = (name: string, description: string) => `  ${name.padEnd(22)} ${description}`;
const optionsOf = (task: Task): readonly Described[] =>
  "options" in task ? Object.values(task.options) : [];

function taskHelp(task: Task): string {
  const words: readonly Described[] = "positionalArguments" in task ? task.positionalArguments : [];
  const usage = ["npx hardhat", ...task.id, ...words.map(({ name }) => `<${name}>`)].join(" ");
  const own = optionsOf(task).filter(({ name }) => !SENDING.includes(name));
  const sends = optionsOf(task).some(({ name }) => name === "safe") ? " Takes the sending options." : "";
  return [
    usage,
    `  ${task.description}.${sends}`,
    ...words.map(({ name, description }) => lineOf(`<${name}>`, description)),
    ...own.map(({ name, description }) => lineOf(typed(name), description)),
  ].join("\n");
}

function adminHelp(): string {
  const sending = TASKS.find(({ id }) => id.join(" ") === "guard allow-route");
  const shared = sending === undefined ? [] : optionsOf(sending);
  const options = shared.map(({ name, description }) => lineOf(typed(name), description)).join("\n");
  // A task without an action only groups others.
  const tasks = TASKS.filter(
    ({ id }) =>
      !TASKS.some(
        (other) => other.id.length > id.length && other.id.join(" ").startsWith(`${id.join(" ")} `),
      ),
  );
  return [...tasks.map(taskHelp), `Sending options\n${options}`].join("\n\n");
}

const COMMANDS: Readonly<Record<string, string>> = {
  "npm start": START_HELP.join("\n"),
  "npm run agent": agent.join("\n"),
  "npm run collect": collect.join("\n"),
  "npm run keys": keys.join("\n"),
  "npm run payments": payments.join("\n"),
  assay: assay.join("\n"),
  "assay verify": VERIFY_HELP,
  ...Object.fromEntries(Object.entries(others).map(([name, lines]) => [`assay ${name}`, lines.join("\n")])),
  "npx hardhat": adminHelp(),
};

/** As hosts of Markdown make them. */
const anchorOf = (heading: string) => heading.toLowerCase().replaceAll(" ", "-");

export function commandsPage(): string {
  const links = Object.keys(COMMANDS).map((name) => `[${name}](#${anchorOf(name)})`);
  const head = `# Commands

Generated from the help of each command by \`npm run reference\`. Run \`assay\` as \`npm run --silent assay --\` from a checkout, and pass
options of the other commands after \`--\`. [Administering the guard](run/guard.md) explains the tasks of \`npx hardhat\`, and
[workshop/README.md](../workshop/README.md) lists what maintainers run.

${links.join(" ·\n")}
`;
  const sections = Object.entries(COMMANDS).map(
    ([name, help]) => `## ${name}\n\n\`\`\`text\n${help}\n\`\`\`\n`,
  );
  return [head, ...sections].join("\n");
}
