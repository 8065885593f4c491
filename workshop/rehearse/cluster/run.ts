/** The rehearsal of the topology: one fault after the other under load, and a table at the end. */
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "../../../database/open.ts";
import type { Finding } from "../load/audit.ts";
import type { Load } from "../load/clients.ts";
import { summaryOf } from "../load/ledger.ts";
import { faultsIn, recoveryAfter } from "../load/meter.ts";
import { auditNow, type Clients, countOf, openClients, PATIENCE_MS, untilWell } from "../load/settled.ts";
import { findPrograms } from "../topology/packages.ts";
import { startTopology } from "../topology/topology.ts";
import type { Scene, WholeFault } from "./fault.ts";

const RECOVERED_WITHIN_MS = 10_000;
/** So long everything has to go well before it counts as recovered. */
const QUIET_MS = 3_000;
const LEAD_MS = 1_500;
/** Before the first fault. */
const CALM_MS = 10_000;

export interface Row {
  readonly fault: string;
  readonly errors: string;
  /** Milliseconds; null: not measured. */
  readonly recoveredMs: number | null;
  readonly lost: number;
  readonly doubled: number;
  readonly broken: readonly string[];
}

type Run = Scene & Clients;

export interface Listener {
  say(line: string): void;
  done(row: Row): void;
  readonly keepsLogs: boolean;
  /** Once it is aborted, nothing new is begun. */
  readonly isInterrupted: AbortSignal;
}

/** @returns one row a fault, the calm before them first */
export async function rehearseWhole(
  faults: readonly WholeFault[],
  { say, done, keepsLogs, isInterrupted }: Listener,
): Promise<Row[]> {
  const topology = await startTopology(findPrograms(), { say, keepsLogs });
  const db = openDatabase(topology.primary.url("assay"));
  const rows: Row[] = [];
  const add = (row: Row) => {
    rows.push(row);
    done(row);
  };
  let load: Load | null = null;
  try {
    const clients = await openClients(topology, db, say);
    load = clients.load;
    const run: Run = { ...clients, topology, db };
    add(await calm(run));
    for (const fault of faults) {
      if (isInterrupted.aborted) break;
      say(fault.name);
      add(await rehearseOne(run, fault));
    }
    say(`acknowledged: ${summaryOf(run.ledger)}`);
  } finally {
    await load?.stop();
    await db.destroy().catch(() => {});
    await topology.stop();
  }
  return rows;
}

/** Without a fault nothing may go wrong. */
async function calm(run: Run): Promise<Row> {
  const from = performance.now();
  await sleep(CALM_MS);
  await untilWell(run.meter, QUIET_MS, from);
  const findings = await missingIn(run);
  const errors = faultsIn(run.meter.between(from));
  return {
    ...countsOf(findings),
    fault: "None",
    errors: errors ?? "none",
    recoveredMs: null,
    broken: [...(errors === null ? [] : [`errors without a fault: ${errors}`]), ...brokenBy(findings)],
  };
}

async function rehearseOne(run: Run, fault: WholeFault): Promise<Row> {
  try {
    return await measured(run, fault);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    // The next fault starts from a complete topology, as far as possible.
    await fault.end?.(run).catch(() => {});
    return {
      fault: fault.name,
      recoveredMs: null,
      lost: 0,
      doubled: 0,
      errors: `not rehearsed: ${words.split("\n")[0]}`,
      broken: [`the rehearsal itself failed: ${words}`],
    };
  }
}

async function measured(run: Run, fault: WholeFault): Promise<Row> {
  const { meter } = run;
  await sleep(LEAD_MS);
  const began = performance.now();
  await fault.begin(run);
  await sleep(fault.holdMs);
  await fault.end?.(run);
  const ended = performance.now();
  const isWell = await untilWell(run.meter, QUIET_MS, ended);
  const over = performance.now();
  const missing = (await fault.check?.(run)) ?? [];
  const findings = await missingIn(run);
  const samples = meter.between(began - LEAD_MS / 2, over);
  // A part that comes back may trouble others once more.
  const meanwhile = samples.filter(({ startedAt }) => startedAt < ended);
  const recoveredMs = Math.max(
    recoveryAfter(samples, ended),
    fault.isSurvived ? recoveryAfter(meanwhile, began) : 0,
  );
  const broken = [
    ...(isWell ? [] : [`not well after ${PATIENCE_MS / 1_000} s`]),
    ...missing,
    ...brokenBy(findings),
    ...(recoveredMs <= RECOVERED_WITHIN_MS ? [] : ["recovery took more than 10 s"]),
  ];
  return {
    ...countsOf(findings),
    fault: fault.name,
    errors: faultsIn(samples) ?? "none",
    recoveredMs,
    broken,
  };
}

const brokenBy = (findings: readonly Finding[]) => findings.map(({ kind, what }) => `${kind}: ${what}`);

const missingIn = (run: Run): Promise<Finding[]> => auditNow(run, run.topology, run.db);

const countsOf = (findings: readonly Finding[]) => ({
  lost: countOf(findings, "lost"),
  doubled: countOf(findings, "doubled"),
});

const HEADING = [
  "| fault | errors seen | recovered after | lost | doubled | promises |",
  "|---|---|---|---|---|---|",
];

export function tableOf(rows: readonly Row[]): string {
  return [...HEADING, ...rows.map(lineOf)].join("\n");
}

export function lineOf({ fault, errors, recoveredMs, lost, doubled, broken }: Row): string {
  const promises = broken.length === 0 ? "kept" : `BROKEN: ${broken.join("; ").replaceAll(/\s+/g, " ")}`;
  return `| ${[fault, errors, recoveredIn(recoveredMs), lost, doubled, promises].join(" | ")} |`;
}

function recoveredIn(ms: number | null): string {
  if (ms === null) return "";
  return ms === 0 ? "at once" : `${(ms / 1_000).toFixed(1)} s`;
}
