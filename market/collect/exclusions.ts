/** Which providers' figures are excluded: what they say is not served, and somebody is told. */
import { z } from "zod";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Rejection } from "../series/rejected.ts";
import { noteFigures } from "./figures.ts";
import { type CollectMemory, type Step, seconds } from "./types.ts";

/** Who stated what was excluded. */
const Stated = z.looseObject({ source: z.string() });

/** What a pool states of itself is no fault of its index. */
const OF_POOLS = "pool";
/** So long without an exclusion, a provider's figures count again: three rounds. */
const EXCLUDED_SECONDS = 900;

export function noteExcluded(
  { excluded }: CollectMemory,
  rejections: readonly Rejection[],
  now: UnixSeconds,
): void {
  for (const { kind, sample } of rejections) {
    const { data } = Stated.safeParse(sample);
    if (kind !== OF_POOLS && data) for (const source of data.source.split(",")) excluded.set(source, now);
  }
}

export const noteProviders: Step = async (round) => {
  const now = seconds(round);
  const figures = [...round.memory.excluded].map(([subject, at]) => ({
    kind: "provider",
    subject,
    state: now - at < EXCLUDED_SECONDS ? "excluded" : "counts",
  }));
  await noteFigures(round, figures);
  return figures.length;
};
