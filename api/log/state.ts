/** How the decision log is doing: for operators, and for those who wait for its signature. */
import { leaseFault } from "../../database/lease.ts";
import type { Database } from "../../database/open.ts";
import { Problem } from "../http/problems.ts";
import { type Family, gaugeFor } from "../metrics/instruments.ts";
import { findLogTree } from "./entries.ts";

/** The name of the lease of who signs. */
export const PUBLISHING = "log-publisher";

const RETRY_SECONDS = 1;

/** Counted so far: beyond it the number says no more. */
export const MOST_WAITING = 10_000;

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
  const [tree, others] = await Promise.all([findLogTree(db), leaseFault(db, PUBLISHING)]);
  const why = tree?.refused ? "it contradicts what it signed before" : (own ?? others);
  if (why !== null) throw notSigned(why);
}

export type LogState = Readonly<Awaited<ReturnType<typeof logState>>>;

/** @throws DatabaseUnavailable */
export async function logState(db: Database) {
  const [tree, fault] = await Promise.all([findLogTree(db), leaseFault(db, PUBLISHING)]);
  const { count } = await db
    .selectFrom(db.selectFrom("log_waiting").select("id").limit(MOST_WAITING).as("waiting"))
    .select(({ fn }) => fn.countAll<number | string>().as("count"))
    .executeTakeFirstOrThrow();
  return {
    /** Null before the log has begun. */
    name: tree?.origin ?? null,
    size: tree?.size ?? 0,
    signedSize: tree?.signed_size ?? 0,
    /** Unix milliseconds of the newest checkpoint. */
    signedAt: tree?.signed_at ?? null,
    cosignedSize: tree?.cosigned_size ?? 0,
    /** Entries without a place, up to `MOST_WAITING`. */
    waiting: Number(count),
    /** Why it is not signed any more; null: it is. */
    refused: tree?.refused ?? null,
    /** Why no process signs it at the moment; null: one does, or none said why. */
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
  const figures: [Parameters<typeof gaugeFor>[0], (state: LogState) => number | null][] = [
    ["assay_log_entries", ({ size }) => size],
    ["assay_log_waiting_entries", ({ waiting }) => waiting],
    ["assay_log_signed_entries", ({ signedSize }) => signedSize],
    ["assay_log_cosigned_entries", ({ cosignedSize }) => cosignedSize],
    ["assay_log_unsigned_seconds", (read) => (read.size > read.signedSize ? age(read) : 0)],
    ["assay_log_refused", ({ refused }) => (refused === null ? 0 : 1)],
    ["assay_log_checkpoint_age_seconds", (read) => (read.signedAt === null ? null : age(read))],
  ];
  return figures.map(([name, value]) => gaugeFor(name, samples(value)));
}
