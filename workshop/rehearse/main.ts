/**
 * `npm run rehearse`: faults of several processes behind a balancer, on this one machine, with real servers, under load and
 * with a ledger of every acknowledged answer. Prints a table, and ends with 1 when a promise did not hold.
 *
 * `rehearsal.ts` injects the faults of `faults.ts` into `topology.ts` while the clients of `load.ts` use it. `samples.ts` is
 * what they saw, and `audit.ts` whether anything that was acknowledged is lost or doubled.
 */
import { parseArgs } from "node:util";
import { findProgram } from "../../test/support/debian.ts";
import { FAULTS } from "./faults.ts";
import { type Row, rehearse } from "./rehearsal.ts";
import { startTopology } from "./topology.ts";

const USAGE = `Usage: npm run rehearse [-- [--keep] [part of a fault's name]]

Starts three api processes and two workers behind HAProxy, with PostgreSQL, all on loopback. Clients use them while it injects
one fault after the other. For each it prints what clients saw, how long it took, and what was lost or doubled. Needs Linux and
the Debian package haproxy. --keep keeps the logs. The faults:
${FAULTS.map(({ name }) => `  ${name}`).join("\n")}
`;

const OPTIONS = {
  keep: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** @returns the exit code */
async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const wanted = positionals.join(" ").toLowerCase();
  const faults = FAULTS.filter(({ name }) => name.toLowerCase().includes(wanted));
  const haproxy = findProgram("haproxy");
  if (faults.length === 0) throw new Error(`No fault has ${JSON.stringify(wanted)} in its name.\n\n${USAGE}`);
  if (haproxy === undefined)
    throw new Error("HAProxy is not here. Install it with: apt-get install --no-install-recommends haproxy");

  const rows: Row[] = [];
  await using topology = await startTopology(haproxy, say, values.keep);
  for await (const row of rehearse(topology, faults, say)) {
    say(lineOf(row));
    rows.push(row);
  }
  console.log([...HEADING, ...rows.map(lineOf)].join("\n"));
  return rows.every(({ broken }) => broken.length === 0) ? 0 : 1;
}

/** A line of progress, with the seconds since the beginning. */
function say(line: string): void {
  console.error(`[${(performance.now() / 1_000).toFixed(0).padStart(4)} s] ${line}`);
}

const HEADING = [
  "| fault | errors seen | recovered after | lost | doubled | promises |",
  "|---|---|---|---|---|---|",
];

function lineOf({ fault, errors, recoveredMs, lost, doubled, broken }: Row): string {
  const recovered = recoveredMs === 0 ? "at once" : `${(recoveredMs / 1_000).toFixed(1)} s`;
  const promises = broken.length === 0 ? "kept" : `BROKEN: ${broken.join("; ").replaceAll(/\s+/g, " ")}`;
  return `| ${[fault, errors || "none", recovered, lost, doubled, promises].join(" | ")} |`;
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(2);
}
