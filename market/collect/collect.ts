/**
 * Read this first: how the market's series come to be. A round asks each source (`round.ts`), judges what it
 * states (`rules/`), and records the samples that come of it. What fails costs itself alone: an asset, a provider, or one kind.
 *
 * Impacts take as long as the slowest provider lets them, so the schedule runs them in rounds of their own beside
 * those of the prices: `prices` are what is served with a time, `impacts` what is served as a median of a week.
 */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { noteProviders } from "./exclusions.ts";
import { collectImpacts } from "./impacts.ts";
import { noteRound } from "./noteRound.ts";
import { collectPremiums } from "./premiums.ts";
import { createRun } from "./round.ts";
import { askAfterwards, collectActions, collectBases, readListings } from "./steps.ts";
import type { CollectMemory, MarketDeps, RoundReport, Step, StepKind, StepReport } from "./types.ts";
import { clearWhatIsOld, closeEndedDays, computeScores } from "./upkeep.ts";
import { collectVolumes } from "./volumes.ts";

export type Part = "prices" | "impacts";

type NamedStep = readonly [kind: StepKind, part: Part | "both", step: Step];

/** Steps of one stage run beside each other: a round takes as long as its slowest provider. */
const STAGES: readonly (readonly NamedStep[])[] = [
  [
    ["days", "prices", closeEndedDays],
    ["listings", "prices", readListings],
  ],
  [
    ["bases", "prices", collectBases],
    ["premiums", "prices", collectPremiums],
    ["volumes", "prices", collectVolumes],
    ["references", "prices", askAfterwards],
    ["impacts", "impacts", collectImpacts],
  ],
  [
    ["scores", "both", computeScores],
    ["actions", "prices", collectActions],
  ],
  [["providers", "both", noteProviders]],
  [["retention", "prices", clearWhatIsOld]],
];

/** A step that had nothing to do is; one that could do nothing of it is not. */
const isOfUse = ({ done, failed }: StepReport): boolean => done > 0 || failed.length === 0;

/**
 * One round. Never throws: failures are logged and in the report.
 * @param part all of it where none is named
 */
export async function collectRound(
  deps: MarketDeps,
  memory: CollectMemory,
  part?: Part,
): Promise<RoundReport> {
  const run = createRun(deps, memory);
  const startedAt = Math.floor(deps.now() / 1_000);
  const steps: StepReport[] = [];
  const endedAt = new Map<StepKind, UnixSeconds>();
  for (const stage of STAGES) {
    const due = stage.filter(([, of]) => part === undefined || of === "both" || of === part);
    const reports = due.map(async ([kind, , step]) => {
      const report = await (deps.watchStep?.(kind, () => run(kind, step)) ?? run(kind, step));
      if (isOfUse(report) && !deps.signal?.aborted) endedAt.set(kind, Math.floor(deps.now() / 1_000));
      return report;
    });
    steps.push(...(await Promise.all(reports)));
  }
  await noteRound(deps, part === "impacts" ? null : startedAt, endedAt);
  return { steps };
}
