/** What a payer has bought (the jobs that a settled payment of that payer's paid for, and no others), and which sign-ins were used. */
import { sql } from "kysely";
import { Intent } from "../../../attestor/intent.ts";
import type { Database } from "../../../database/open.ts";
import { type Row, type StoredPayment, stored } from "../rows.ts";
import type { Payer } from "../signature.ts";
import type { SignInMessage } from "./message.ts";
import { SignInRefused } from "./refusals.ts";

/** Written out as in the index: SQLite looks no further than the text. */
const SETTLED = sql.lit("settled" as const);

/** A contract of the same address on another chain may be somebody else's. */
const paidBy = (db: Database, { address, network, signedBy }: Payer) => {
  const payments = db.selectFrom("payments").where("payer", "=", address).where("state", "=", SETTLED);
  return signedBy === "own" ? payments : payments.where("network", "=", network);
};

/** The settled payment of a payer for a job; null: none. */
export async function findBought(db: Database, payer: Payer, jobId: string): Promise<StoredPayment | null> {
  const row = await paidBy(db, payer).selectAll().where("job_id", "=", jobId).executeTakeFirst();
  return row === undefined ? null : stored(row as Row);
}

/** The next page begins behind this job of the payer's. */
export type After = string | null;

/** One purchase, as a list shows it. */
export type BoughtJob = Awaited<ReturnType<typeof listBought>>[number];

/** A page of what was bought, the latest payment first. @returns one more than `limit` where there is more */
export async function listBought(db: Database, payer: Payer, after: After, limit: number) {
  const last = after === null ? null : await findSettledAt(db, payer, after);
  if (after !== null && last === null) return [];
  const page = paidBy(db, payer)
    .innerJoin("jobs", "jobs.id", "payments.job_id")
    .innerJoin("reports", (join) =>
      join.onRef("reports.job_id", "=", "jobs.id").onRef("reports.version", "=", "jobs.last_version"),
    )
    .selectAll("payments")
    .select(["jobs.intent", "jobs.created_at as made_at", "jobs.expires_at as ends_at"])
    .select(["reports.version", "reports.decision", "reports.evidence_hash"])
    .orderBy("payments.settled_at", "desc")
    .orderBy("payments.job_id", "desc")
    .limit(limit + 1);
  const rows = await (last === null || after === null
    ? page
    : page.where((eb) =>
        eb(eb.refTuple("payments.settled_at", "payments.job_id"), "<", eb.tuple(last, after)),
      )
  ).execute();
  return rows.map((row) => ({
    payment: stored(row as Row),
    intent: Intent.parse(JSON.parse(row.intent)),
    /** Unix seconds. */
    jobCreatedAt: row.made_at,
    expiresAt: row.ends_at,
    /** The latest report's. */
    reportVersion: row.version,
    decision: row.decision,
    evidenceHash: row.evidence_hash,
  }));
}

async function findSettledAt(db: Database, payer: Payer, jobId: string): Promise<number | null> {
  const row = await paidBy(db, payer).select("settled_at").where("job_id", "=", jobId).executeTakeFirst();
  return row?.settled_at ?? null;
}

const BATCH = 1_000;

/**
 * Uses a message up. To be called for somebody alone who has paid: nobody else's shall fill the table.
 * @throws SignInRefused `nonce_used`
 */
export async function useOnce(
  db: Database,
  { address, nonce, expiresAt }: Pick<SignInMessage, "address" | "nonce" | "expiresAt">,
): Promise<void> {
  const inserted = await db
    .insertInto("sign_ins")
    .values({ payer: address, nonce, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning("nonce")
    .executeTakeFirst();
  if (inserted === undefined) throw new SignInRefused("nonce_used");
}

/** Deletes what is too old to come again. @param now unix seconds */
export async function clearSignIns(db: Database, now: number): Promise<void> {
  for (;;) {
    const old = await db
      .selectFrom("sign_ins")
      .select(["payer", "nonce"])
      .where("expires_at", "<=", now)
      .orderBy("expires_at")
      .limit(BATCH)
      .execute();
    for (const { payer, nonce } of old)
      await db.deleteFrom("sign_ins").where("payer", "=", payer).where("nonce", "=", nonce).execute();
    if (old.length < BATCH) return;
  }
}
