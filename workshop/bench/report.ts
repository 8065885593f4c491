/**
 * Runs every bench, one after the other, and writes what they print into docs/benchmarks.md, between the marks of their
 * names; all targets are listed at the top. With names it measures those again and leaves the others as they were.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { progress, TARGETS_HEAD } from "./print.ts";

const PAGE = join(import.meta.dirname, "../../docs/benchmarks.md");
const RUN = join(import.meta.dirname, "run.ts");

export async function bench(): Promise<void> {
  const page = readFileSync(PAGE, "utf8");
  const known = [...page.matchAll(/<!-- bench (.+) -->/g)].map(([, command = ""]) => command);
  const { positionals } = parseArgs({ args: process.argv.slice(3), allowPositionals: true });
  const unknown = positionals.filter((name) => !known.some((command) => nameOf(command) === name));
  if (unknown.length > 0)
    throw new Error(`docs/benchmarks.md has no place for ${unknown.join(", ")}; it has ${known.join(", ")}`);
  const wanted = known.filter((command) => positionals.length === 0 || positionals.includes(nameOf(command)));
  for (const [index, command] of wanted.entries()) {
    progress(`${index + 1} of ${wanted.length}: npm run bench -- ${command}`);
    const section = await measured(command);
    // Written after each: what was measured is kept if a later bench fails.
    writeFileSync(PAGE, withTargets(replaced(readFileSync(PAGE, "utf8"), `bench ${command}`, section)));
  }
}

const nameOf = (command: string) => command.split(" ")[0]!;

/** @returns Markdown @throws Error where the bench fails */
async function measured(command: string): Promise<string> {
  const load = loadavg()[0]!.toFixed(1);
  const began = performance.now();
  const child = spawn(process.execPath, [RUN, ...command.split(" ")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (code !== 0 && printed === "") throw new Error(`bench ${command} ended with ${code}`);
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  const day = new Date().toISOString().slice(0, 10);
  const failed = code === 0 ? "" : ` It ended with ${code}.`;
  return `\`npm run bench -- ${command}\`, ${day}, ${minutes} minutes on ${machine()}; load before it ${load}.${failed}

${printed.replace(/\n{3,}/g, "\n\n").trim()}`;
}

function machine(): string {
  const { model = "" } = cpus()[0] ?? {};
  return `${cpus().length} cores (${model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB, Node.js ${process.versions.node}`;
}

/** @throws Error where the page has no such mark */
function replaced(page: string, mark: string, content: string): string {
  const [begin, end] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`];
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`docs/benchmarks.md has no ${begin} … ${end}`);
  return `${page.slice(0, from)}${begin}\n\n${content}\n\n${page.slice(to)}`;
}

/** Lists at the top what the tables of targets say below. */
function withTargets(page: string): string {
  const head = `| ${TARGETS_HEAD.join(" | ")} |`;
  const lines = page.slice(page.indexOf("<!-- /targets -->")).split("\n");
  const rows = lines.flatMap((line, index) => {
    if (line !== head) return [];
    const table = lines.slice(index + 2);
    return table.slice(
      0,
      table.findIndex((row) => !row.startsWith("|")),
    );
  });
  return replaced(page, "targets", [head, `|${" --- |".repeat(TARGETS_HEAD.length)}`, ...rows].join("\n"));
}
