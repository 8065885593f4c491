/** A machine of the docs' names on which a test follows the runbooks: beside a service and a chain of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { expect } from "chai";
import { ROOT } from "../../build/buildOnce.ts";
import { debianProgram } from "../support/debian.ts";
import { linesOf, withoutNpm } from "../support/runbooks.ts";

/** Where a test has what the documents call by names of the live world. */
export interface Machine {
  readonly admin: { path(name: string): string };
  /** In `/etc/assay`. */
  readonly keystore: { readonly path: string };
  /** At another URL after each restart. */
  readonly service: { readonly url: string };
  readonly rpc: { readonly url: string };
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
function here(command: string, { admin, keystore, service }: Machine, words: Record<string, string>): string {
  let text = command;
  const { path } = admin;
  const etc = dirname(keystore.path);
  const replaced: Record<string, string> = {
    "/etc/assay/credentials/attestor-passphrase": `${etc}/passphrase`,
    "/etc/assay/keys/": `${etc}/`,
    "/etc/assay/": `${etc}/`,
    "/var/lib/assay": path("lib"),
    "/var/backups": path("lib"),
    "https://assay.example.com": service.url,
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
  const { admin, rpc, keystore } = machine;
  const { path } = admin;
  const child: ChildProcess = spawn("sh", ["-c", withoutNpm(here(command, machine, words))], {
    cwd: ROOT,
    env: {
      ...process.env,
      PATH: [path("bin"), join(ROOT, "node_modules/.bin"), process.env.PATH].join(delimiter),
      RPC_PORT: new URL(rpc.url).port,
      DATA_DIR: path("data"),
      DATABASE_URL: `sqlite:${path("lib/assay.db")}`,
      ATTESTOR_KEYSTORE: keystore.path,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (chunk) => (output += chunk));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code: code ?? -1, text: output };
}
