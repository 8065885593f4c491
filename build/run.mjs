// How every npm script starts: node build/run.mjs [--workshop|--build] [NAME=value…] [--node-flag…] [script [argument…]]
//
// It finds a Node.js that is new enough or fetches one, installs what is missing, and then runs the script in its place:
// signals, standard input and the exit code pass through. --workshop also installs what maintainers need. --build does too,
// compiles what tests deploy, and brings up to date what is committed compiled and bundled.
// Plain JavaScript without packages, because it must run under whatever Node.js the machine has.
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "./install.mjs";
import { findNode } from "./node.mjs";
import { endWithParent, run, runInstead } from "./programs.mjs";
import { outdated } from "./sources.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The words before the script are settings of its process. */
function parse(words) {
  const mode = ["--workshop", "--build"].find((name) => name === words[0]);
  const rest = mode === undefined ? words : words.slice(1);
  const at = rest.findIndex((word) => !word.startsWith("--") && !/^[A-Z_]+=/.test(word));
  const before = at === -1 ? rest : rest.slice(0, at);
  return {
    mode,
    flags: before.filter((word) => word.startsWith("--")),
    variables: Object.fromEntries(
      before.filter((word) => !word.startsWith("--")).map((word) => word.split("=")),
    ),
    command: at === -1 ? [] : rest.slice(at),
  };
}

async function main() {
  const { mode, flags, variables, command } = parse(process.argv.slice(2));
  const given = process.env;
  const node = await findNode(given);
  // For every program that is started from here, npm's own scripts included.
  const path = [dirname(node), join(ROOT, "node_modules/.bin"), given.PATH].join(delimiter);
  const env = { ...given, PATH: path };
  await install({ node, env, workshop: mode !== undefined });
  if (mode === "--build") {
    const { status } = await run(node, ["workshop/prepare.ts"], { cwd: ROOT, env, shows: true });
    if (status !== 0) process.exit(status);
  } else if (mode === undefined) {
    // It starts all the same, with what is committed.
    for (const reason of Object.values(outdated(ROOT)))
      if (reason !== null) process.stderr.write(`${reason}\n`);
  }
  if (command.length > 0) await runInstead(node, [...flags, ...command], { ...env, ...variables });
}

endWithParent();
await main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
