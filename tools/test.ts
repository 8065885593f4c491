/**
 * `npm test`: every test, and one line at the end with how many passed and failed. The contracts come first, since
 * compiling them takes away what the others import; then the rooms in two runs side by side.
 * `npm test -- api e2e` runs those rooms alone.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const ROOMS = [
  "contracts",
  "attestor",
  "database",
  "chain",
  "market",
  "api",
  "client",
  "scripts",
  "cli",
  "devnet",
  "tools",
  "e2e",
];

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

interface Stage {
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** One after the other; what stands together runs at the same time. */
function stagesOf(rooms: readonly string[]): Stage[][] {
  const present = rooms.filter((room) => existsSync(join(ROOT, "test", room)));
  const contracts = present.includes("contracts")
    ? [{ title: "contracts (Solidity and TypeScript)", command: "hardhat", args: ["test"] }]
    : [];
  // Halves of about the same length.
  const first = present.filter((room) => FIRST_HALF.has(room));
  const second = present.filter((room) => room !== "contracts" && !FIRST_HALF.has(room));
  return [contracts, [first, second].filter(({ length }) => length > 0).map(mochaStage)];
}

const FIRST_HALF = new Set(["api", "market", "tools"]);

function mochaStage(rooms: readonly string[]): Stage {
  return {
    title: rooms.join(", "),
    command: "mocha",
    args: rooms.map((room) => `test/${room}/**/*.test.ts`),
  };
}

/** The sums that Hardhat and mocha print last; both count in the same words. */
function tallyOf(output: string): Tally {
  const last = (word: string): number => {
    const counts = [...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}\\b`, "gm"))];
    return Number(counts.at(-1)?.[1] ?? 0);
  };
  return { passed: last("passing"), failed: last("failing"), skipped: last("pending") };
}

/** @param show false: the output is kept and printed as a whole at the end, below that of another run */
function run({ title, command, args }: Stage, show: boolean): Promise<Tally & { print(): void }> {
  const heading = `\n=== ${title}\n\n`;
  if (show) process.stdout.write(heading);
  return new Promise((resolve, reject) => {
    const child = spawn(join(ROOT, "node_modules/.bin", command), args, {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk;
      if (show) process.stdout.write(chunk);
      else printed += chunk;
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (show) process.stderr.write(chunk);
      else printed += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      const tally = tallyOf(output);
      // A stage that broke before or after its tests is a failure too, and so is one that ran none.
      if ((code !== 0 || tally.passed === 0) && tally.failed === 0) tally.failed = 1;
      resolve({ ...tally, print: () => show || process.stdout.write(heading + printed) });
    });
  });
}

const asked = process.argv.slice(2);
const unknown = asked.filter((room) => !ROOMS.includes(room));
if (unknown.length > 0) {
  console.error(`There is no test/${unknown[0]}; the rooms are ${ROOMS.join(", ")}.`);
  process.exit(2);
}

const total: Tally = { passed: 0, failed: 0, skipped: 0 };
for (const together of stagesOf(asked.length > 0 ? asked : ROOMS)) {
  const runs = together.map((stage, index) => run(stage, index === 0));
  for (const running of runs) {
    const { print, ...tally } = await running;
    print();
    for (const key of ["passed", "failed", "skipped"] as const) total[key] += tally[key];
  }
}
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exit(total.failed === 0 ? 0 : 1);
