/** What does not count: excluded with the reason, never silently dropped. */
import type { z } from "zod";
import type { Database } from "../../database/open.ts";
import { chunksOf } from "./buckets.ts";

/** How far ahead of our clock a sample's time may be, seconds. */
export const MAX_AHEAD_SECONDS = 120;

export interface Rejection {
  /** `premium`, `basis`, `volume`, `impact`, `price`, `reference`. */
  readonly kind: string;
  /** The asset key or ticker. */
  readonly subject: string;
  /** A word such as `clock_ahead`. */
  readonly reason: string;
  /** What was turned away; stored as JSON. */
  readonly sample: unknown;
}

/** A kind of sample, and what becomes of those that can be true. */
interface Family<Sample extends z.ZodType> {
  readonly kind: string;
  readonly sample: Sample;
  /** The asset key or ticker. */
  subjectOf(sample: z.output<Sample>): string;
  /** A word where it cannot be true. By the sample alone: a judgement by earlier ones would depend on their order. */
  implausible(sample: z.output<Sample>): string | null;
  store(plausible: z.output<Sample>[]): Promise<void>;
}

/**
 * Stores samples: in any order, however late and however often. What cannot be true is recorded as rejected.
 * @param now unix seconds
 * @throws ZodError for a sample of the wrong shape, with nothing stored; DatabaseUnavailable
 */
export async function recordPlausible<Sample extends z.ZodType<{ readonly sampledAt: number }>>(
  db: Database,
  samples: readonly z.input<Sample>[],
  now: number,
  { kind, sample: schema, subjectOf, implausible, store }: Family<Sample>,
) {
  const parsed = samples.map((sample) => schema.parse(sample));
  const rejected: Rejection[] = [];
  const plausible = parsed.filter((sample) => {
    const reason = sample.sampledAt - now > MAX_AHEAD_SECONDS ? "clock_ahead" : implausible(sample);
    if (reason !== null) rejected.push({ kind, subject: subjectOf(sample), reason, sample });
    return reason === null;
  });
  await recordRejections(db, rejected, now);
  await store(plausible);
  return { stored: plausible.length, rejected };
}

/** @param now unix seconds */
export async function recordRejections(
  db: Database,
  rejections: readonly Rejection[],
  now: number,
): Promise<void> {
  const rows = rejections.map(({ kind, subject, reason, sample }) => ({
    rejected_at: now,
    kind,
    subject,
    reason,
    sample: JSON.stringify(sample) ?? "null",
  }));
  for (const chunk of chunksOf(rows))
    await db
      .insertInto("rejected_samples")
      .values(chunk)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}
