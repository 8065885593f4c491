/** What does not count: excluded with the reason, never silently dropped. */
import { sql } from "kysely";
import type { Database } from "../../database/open.ts";
import { givenRows } from "./given.ts";

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

const COLUMNS = {
  rejected_at: "bigint",
  kind: "text",
  subject: "text",
  reason: "text",
  sample: "text",
} as const;

/** @param now unix seconds */
export async function recordRejections(
  db: Database,
  rejections: readonly Rejection[],
  now: number,
): Promise<void> {
  if (rejections.length === 0) return;
  const rows = rejections.map(({ kind, subject, reason, sample }) => ({
    rejected_at: now,
    kind,
    subject,
    reason,
    sample: JSON.stringify(sample) ?? "null",
  }));
  await sql`insert into rejected_samples (rejected_at, kind, subject, reason, sample)
    select rejected_at, kind, subject, reason, sample from ${givenRows(db, "given", COLUMNS, rows)}
    where true on conflict do nothing`.execute(db);
}
