/** Which providers' figures are excluded: they are not served, and the exclusion is reported. */
import { z } from "zod";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Rejection } from "../series/rejected.ts";
import { EXCLUDED_PART } from "../bounds.ts";
import { noteFigures } from "./figures.ts";
import { type CollectMemory, type Round, type Standing, type Step, seconds } from "./types.ts";

/** The source of a figure, and its subject. */
const Stated = z.looseObject({
  source: z.string(),
  assetKey: z.string().optional(),
  underlying: z.string().optional(),
});

/** What a pool states of itself is no fault of its index. */
const OF_POOLS = "pool";
/** So long without exclusions, a provider's figures count again: three rounds. */
const EXCLUDED_SECONDS = 900;

function standingOf({ providers }: CollectMemory, source: string, kind: string): Standing {
  const kinds = providers.get(source) ?? new Map<string, Standing>();
  const standing = kinds.get(kind) ?? { stated: new Map(), excluded: new Map() };
  providers.set(source, kinds.set(kind, standing));
  return standing;
}

/** @param kind that a figure's rejection would have, such as `price` */
export function noteStated({ memory, now }: Round, kind: string, rows: readonly unknown[]): void {
  for (const row of rows) {
    const { data } = Stated.safeParse(row);
    const subject = data?.assetKey ?? data?.underlying;
    if (data && subject !== undefined)
      standingOf(memory, data.source, kind).stated.set(subject, Math.floor(now() / 1_000));
  }
}

export function noteExcluded(
  memory: CollectMemory,
  rejections: readonly Rejection[],
  now: UnixSeconds,
): void {
  for (const { kind, subject, sample } of rejections) {
    const { data } = Stated.safeParse(sample);
    if (kind === OF_POOLS || !data) continue;
    for (const source of data.source.split(",")) standingOf(memory, source, kind).excluded.set(subject, now);
  }
}

/** A provider of many tokens is always wrong about some: it is excluded where these are a good part of a kind of its figures. */
export const noteProviders: Step = async (round) => {
  const now = seconds(round);
  const figures = [...round.memory.providers].flatMap(([subject, kinds]) => {
    const standings = [...kinds.values()];
    const wasExcluded = standings.some(({ excluded }) => excluded.size > 0);
    const isExcluded = standings.map(forgetOld(now)).some(({ stated, excluded }) => {
      const all = new Set([...stated.keys(), ...excluded.keys()]).size;
      return excluded.size > 0 && excluded.size >= all * EXCLUDED_PART;
    });
    return wasExcluded ? [{ kind: "provider", subject, state: isExcluded ? "excluded" : "counts" }] : [];
  });
  await noteFigures(round, figures);
  return figures.length;
};

const forgetOld = (now: UnixSeconds) => (standing: Standing) => {
  for (const times of [standing.stated, standing.excluded])
    for (const [key, at] of times) if (now - at >= EXCLUDED_SECONDS) times.delete(key);
  return standing;
};
