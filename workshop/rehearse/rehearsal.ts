/** One fault after the other while clients use the service, and what each of them cost the clients. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Database, openDatabase } from "../../database/open.ts";
import { audit, type Finding, incomeOf, summaryOf } from "./audit.ts";
import { type Fault, NO_FAULT } from "./faults.ts";
import { type Load, startLoad } from "./load.ts";
import { faultsIn, isWell, recoveryAfter, type Sample } from "./samples.ts";
import type { Topology } from "./topology.ts";

const RECOVERED_WITHIN_MS = 10_000;
/** Nobody waits longer for recovery. */
const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 200;
/** Of the clients alone, before each fault. */
const LEAD_MS = 1_500;

/** What a fault did. */
export interface Row {
  readonly fault: string;
  /** Empty: clients saw none. */
  readonly errors: string;
  /** Milliseconds until nothing failed any more. */
  readonly recoveredMs: number;
  readonly lost: number;
  readonly doubled: number;
  /** Promises that did not hold. */
  readonly broken: readonly string[];
}

interface Run {
  readonly topology: Topology;
  readonly db: Database;
  readonly load: Load;
  /** In the service's account before the first purchase, raw units. */
  readonly paidBefore: bigint;
  /** What was reported as lost or doubled: it is not again. */
  readonly reported: Set<string>;
}

/** Yields a row of the clients without a fault, then one for each. */
export async function* rehearse(
  topology: Topology,
  faults: readonly Fault[],
  say: (line: string) => void,
): AsyncGenerator<Row> {
  await using db = openDatabase(topology.databaseUrl);
  const paidBefore = await incomeOf(topology.provider, topology.deployment);
  await using load = await startLoad(topology, db, say);
  const run: Run = { topology, db, load, paidBefore, reported: new Set() };
  for (const fault of [NO_FAULT, ...faults]) {
    say(fault.name);
    yield await rehearseOne(run, fault);
  }
  say(`acknowledged: ${summaryOf(load.ledger)}`);
}

async function rehearseOne(run: Run, fault: Fault): Promise<Row> {
  const { topology, db, load } = run;
  const broken: string[] = [];
  const from = performance.now();
  await sleep(LEAD_MS);
  const began = performance.now();
  try {
    await fault.begin(topology, db);
    await sleep(fault.holdMs);
    await topology.supervisor.restore();
  } catch (error) {
    broken.push(`the rehearsal itself failed: ${error instanceof Error ? error.message : error}`);
    // The next fault starts from a complete topology, as far as possible.
    await topology.supervisor.restore().catch(() => {});
  }
  const ended = performance.now();
  if (!(await untilWell(load.samples, ended))) broken.push(`not well after ${PATIENCE_MS / 1_000} s`);
  const over = performance.now();
  const findings = await newFindings(run);
  for (const { kind, what } of findings) broken.push(`${kind}: ${what}`);

  const samples = load.samples.filter(({ startedAt }) => startedAt >= from && startedAt < over);
  const errors = faultsIn(samples);
  if (fault === NO_FAULT && errors !== "") broken.push("errors without a fault");
  const recoveredMs = recoveryFrom(samples, fault, began, ended);
  if (recoveredMs > RECOVERED_WITHIN_MS) broken.push("recovery took more than 10 s");
  const countOf = (wanted: Finding["kind"]) => findings.filter(({ kind }) => kind === wanted).length;
  return {
    fault: fault.name,
    errors,
    recoveredMs,
    lost: countOf("lost"),
    doubled: countOf("doubled"),
    broken,
  };
}

/** From the fault's end; what survives a fault also has to recover while it lasts. */
function recoveryFrom(
  samples: readonly Sample[],
  { isSurvived }: Fault,
  began: number,
  ended: number,
): number {
  const afterEnd = recoveryAfter(samples, ended);
  if (!isSurvived) return afterEnd;
  const meanwhile = samples.filter(({ startedAt }) => startedAt < ended);
  return Math.max(afterEnd, recoveryAfter(meanwhile, began));
}

async function untilWell(samples: readonly Sample[], since: number): Promise<boolean> {
  while (performance.now() < since + PATIENCE_MS) {
    if (isWell(samples, since, performance.now())) return true;
    await sleep(LOOK_EVERY_MS);
  }
  return false;
}

/** Holds writes up, looks for everything that was acknowledged, and lets them go on. */
async function newFindings({ topology, db, load, paidBefore, reported }: Run): Promise<Finding[]> {
  await load.pause();
  try {
    const paid = (await incomeOf(topology.provider, topology.deployment)) - paidBefore;
    const found = await audit(db, load.ledger, paid);
    const news = found.filter(({ kind, what }) => !reported.has(`${kind} ${what}`));
    for (const { kind, what } of news) reported.add(`${kind} ${what}`);
    return news;
  } finally {
    load.resume();
  }
}
