/**
 * `npm run rehearse`: faults of several processes behind a balancer, on this one machine, with real servers, under load and
 * with a ledger of every acknowledged answer. Prints the table of docs/operations.md, and ends with 1 when a promise did
 * not hold.
 */
import { parseArgs } from "node:util";
import { PackagesMissing } from "./shape/packages.ts";
import { rehearseSteps, stepsTable } from "./steps/run.ts";
import { WHOLE_FAULTS } from "./whole/list.ts";
import { rehearseWhole } from "./whole/run.ts";
import { brokenIn, lineOf, tableOf } from "./whole/table.ts";

const indented = (names: readonly string[]) => names.map((name) => `  ${name}`).join("\n");

const USAGE = `Usage: npm run rehearse [-- [--short] [--keep] [part of a fault's name]]
       npm run rehearse -- --steps

Starts three api processes and two workers behind HAProxy, PostgreSQL with two standbys behind pgbouncer, and Redis, all on
loopback; lets clients work; makes faults, one after the other, and prints of each what clients saw, how long it took, what
was lost or doubled, and whether limits held. Needs Linux and the Debian packages postgresql, pgbouncer, redis-server and
haproxy; filling a disk takes root. A fault after which only a time was missed is made once more, and the table says so. --keep
leaves the logs where they are. Ends with 1 where a promise did not hold, and with 3 where something was lost or doubled. Those
marked * are the short form:
${indented(WHOLE_FAULTS.map(({ name, isShort }) => (isShort ? `* ${name}` : `  ${name}`)))}

With --steps, the way there: one process on SQLite becomes this shape, step by step, while clients go on.
`;

const OPTIONS = {
  steps: { type: "boolean", default: false },
  short: { type: "boolean", default: false },
  keep: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** @returns null for options that there are not; `wanted` is empty for all faults */
function given(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
    return { ...values, wanted: positionals.join(" ").toLowerCase() };
  } catch {
    return null;
  }
}

/** @returns the exit code */
export async function rehearse(
  args: readonly string[],
  print: Pick<Console, "log" | "error"> = console,
): Promise<number> {
  const asked = given(args);
  if (asked === null || asked.help) {
    print.log(USAGE);
    return asked === null ? 2 : 0;
  }
  const isWanted = (name: string) => name.toLowerCase().includes(asked.wanted);
  if (asked.steps) return await withPackages(steps);
  const chosen = WHOLE_FAULTS.filter(({ name, isShort }) => isWanted(name) && (isShort || !asked.short));
  if (chosen.length === 0) {
    print.error(`No fault has ${JSON.stringify(asked.wanted)} in its name.\n\n${USAGE}`);
    return 2;
  }
  return await withPackages(() => whole(chosen, asked.keep));
}

const INTERRUPTED = 130;
/** Something was lost or doubled, which no second run makes good. */
const LOST = 3;
const exitCode = (broken: number): number => (broken === 0 ? 0 : 1);

/** @returns 2 where packages are missing, which it names */
async function withPackages(rehearse: () => Promise<number>): Promise<number> {
  try {
    return await rehearse();
  } catch (error) {
    if (!(error instanceof PackagesMissing)) throw error;
    console.error(error.message);
    return 2;
  }
}

/** Lines of progress, with the seconds since the beginning. */
function narrator(): (line: string) => void {
  const began = performance.now();
  return (line) =>
    console.error(`[${((performance.now() - began) / 1_000).toFixed(0).padStart(4)} s] ${line}`);
}

async function steps(): Promise<number> {
  const rows = await rehearseSteps({ say: narrator() });
  console.log(stepsTable(rows));
  return exitCode(rows.reduce((count, { broken }) => count + broken.length, 0));
}

async function whole(chosen: typeof WHOLE_FAULTS, keepsLogs: boolean): Promise<number> {
  const say = narrator();
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());
  const rows = await rehearseWhole(chosen, {
    ...{ say, keepsLogs, isInterrupted: interrupted.signal },
    done: (row) => say(lineOf(row)),
  });
  console.log(tableOf(rows));
  if (interrupted.signal.aborted) return INTERRUPTED;
  if (rows.some(({ lost, doubled }) => lost + doubled > 0)) return LOST;
  return exitCode(rows.reduce((count, row) => count + brokenIn(row).length, 0));
}

if (import.meta.main) process.exit(await rehearse(process.argv.slice(2)));
