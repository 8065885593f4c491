/**
 * Deletes what is old: jobs that nobody paid for or executed, with their reports; what was sold, where the operator sets
 * a limit; payments that failed. Works in small transactions, a limited number a round, so that nobody waits for it.
 */
import { type RawBuilder, sql } from "kysely";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import type { Logger } from "../metrics/logger.ts";
import { type Repeated, repeat } from "../repeat.ts";
import type { JobRetention } from "../settings/retention.ts";
import { clearAttachments } from "./attachments.ts";

const DAY_SECONDS = 86_400;
const BATCH = 100;
const BATCHES_A_ROUND = 20;

export type Kind = "oneShot" | "ofKeys" | "sold" | "failedPayments";
type JobKind = Exclude<Kind, "failedPayments">;

/** What goes, by kind. Written out as in the indexes: SQLite looks no further than the text. */
const JOBS: Readonly<Record<JobKind, RawBuilder<boolean>>> = {
  oneShot: sql<boolean>`sold = 0 and coalesce(key_id, '') = ''`,
  ofKeys: sql<boolean>`sold = 0 and coalesce(key_id, '') <> ''`,
  sold: sql<boolean>`sold = 1`,
};

const EXPIRED = sql.lit("expired" as const);

/** What has to do with a job, each before what it refers to. */
const OF_A_JOB = [
  "body_purchases",
  "job_tokens",
  "executions",
  "public_evidence",
  "refunds",
  "payments",
  "payment_terms",
  "log_withheld",
  "reports",
] as const;

/** Unix seconds before which a kind goes; null: it stays. */
function cutoffs(retention: JobRetention, now: number): Readonly<Record<Kind, number | null>> {
  const before = (days: number | null) => (days === null ? null : now - days * DAY_SECONDS);
  return {
    oneShot: before(retention.oneShotDays),
    ofKeys: before(retention.jobDays),
    sold: before(retention.soldDays),
    failedPayments: before(retention.failedPaymentDays),
  };
}

/**
 * One round.
 * @param now unix seconds
 * @returns how many jobs and payments went, by kind
 * @throws DatabaseUnavailable; what went so far is gone
 */
export async function clearOldJobs(
  db: Database,
  retention: JobRetention,
  now: number,
): Promise<Record<Kind, number>> {
  const before = cutoffs(retention, now);
  const gone: Record<Kind, number> = { oneShot: 0, ofKeys: 0, sold: 0, failedPayments: 0 };
  for (const kind of ["oneShot", "ofKeys", "sold"] as const) {
    const cutoff = before[kind];
    for (let batch = 0; cutoff !== null && batch < BATCHES_A_ROUND; batch++) {
      const { seen, deleted } = await clearBatch(db, kind, cutoff);
      gone[kind] += deleted;
      if (seen < BATCH) break;
    }
  }
  if (before.failedPayments !== null) gone.failedPayments = await clearPayments(db, before.failedPayments);
  return gone;
}

const oldJobs = (db: Database, kind: JobKind, cutoff: number) =>
  db.selectFrom("jobs").where(JOBS[kind]).where("created_at", "<", cutoff);

async function clearBatch(db: Database, kind: JobKind, cutoff: number) {
  const rows = await oldJobs(db, kind, cutoff).select("id").orderBy("created_at").limit(BATCH).execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return { seen: 0, deleted: 0 };
  return db.transaction().execute(async (trx) => {
    const kept = await keptAmong(trx, ids, kind);
    if (kept.size > 0 && kind !== "sold")
      await trx
        .updateTable("jobs")
        .set({ sold: 1 })
        .where("id", "in", [...kept])
        .execute();
    const old = ids.filter((id) => !kept.has(id));
    if (old.length > 0) {
      const named = await trx
        .selectFrom("reports")
        .select(["proofs_hash", "samples_root"])
        .where("job_id", "in", old)
        .execute();
      for (const table of OF_A_JOB) await trx.deleteFrom(table).where("job_id", "in", old).execute();
      await trx.deleteFrom("jobs").where("id", "in", old).execute();
      await clearAttachments(trx, named);
    }
    return { seen: ids.length, deleted: old.length };
  });
}

/**
 * Those that somebody pays or paid for, or that were carried out on the chain, if in vain. Of what was sold, those whose
 * payment or refund has no outcome yet: without its row nobody would ever know.
 */
