/** The commands of the pages in docs/run, by the names of their blocks. */
import { type ChildProcess, spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect } from "chai";
import { debianProgram } from "./debian.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "docs/run");
const DOCUMENT = globSync("**/*.md", { cwd: FOLDER })
  .sort()
  .map((page) => readFileSync(join(FOLDER, page), "utf8"))
  .join("\n");
/** Blocks of commands by name: a fence whose second word is the name. */
const BLOCKS = new Map(
  [...DOCUMENT.matchAll(/^```sh ([a-z0-9-]+)\n([\s\S]*?)\n```$/gm)].map(([, name, text]) => [name!, text!]),
);

interface Line {
  readonly command: string;
  /** The exit code that the document states, otherwise 0. */
  readonly exits: number;
}

export const blockNames = (): string[] => [...BLOCKS.keys()];

export function linesOf(name: string): Line[] {
  const text = BLOCKS.get(name);
  if (text === undefined) throw new Error(`No page has a block ${name}.`);
  return text.split("\n").map((line) => {
    const [, command, exits = "0"] = /^(.*?)(?:\s+# exits ([0-9]))?$/.exec(line)!;
    return { command: command!, exits: Number(exits) };
  });
}

/** A command with what npm would start in npm's place: its own start takes as long as a short program. */
export const withoutNpm = (command: string): string =>
  command
    .replace(/npm run (?:--silent )?assay -- /, `'${process.execPath}' ${ROOT}/scripts/assay.ts `)
    .replace(/npm run agent -- /, `'${process.execPath}' ${ROOT}/scripts/assay.ts agent `);

/** Where a test has what the documents call by names of the live world. */
export interface Machine {
  /** In the admin's folder. */
  path(name: string): string;
  /** `/etc/assay` */
  readonly etc: string;
  readonly keystore: string;
  /** Another one after each restart. */
  serviceUrl(): string;
  readonly rpcUrl: string;
}

/** A `systemctl` that reaches the service of the test. curl is the machine's. @param control takes /stop and /start */
export async function installSystemctl(test: Mocha.Context, bin: string, control: string): Promise<void> {
  debianProgram(test, "curl");
  const path = join(bin, "systemctl");
  const ask = `fetch('${control}/'+process.argv[1]).then(r=>r.text())`;
  await writeFile(path, `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} -e "${ask}" "$1"\n`);
  await chmod(path, 0o755);
}

/** Runs a block line by line; each has to end as the document says. @returns what each printed */
export async function followed(
  name: string,
  machine: Machine,
  words: Record<string, string>,
): Promise<string[]> {
  const outputs: string[] = [];
  for (const { command, exits } of linesOf(name)) {
    // A setting at the beginning of a line stands over the environment's.
    const own = command.startsWith("DATA_DIR=") ? `unset DATABASE_URL; ${command}` : command;
    const { code, text } = await ranOn(machine, own, words);
    expect(code, `${command}\n${text}`).to.equal(exits);
    outputs.push(text);
  }
  return outputs;
}

/** What the document calls by a name of the live world, and where it is here. */
function here(command: string, { path, etc, serviceUrl }: Machine, words: Record<string, string>): string {
  let text = command;
  const replaced: Record<string, string> = {
    "/etc/assay/credentials/attestor-passphrase": `${etc}/passphrase`,
    "/etc/assay/keys/": `${etc}/`,
    "/etc/assay/": `${etc}/`,
    "/var/lib/assay": path("lib"),
    "/var/backups": path("lib"),
    "https://assay.example.com": serviceUrl(),
    "deployments/retired": path("deployments/retired"),
    "retired/56.": "retired/31337.",
    "deployments/56.": `${path("deployments")}/31337.`,
    ...words,
  };
  for (const [name, value] of Object.entries(replaced)) text = text.replaceAll(name, value);
  if (!text.startsWith("npm run assay -- guard ")) return text;
  const local = text.replace(/--network bsc\b(?: --keystore pauser\.json)?/, "--network local");
  return local.includes(" --dir ") ? local : `${local} --dir ${path("deployments")}`;
}

/** A command as a document has it, in a shell. */
export async function ranOn(
  machine: Machine,
  command: string,
  words: Record<string, string> = {},
): Promise<{ code: number; text: string }> {
  const { path, rpcUrl, keystore } = machine;
  const child: ChildProcess = spawn("sh", ["-c", withoutNpm(here(command, machine, words))], {
    cwd: ROOT,
    env: {
      ...process.env,
      PATH: [path("bin"), join(ROOT, "node_modules/.bin"), process.env.PATH].join(delimiter),
      RPC_PORT: new URL(rpcUrl).port,
      DATA_DIR: path("data"),
      DATABASE_URL: `sqlite:${path("lib/assay.db")}`,
      ATTESTOR_KEYSTORE: keystore,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (chunk) => (output += chunk));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code: code ?? -1, text: output };
}
