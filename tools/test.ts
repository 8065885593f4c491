/**
 * `npm test`: every test, and one line at the end with how many passed and failed. Mocha takes file after file with
 * two processes, and beside them Hardhat compiles and runs the Solidity tests in the time that these leave.
 * `npm test -- api e2e` runs those rooms alone.
 */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { environment } from "../api/settings/environment.ts";

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

/** Everything that tests write, and what those leave behind that kill processes, goes with it. */
const TEMPORARY = mkdtempSync(join(tmpdir(), "assay-test-"));
// PostgreSQL, which refuses to run as root, has to get through.
chmodSync(TEMPORARY, 0o755);
process.once("exit", () => rmSync(TEMPORARY, { recursive: true, force: true, maxRetries: 5 }));

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

interface Stage {
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Takes the processor only where nothing else wants it. */
  readonly yields?: boolean;
}

/** Each takes a processor, some 500 MB, and a PostgreSQL of its own. */
const PROCESSES = Math.min(4, Math.max(2, availableParallelism()));

/** They take longest, and begin first, so that none of them is what all others have ended before. */
const LONG = [
  "cli/verify.test.ts",
  "database/plans.test.ts",
  "api/fuzz.test.ts",
  "api/attestation/rotation.test.ts",
  "cli/keystore/keystore.test.ts",
  "attestor/tampering.test.ts",
  "devnet/chain/crash.test.ts",
];

/** They run at the same time. */
function stagesOf(rooms: readonly string[]): Stage[] {
  const present = rooms.filter((room) => existsSync(join(ROOT, "test", room)));
  const files = globSync(
    present.map((room) => `test/${room}/**/*.test.ts`),
    { cwd: ROOT },
  );
  const rank = (file: string) => {
    const index = LONG.findIndex((long) => file === join("test", long));
    return index < 0 ? LONG.length : index;
  };
  const mocha = {
    title: present.join(", "),
    command: "mocha",
    args: ["--parallel", "--jobs", String(PROCESSES), ...files.sort().sort((a, b) => rank(a) - rank(b))],
  };
  const solidity = {
    title: "contracts (Solidity)",
    command: "hardhat",
    args: ["test", "solidity", "--no-compile"],
    yields: true,
  };
  return present.includes("contracts") ? [mocha, solidity] : [mocha];
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
function run({ title, command, args, yields }: Stage, show: boolean): Promise<Tally & { print(): void }> {
  const heading = `\n=== ${title}\n\n`;
  if (show) process.stdout.write(heading);
  return new Promise((resolve, reject) => {
    const child = spawn(join(ROOT, "node_modules/.bin", command), args, {
      cwd: ROOT,
      env: { ...environment(), TMPDIR: TEMPORARY },
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (yields && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
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
const runs = stagesOf(asked.length > 0 ? asked : ROOMS).map((stage, index) => run(stage, index === 0));
for (const running of runs) {
  const { print, ...tally } = await running;
  print();
  for (const key of ["passed", "failed", "skipped"] as const) total[key] += tally[key];
}
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exit(total.failed === 0 ? 0 : 1);
