/** How the decision log is doing, for operators. */
import type { Database } from "../../database/open.ts";
import { newestShard } from "./shards.ts";

/** Counted so far: beyond it the number says no more. */
export const MOST_WAITING = 10_000;

export interface LogState {
  /** `2026`; null before the first entry. */
  readonly name: string | null;
  readonly size: number;
  readonly signedSize: number;
  /** Unix milliseconds of the newest checkpoint. */
  readonly signedAt: number | null;
  readonly cosignedSize: number;
  /** Entries without a place, up to `MOST_WAITING`. */
  readonly waiting: number;
  /** Why it is not signed any more; null: it is. */
  readonly refused: string | null;
}

/** @throws DatabaseUnavailable */
export async function logState(db: Database): Promise<LogState> {
  const newest = await newestShard(db);
  const { count } = await db
    .selectFrom(db.selectFrom("log_waiting").select("id").limit(MOST_WAITING).as("waiting"))
    .select(({ fn }) => fn.countAll<number | string>().as("count"))
    .executeTakeFirstOrThrow();
  return {
    name: newest?.name ?? null,
    size: newest?.size ?? 0,
    signedSize: newest?.signed_size ?? 0,
    signedAt: newest?.signed_at ?? null,
    cosignedSize: newest?.cosigned_size ?? 0,
    waiting: Number(count),
    refused: newest?.refused ?? null,
  };
}
