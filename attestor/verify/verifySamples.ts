/** Holds the liquidity of the evidence against the batch of samples that it commits to, where the reader has it. */
import * as z from "zod";
import type { Evidence } from "../evidence/evidence.ts";
import { liquidityOfSamples, SampleBatch, samplesRoot } from "../evidence/samples.ts";
import { differingMembers, type Steps, sameJson } from "../steps.ts";

/** @param given the batch as the reader has it, which may be anything; undefined: none */
export function samplesStep({ liquidity, trade }: Evidence, given: unknown, steps: Steps): void {
  if (given === undefined) return;
  if (liquidity === null || liquidity.samplesRoot === null) {
    steps.add("samples", "unknown", "The evidence names no samples to hold these against.");
    return;
  }
  const parsed = SampleBatch.safeParse(given);
  if (!parsed.success || !sameJson(parsed.data, given)) {
    const why = parsed.success ? "they are not in canonical form" : z.prettifyError(parsed.error);
    steps.add("samples", "unknown", `These are no samples of a liquidity: ${why}.`);
    return;
  }
  const root = samplesRoot(parsed.data);
  if (root !== liquidity.samplesRoot) {
    steps.add("samples", "unknown", `These samples hash to ${root}, and the evidence names others.`);
    return;
  }
  const differing = [
    ...(parsed.data.assetKey === trade.stockAssetKey ? [] : ["assetKey"]),
    ...differingMembers(liquidity, { ...liquidityOfSamples(parsed.data) }),
  ];
  steps.judge(
    "samples",
    differing.length === 0,
    `Medians and grade follow from the ${parsed.data.samples.length} samples that the evidence names.`,
    `The samples that the evidence names say otherwise: ${differing.join(", ")}.`,
  );
}
