/**
 * `npm test`: every test, a stage after the other, and one line at the end with how many passed and failed.
 * `npm test -- api e2e` runs those rooms alone.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const ROOMS = ["contracts", "attestor", "database", "market", "api", "client", "scripts", "e2e"];

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

function stagesOf(rooms: readonly string[]): Stage[] {
  const others = rooms.filter((room) => room !== "contracts" && existsSync(join(ROOT, "test", room)));
  return [
    ...(rooms.includes("contracts")
      ? [{ title: "contracts (Solidity and TypeScript)", command: "hardhat", args: ["test"] }]
      : []),
    ...(others.length > 0
      ? [
          {
            title: others.join(", "),
            command: "mocha",
            args: others.map((room) => `test/${room}/**/*.test.ts`),
          },
        ]
      : []),
  ];
}

/** The sums that Hardhat and mocha print last; both count in the same words. */
function tallyOf(output: string): Tally {
  const last = (word: string): number => {
    const counts = [...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}\\b`, "gm"))];
    return Number(counts.at(-1)?.[1] ?? 0);
  };
  return { passed: last("passing"), failed: last("failing"), skipped: last("pending") };
}

function run({ title, command, args }: Stage): Promise<Tally> {
  console.log(`\n=== ${title}\n`);
  return new Promise((resolve, reject) => {
    const child = spawn(join(ROOT, "node_modules/.bin", command), args, {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk;
      process.stdout.write(chunk);
    });
    child.on("error", reject);
    child.on("close", (code) => {
      const tally = tallyOf(output);
      // A stage that broke before or after its tests is a failure too, and so is one that ran none.
      if ((code !== 0 || tally.passed === 0) && tally.failed === 0) tally.failed = 1;
      resolve(tally);
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
for (const stage of stagesOf(asked.length > 0 ? asked : ROOMS)) {
  const tally = await run(stage);
  for (const key of ["passed", "failed", "skipped"] as const) total[key] += tally[key];
}
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exit(total.failed === 0 ? 0 : 1);
