/**
 * Runs every bench, one after the other, and writes what they print into docs/benchmarks.md, between the marks of their
 * names. All targets, and what each path consists of, are listed at the top. With names it measures those again and leaves
 * the others as they were.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { commandsIn, replaced, withTops } from "./page.ts";
import { progress } from "./print.ts";

const PAGE = join(import.meta.dirname, "../../docs/benchmarks.md");
const RUN = join(import.meta.dirname, "run.ts");
/** How a bench ends that was measured whole and found a limit exceeded. */
const EXCEEDED = 1;

export async function bench(): Promise<void> {
  const page = readFileSync(PAGE, "utf8");
  const known = commandsIn(page);
  const { positionals } = parseArgs({ args: process.argv.slice(3), allowPositionals: true });
  const unknown = positionals.filter((name) => !known.some((command) => nameOf(command) === name));
  if (unknown.length > 0)
    throw new Error(`docs/benchmarks.md has no place for ${unknown.join(", ")}; it has ${known.join(", ")}`);
  const wanted = known.filter((command) => positionals.length === 0 || positionals.includes(nameOf(command)));
  for (const [index, command] of wanted.entries()) {
    progress(`${index + 1} of ${wanted.length}: npm run bench -- ${command}`);
    const section = await measured(command);
    if (section === null) {
      progress(`${command} failed: its section stays as it was`);
      process.exitCode = 1;
      continue;
    }
    // Written after each: what was measured is kept if the rest is stopped.
    writeFileSync(PAGE, withTops(replaced(readFileSync(PAGE, "utf8"), `bench ${command}`, section)));
  }
}

const nameOf = (command: string) => command.split(" ")[0]!;

/** @returns Markdown; null where the bench broke off */
async function measured(command: string): Promise<string | null> {
  const load = loadavg()[0]!.toFixed(1);
  const began = performance.now();
  const child = spawn(process.execPath, [RUN, ...command.split(" ")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (code !== 0 && code !== EXCEEDED) return null;
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  const day = new Date().toISOString().slice(0, 10);
  const failed = code === 0 ? "" : ` It ended with ${code}: a limit was exceeded.`;
  return `\`npm run bench -- ${command}\`, ${day}, ${minutes} minutes on ${machine()}; load before it ${load}.${failed}

${printed.replace(/\n{3,}/g, "\n\n").trim()}`;
}

function machine(): string {
  const { model = "" } = cpus()[0] ?? {};
  return `${cpus().length} cores (${model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB, Node.js ${process.versions.node}`;
}
