/** Which providers' figures are excluded: they are not served, and the exclusion is reported. */
import { z } from "zod";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { EXCLUDED_PART } from "../bounds.ts";
import type { Rejection } from "../series/rejected.ts";
import type { Statement } from "../statement.ts";
import { noteFigures } from "./figures.ts";
import { type CollectMemory, type Round, type Standing, type Step, seconds } from "./types.ts";

/** Whose figure was rejected. */
const Sample = z.looseObject({ source: z.string() });

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

export function noteStated({ memory, now }: Round, statements: readonly Statement[]): void {
  for (const { of, source, subject } of statements)
    standingOf(memory, source, of).stated.set(subject, seconds({ now }));
}

export function noteExcluded(
  memory: CollectMemory,
  rejections: readonly Rejection[],
  now: UnixSeconds,
): void {
  for (const { kind, subject, sample } of rejections) {
    const { data } = Sample.safeParse(sample);
    if (kind === OF_POOLS || !data) continue;
    for (const source of data.source.split(",")) standingOf(memory, source, kind).excluded.set(subject, now);
  }
}

/** Excludes what a source states of a whole chain: the record has one line, and each of the tokens counts against the source. */
export async function rejectChain(
  round: Round,
  { kind, chain, source, reason, tokens, figure }: WrongEverywhere,
): Promise<void> {
  const sample = { source, ...(figure !== undefined && { figure }), tokens: tokens.length };
  await round.reject([{ kind, subject: chain, reason, sample }]);
  noteExcluded(
    round.memory,
    tokens.map((subject) => ({ kind, subject, reason, sample })),
    seconds(round),
  );
}

interface WrongEverywhere {
  readonly kind: string;
  readonly chain: string;
  readonly source: string;
  readonly reason: string;
  /** Asset keys. */
  readonly tokens: readonly string[];
  /** Which of several it is. */
  readonly figure?: string;
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