async function keptAmong(db: Database, ids: readonly string[], kind: JobKind): Promise<Set<string>> {
  const paid = await db
    .selectFrom("payments")
    .select("job_id")
    .where("job_id", "in", ids)
    .where("state", "in", kind === "sold" ? ["settling"] : ["settling", "settled"])
    .execute();
  if (kind === "sold") {
    const refunding = await db
      .selectFrom("refunds")
      .select("job_id")
      .where("job_id", "in", ids)
      .where("state", "<>", "confirmed")
      .execute();
    return new Set([...paid, ...refunding].map(({ job_id }) => job_id));
  }
  const executed = await db
    .selectFrom("executions")
    .select("job_id")
    .where("job_id", "in", ids)
    .where("state", "in", ["confirmed", "reverted"])
    .execute();
  // Carried out, though nobody told us of the transaction.
  const published = await db
    .selectFrom("public_evidence")
    .select("job_id")
    .where("job_id", "in", ids)
    .execute();
  return new Set([...paid, ...executed, ...published].map(({ job_id }) => job_id));
}

const batchesOf = <T>(rows: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(rows.length / BATCH) }, (_, n) => rows.slice(n * BATCH, (n + 1) * BATCH));

async function clearPayments(db: Database, cutoff: number): Promise<number> {
  const rows = await db
    .selectFrom("payments")
    .select(["network", "asset", "payer", "nonce"])
    .where("state", "=", EXPIRED)
    .where("created_at", "<", cutoff)
    .orderBy("created_at")
    .limit(BATCH * BATCHES_A_ROUND)
    .execute();
  for (const batch of batchesOf(rows))
    await db.transaction().execute(async (trx) => {
      for (const { network, asset, payer, nonce } of batch)
        await trx
          .deleteFrom("payments")
          .where((eb) => eb.and({ network, asset, payer, nonce, state: EXPIRED }))
          .execute();
    });
  return rows.length;
}

/**
 * What would be deleted now: how many of each kind, and the age of the oldest. Only reads.
 * @param now unix seconds
 */
export async function planRetention(
  db: Database,
  retention: JobRetention,
  now: number,
): Promise<readonly { kind: Kind; count: number; oldest: number | null }[]> {
  const before = cutoffs(retention, now);
  const planned = async (kind: Kind, table: string, age: string, which: RawBuilder<boolean>) => {
    const found = await sql<{ count: unknown; oldest: unknown }>`
      select count(*) as count, min(${sql.ref(age)}) as oldest from ${sql.table(table)}
      where ${sql.ref(age)} < ${before[kind] ?? 0} and ${which}`.execute(db);
    const { count, oldest } = found.rows[0]!;
    return { kind, count: Number(count), oldest: oldest === null ? null : Number(oldest) };
  };
  const ofJobs = (kind: JobKind, which: RawBuilder<boolean>) => planned(kind, "jobs", "created_at", which);
  return [
    // As a round finds them: what was sold and is not marked yet stays, or goes with what is.
    await ofJobs("oneShot", sql`not ${isSold} and ${JOBS.oneShot}`),
    await ofJobs("ofKeys", sql`not ${isSold} and ${JOBS.ofKeys}`),
    await ofJobs("sold", isSold),
    await planned("failedPayments", "payments", "created_at", sql`state = ${EXPIRED}`),
  ];
}

const isSold = sql<boolean>`(sold = 1
  or exists (select 1 from payments where payments.job_id = jobs.id and payments.state in ('settling', 'settled'))
  or exists (select 1 from executions where executions.job_id = jobs.id and executions.state in ('confirmed', 'reverted'))
  or exists (select 1 from public_evidence where public_evidence.job_id = jobs.id))`;

const ROUND_EVERY_MS = 600_000;

export interface RetentionDeps {
  readonly db: Database;
  readonly retention: JobRetention;
  readonly now: () => UnixMs;
  readonly log: Pick<Logger, "info" | "warn">;
}

/** Starts at once. */
export function startRetention({ db, retention, now, log }: RetentionDeps): Pick<Repeated, "stop"> {
  return repeat(async () => {
    try {
      const gone = await clearOldJobs(db, retention, Math.floor(now() / 1000));
      if (Object.values(gone).some((count) => count > 0)) log.info(gone, "old jobs and payments deleted");
    } catch (error) {
      log.warn({ err: error }, "old jobs could not be deleted; will try again");
    }
  }, ROUND_EVERY_MS);
}
