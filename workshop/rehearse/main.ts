/**
 * `npm run rehearse`: faults of several processes behind a balancer, on this one machine, with real servers, under load and
 * with a ledger of every acknowledged answer. Prints a table, and ends with 1 when a promise did not hold.
 */
import { parseArgs } from "node:util";
import { WHOLE_FAULTS } from "./cluster/list.ts";
import { lineOf, rehearseWhole, tableOf } from "./cluster/run.ts";
import { PackagesMissing } from "./topology/packages.ts";

const USAGE = `Usage: npm run rehearse [-- [--keep] [part of a fault's name]]

Starts three api processes and two workers behind HAProxy, with PostgreSQL, all on loopback. Clients use them while it injects
one fault after the other. For each it prints what clients saw, how long it took, and what was lost or doubled. Needs Linux and
the Debian packages postgresql and haproxy. --keep keeps the logs. The faults:
${WHOLE_FAULTS.map(({ name }) => `  ${name}`).join("\n")}
`;

const OPTIONS = {
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
async function rehearse(args: readonly string[]): Promise<number> {
  const asked = given(args);
  if (asked === null || asked.help) {
    console.log(USAGE);
    return asked === null ? 2 : 0;
  }
  const isWanted = (name: string) => name.toLowerCase().includes(asked.wanted);
  const chosen = WHOLE_FAULTS.filter(({ name }) => isWanted(name));
  if (chosen.length === 0) {
    console.error(`No fault has ${JSON.stringify(asked.wanted)} in its name.\n\n${USAGE}`);
    return 2;
  }
  try {
    return await whole(chosen, asked.keep);
  } catch (error) {
    if (!(error instanceof PackagesMissing)) throw error;
    console.error(error.message);
    return 2;
  }
}

const INTERRUPTED = 130;

/** Lines of progress, with the seconds since the beginning. */
function narrator(): (line: string) => void {
  const began = performance.now();
  return (line) =>
    console.error(`[${((performance.now() - began) / 1_000).toFixed(0).padStart(4)} s] ${line}`);
}

async function whole(chosen: typeof WHOLE_FAULTS, keepsLogs: boolean): Promise<number> {
  const say = narrator();
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());
  const rows = await rehearseWhole(chosen, {
    say,
    keepsLogs,
    isInterrupted: interrupted.signal,
    done: (row) => say(lineOf(row)),
  });
  console.log(tableOf(rows));
  if (interrupted.signal.aborted) return INTERRUPTED;
  return rows.some(({ broken }) => broken.length > 0) ? 1 : 0;
}

process.exit(await rehearse(process.argv.slice(2)));
