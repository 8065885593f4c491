/** From one process to the whole shape, step by step while clients go on, and what they saw of each. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Load } from "../load/clients.ts";
import { summaryOf } from "../load/ledger.ts";
import { faultsIn, recoveryAfter } from "../load/meter.ts";
import { auditNow, type Clients, countOf, openClients, PATIENCE_MS, untilWell } from "../load/settled.ts";
import { findPrograms } from "../shape/packages.ts";
import { STEPS, type Step } from "./steps.ts";
import { type Growing, startGrowing } from "./world.ts";

/** So long everything has to go well before and after a step. */
const QUIET_MS = 4_000;

export type StepRow = Awaited<ReturnType<typeof taken>>;

/** @returns one row a step */
export async function rehearseSteps({ say }: { say(line: string): void }): Promise<StepRow[]> {
  const growing = await startGrowing(findPrograms(), say);
  let load: Load | null = null;
  try {
    const clients = await openClients(growing, growing.db(), say);
    load = clients.load;
    await sleep(2 * QUIET_MS);
    const rows: StepRow[] = [];
    for (const step of STEPS) {
      say(step.name);
      rows.push(await taken(growing, clients, step));
    }
    say(`acknowledged: ${summaryOf(clients.ledger)}`);
    return rows;
  } finally {
    await load?.stop();
    await growing.stop();
  }
}

async function taken(growing: Growing, clients: Clients, step: Step) {
  const { meter } = clients;
  const began = performance.now();
  await step.take(growing);
  const ended = performance.now();
  const isWell = await untilWell(meter, QUIET_MS, ended);
  const samples = meter.between(began);
  const errors = faultsIn(samples);
  const findings = await auditNow(clients, growing, growing.db());
  return {
    step: step.name,
    errors: errors ?? "none",
    /** Milliseconds from the step's beginning until nothing failed any more. */
    awayMs: recoveryAfter(samples, began),
    lost: countOf(findings, "lost"),
    doubled: countOf(findings, "doubled"),
    broken: [
      ...(isWell ? [] : [`not well after ${PATIENCE_MS / 1_000} s`]),
      ...(step.isNoticed || errors === null ? [] : [`clients saw ${errors}`]),
      ...findings.map(({ kind, what }) => `${kind}: ${what}`),
    ],
  };
}

/** As docs/operations.md shows it. */
export function stepsTable(rows: readonly StepRow[]): string {
  const line = ({ step, errors, awayMs, lost, doubled, broken }: StepRow) => {
    const away = awayMs === 0 ? "not at all" : `${(awayMs / 1_000).toFixed(1)} s`;
    const promises = broken.length === 0 ? "kept" : `BROKEN: ${broken.join("; ").replaceAll(/\s+/g, " ")}`;
    return `| ${[step, errors, away, lost, doubled, promises].join(" | ")} |`;
  };
  return [
    "| step | errors seen | until none was seen | lost | doubled | promises |",
    "|---|---|---|---|---|---|",
    ...rows.map(line),
  ].join("\n");
}
