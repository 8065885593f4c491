/** How the decision log is doing: for operators, and for those who wait for its signature. */
import { leaseFault } from "../../database/lease.ts";
import type { Database } from "../../database/open.ts";
import { Problem } from "../http/problems.ts";
import { type Family, gaugeFor } from "../metrics/instruments.ts";
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

/**
 * @param state null: it cannot be read at the moment, and the metrics have no values
 * @param nowMs unix milliseconds
 */
export function logFamilies(state: LogState | null, nowMs: number): Family[] {
  const samples = (value: (state: LogState) => number | null) => {
    const read = state && value(state);
    return read === null ? [] : [[{ log: state?.name ?? "none" }, read] as const];
  };
  const age = ({ signedAt }: LogState) => Math.max(0, (nowMs - (signedAt ?? nowMs)) / 1_000);
  return [
    gaugeFor(
      "assay_log_entries",
      samples(({ size }) => size),
    ),
    gaugeFor(
      "assay_log_waiting_entries",
      samples(({ waiting }) => waiting),
    ),
    gaugeFor(
      "assay_log_signed_entries",
      samples(({ signedSize }) => signedSize),
    ),
    gaugeFor(
      "assay_log_cosigned_entries",
      samples(({ cosignedSize }) => cosignedSize),
    ),
    gaugeFor(
      "assay_log_unsigned_seconds",
      samples((read) => (read.size > read.signedSize ? age(read) : 0)),
    ),
    gaugeFor(
      "assay_log_refused",
      samples(({ refused }) => (refused === null ? 0 : 1)),
    ),
    gaugeFor(
      "assay_log_checkpoint_age_seconds",
      samples((read) => (read.signedAt === null ? null : age(read))),
    ),
  ];
}
