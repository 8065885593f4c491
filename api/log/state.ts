/** How the decision log is doing: for operators, and for those who wait for its signature. */
import type { UnixMs } from "../../attestor/values/time.ts";
import { leaseFault } from "../../database/lease.ts";
import type { Database } from "../../database/open.ts";
import { Problem } from "../http/problems.ts";
import { type Metrics, measure } from "../metrics/metrics.ts";
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

/** @param now unix milliseconds */
export function measureLog(metrics: Metrics, read: () => Promise<LogState | null>, now: () => UnixMs): void {
  const age = ({ signedAt }: LogState) => Math.max(0, (now() - (signedAt ?? now())) / 1_000);
  const of = (value: (state: LogState) => number | null) => (state: LogState) => {
    const figure = value(state);
    return figure === null ? [] : [[{ log: state.name ?? "none" }, figure] as const];
  };
  const labelNames = ["log"];
  measure(metrics, read, [
    {
      name: "assay_log_entries",
      help: "Entries of the running decision log that have their place.",
      labelNames,
      samples: of(({ size }) => size),
    },
    {
      name: "assay_log_waiting_entries",
      help: "Entries that wait for their place; counted up to 10,000.",
      labelNames,
      samples: of(({ waiting }) => waiting),
    },
    {
      name: "assay_log_signed_entries",
      help: "Entries of its newest signed checkpoint.",
      labelNames,
      samples: of(({ signedSize }) => signedSize),
    },
    {
      name: "assay_log_cosigned_entries",
      help: "Entries of its newest cosigned checkpoint.",
      labelNames,
      samples: of(({ cosignedSize }) => cosignedSize),
    },
    {
      name: "assay_log_unsigned_seconds",
      help: "Seconds since the newest checkpoint while entries wait for another; 0: none wait.",
      labelNames,
      samples: of((state) => (state.size > state.signedSize ? age(state) : 0)),
    },
    {
      name: "assay_log_checkpoint_age_seconds",
      help: "Age of the newest checkpoint; no new one is made while nothing is judged. Absent before the first.",
      labelNames,
      samples: of((state) => (state.signedAt === null ? null : age(state))),
    },
    {
      name: "assay_log_refused",
      help: "1: it is not signed any more, see docs/run/runbooks.md#the-decision-log.",
      labelNames,
      samples: of(({ refused }) => (refused === null ? 0 : 1)),
    },
  ]);
}
