/** What does not count: excluded with the reason, never silently dropped. */
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

/** What became of a batch of samples. */
export interface Recorded {
  readonly stored: number;
  readonly rejected: readonly Rejection[];
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

/** The newest rejections, newest first. */
export async function newestRejections(
  db: Database,
  limit: number,
): Promise<(Rejection & { readonly rejectedAt: number })[]> {
  const rows = await db
    .selectFrom("rejected_samples")
    .selectAll()
    .orderBy("rejected_at", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ rejected_at, sample, ...rest }) => ({
    ...rest,
    sample: JSON.parse(sample),
    rejectedAt: rejected_at,
  }));
}
