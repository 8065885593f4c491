/** From one process to the whole shape, step by step while clients go on, and what they saw of each. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createKeys } from "../../../api/keys/keys.ts";
import { backfillLocalMarket } from "../../../devnet/market/sources.ts";
import { APPLICANT } from "../../../test/support/http.ts";
import { audit, type Finding, incomeOf } from "../load/audit.ts";
import { type Load, startLoad } from "../load/clients.ts";
import { createLedger, summaryOf } from "../load/ledger.ts";
import { createMeter, faultsIn, recoveryAfter } from "../load/meter.ts";
import { newFindings, PATIENCE_MS, untilWell } from "../load/settled.ts";
import { findPrograms } from "../shape/packages.ts";
import { marketOf, policyAt } from "../whole/world.ts";
import { STEPS, type Step } from "./steps.ts";
import { type Growing, startGrowing } from "./world.ts";

/** So long everything has to go well before and after a step. */
const QUIET_MS = 4_000;

export interface StepRow {
  readonly step: string;
  readonly errors: string;
  /** Milliseconds from the step's beginning until nothing failed any more. */
  readonly awayMs: number;
  readonly lost: number;
  readonly doubled: number;
  readonly broken: readonly string[];
}

/** @returns one row a step */
export async function rehearseSteps({ say }: { say(line: string): void }): Promise<StepRow[]> {
  const growing = await startGrowing(findPrograms(), say);
  let load: Load | null = null;
  try {
    const run = await openRun(growing);
    load = run.load;
    await sleep(2 * QUIET_MS);
    const rows: StepRow[] = [];
    for (const step of STEPS) {
      say(step.name);
      rows.push(await taken(run, step));
    }
    say(`acknowledged: ${summaryOf(run.ledger)}`);
    return rows;
  } finally {
    await load?.stop();
    await growing.stop();
  }
}

async function openRun(growing: Growing) {
  const keys = createKeys({ db: growing.db(), now: Date.now, randomBytes });
  const { key } = await keys.create(APPLICANT, "the rehearsal");
  await backfillLocalMarket(growing.db(), marketOf(growing));
  const [ledger, meter] = [createLedger(), createMeter(() => performance.now())];
  const paidBefore = await incomeOf(growing);
  const policyId = policyAt(Math.floor(Date.now() / 1_000));
  const load = startLoad({ shape: growing, meter, ledger, key, policyId });
  return { growing, load, ledger, meter, paidBefore, known: new Set<string>() };
}

type Run = Awaited<ReturnType<typeof openRun>>;

async function taken(run: Run, step: Step): Promise<StepRow> {
  const { meter, growing } = run;
  const began = performance.now();
  await step.take(growing);
  const ended = performance.now();
  const isWell = await untilWell(meter, QUIET_MS, ended);
  const samples = meter.between(began);
  const errors = faultsIn(samples);
  const findings = await auditNow(run);
  const count = (kind: Finding["kind"]) => findings.filter((found) => found.kind === kind).length;
  return {
    step: step.name,
    errors: errors ?? "none",
    awayMs: recoveryAfter(samples, began),
    lost: count("lost"),
    doubled: count("doubled"),
    broken: [
      ...(isWell ? [] : [`not well after ${PATIENCE_MS / 1_000} s`]),
      ...(step.isNoticed || errors === null ? [] : [`clients saw ${errors}`]),
      ...findings.map(({ kind, what }) => `${kind}: ${what}`),
    ],
  };
}

const auditNow = ({ load, known, growing, ledger, paidBefore }: Run): Promise<Finding[]> =>
  newFindings(load, known, () => audit(growing, growing.db(), ledger, paidBefore));

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
