/** How the decision log is doing: for operators, and for those who wait for its signature. */
import { leaseFault } from "../../database/lease.ts";
import type { Database } from "../../database/open.ts";
import { Problem } from "../http/problems.ts";
import { newestShard } from "./shards.ts";

/** The name of the lease of who signs. */
export const PUBLISHING = "log-publisher";

const RETRY_SECONDS = 1;

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
  /** Why no process signs it at the moment; null: one does, or none said why. */
  readonly fault: string | null;
}

export const unavailable = (detail: string, cause?: unknown) =>
  new Problem("unavailable", detail, { retryAfterSeconds: RETRY_SECONDS, cause });

/** To a client. @param why such as `its key cannot sign` */
export const notSigned = (why: string, cause?: unknown) =>
  unavailable(
    `The decision log cannot be signed at the moment: ${why}. Nothing is certified without a signed log; try again.`,
    cause,
  );

/**
 * @param own why this process, which signs, cannot
 * @throws Problem `unavailable` with the reason while nobody can sign; DatabaseUnavailable
 */
export async function refuseUnsigned(db: Database, own: string | null = null): Promise<void> {
  const [shard, others] = await Promise.all([newestShard(db), leaseFault(db, PUBLISHING)]);
  const why = shard?.refused ? "it contradicts what it signed before" : (own ?? others);
  if (why !== null) throw notSigned(why);
}

/** @throws DatabaseUnavailable */
export async function logState(db: Database): Promise<LogState> {
  const [newest, fault] = await Promise.all([newestShard(db), leaseFault(db, PUBLISHING)]);
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
    fault,
  };
}
