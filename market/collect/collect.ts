/**
 * Read this first: how the market's series come to be. A round asks each source, stamps what it says with
 * session and time, and records it. What fails costs itself alone: an asset, a provider, or one kind.
 */
import { collectBases } from "./bases.ts";
import { collectImpacts } from "./impacts.ts";
import { noteRound } from "./noteRound.ts";
import { collectPremiums } from "./premiums.ts";
import { createRun } from "./round.ts";
import type { CollectMemory, MarketDeps, RoundReport } from "./types.ts";
import { clearWhatIsOld, closeEndedDays, refreshScores } from "./upkeep.ts";
import { collectVolumes } from "./volumes.ts";

/** One round. Never throws: what failed is logged and stands in the report. */
export async function collectRound(deps: MarketDeps, memory: CollectMemory): Promise<RoundReport> {
  const run = createRun(deps, memory);
  const startedAt = Math.floor(deps.now() / 1_000);
  const report = {
    steps: [
      await run("days", closeEndedDays),
      // What is asked often and at once comes first; impacts take as long as the slowest provider lets them.
      await run("premiums", collectPremiums),
      await run("bases", collectBases),
      await run("volumes", collectVolumes),
      await run("impacts", collectImpacts),
      await run("scores", refreshScores),
      await run("retention", clearWhatIsOld),
    ],
  };
  await noteRound(deps, startedAt);
  return report;
}
