/** `assay collect once` and `backfill`: one round of the collectors by hand, and the history that providers have. */
import { collectRound } from "../../market/collect/collect.ts";
import { createMemory } from "../../market/collect/round.ts";
import type { StepReport } from "../../market/collect/types.ts";
import { command } from "../command.ts";
import { EXIT } from "../errors.ts";
import { MARKET_NOTES, withMarket } from "./market.ts";

export const collectOnce = command({
  summary: "Collect one round over everything, with a table of what was collected",
  notes: ["Exit code 1 where something is missing.", ...MARKET_NOTES],
  run: (_, world) =>
    withMarket(world, async ({ market }) => {
      world.out(rowOf(["", "stored", "failed", "rejected"]));
      const onProgress = (step: StepReport) => {
        if (step.finished) world.out(rowOf([step.kind, step.done, step.failed.length, step.rejected]));
      };
      const { steps } = await collectRound({ ...market, onProgress }, createMemory());
      const missing = steps.flatMap((step) => step.failed.map((subject) => `${step.kind}: ${subject}`));
      for (const line of missing) world.out(`Missing: ${line}`);
      return missing.length === 0 ? EXIT.ok : EXIT.failed;
    }),
});

function rowOf([name, ...figures]: readonly (string | number)[]): string {
  return String(name).padEnd(12) + figures.map((figure) => String(figure).padStart(10)).join("");
}

export const backfill = command({
  summary: "Fill in history: 90 days of funding for the live market, the simulated 90 days for the local one",
  notes: [
    "The live market's is as Hyperliquid has it, as far back as raw samples are kept.",
    ...MARKET_NOTES,
  ],
  run: (_, world) => withMarket(world, async (open) => ((await open.backfill()) ? EXIT.ok : EXIT.failed)),
});
