/**
 * What operators ask about payments: which job's reports each one bought, what came in a day, what is still open, and
 * whether a job was paid for. Reads alone, and never what a buyer signed.
 */
import { type Selectable, type SqlBool, sql } from "kysely";
import { z } from "zod";
import { Requirements } from "../../api/payments/payload.ts";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";

export const PAYMENT_STATES = ["settling", "settled", "expired"] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

type Row = Selectable<Schema["payments"]>;

/** All that is given must hold. `since` (inclusive) and `until` (exclusive) are unix seconds of the payment's creation. */
export type PaymentFilter = Partial<
  Pick<Row, "state" | "payer" | "network" | "asset"> &
    Record<"jobId", string> &
    Record<"since" | "until", number>
>;

/** One payment with what it bought: a job, which means its first report and all later versions. */
export type PaymentRecord = Awaited<ReturnType<typeof pageOf>>[number];

const PAGE = 2_000;

/**
 * Newest first.
 * @param limit how many at most; all of them without it
 * @param pageSize how many are read at once
 */
export async function* listPayments(
  db: Database,
  filter: PaymentFilter = {},
  limit = Number.POSITIVE_INFINITY,
  pageSize = PAGE,
): AsyncGenerator<PaymentRecord> {
  let left = limit;
  let last: PaymentRecord | undefined;
  while (left > 0) {
    const wanted = Math.min(pageSize, left);
    const page = await pageOf(db, filter, last, wanted);
    yield* page;
    if (page.length < wanted) return;
    left -= page.length;
    last = page.at(-1);
  }
}

/** All of them at once, newest first. */
export async function allPayments(
  db: Database,
  filter: PaymentFilter,
  limit?: number,
): Promise<PaymentRecord[]> {
  const found: PaymentRecord[] = [];
  for await (const payment of listPayments(db, filter, limit)) found.push(payment);
  return found;
}

/** Times in unix seconds, amounts in raw units. */
async function pageOf(
  db: Database,
  filter: PaymentFilter,
  after: (Pick<Row, "nonce" | "payer" | "asset" | "network"> & { createdAt: number }) | undefined,
  limit: number,
) {
  let query = db
    .selectFrom("payments as p")
    .innerJoin("jobs as j", "j.id", "p.job_id")
    .leftJoin("refunds as r", (join) =>
      join
        .onRef("r.network", "=", "p.network")
        .onRef("r.asset", "=", "p.asset")
        .onRef("r.payer", "=", "p.payer")
        .onRef("r.nonce", "=", "p.nonce"),
    )
    .select([
      // null: none is proposed.
      "r.state as refund",
      // Of a refund that the chain has.
      "r.transaction_hash as refundTransaction",
      "r.confirmed_at as refundedAt",
      "p.state",
      "p.network",
      "p.asset",
      "p.amount",
      "p.payer",
      "p.pay_to as payTo",
      "p.nonce",
      "p.job_id as jobId",
      // Versions 1 to this one were made so far.
      "j.last_version as versions",
      // API key that the job belongs to; null: bought in one shot.
      "j.key_id as keyId",
      "p.created_at as createdAt",
      "p.settled_at as settledAt",
      // When an answer with the report first went out whole, as far as that is known.
      "p.released_at as releasedAt",
      // Block time from which on the authorization is worth nothing.
      "p.valid_before as validBefore",
      "p.attempts",
      // Our own name for what went wrong last.
      "p.fault",
      // While `settling`, the one that the facilitator named, which proves nothing.
      "p.transaction_hash as transaction",
      "p.block_number as blockNumber",
      // Block at which the authorization was seen unused.
      "p.unused_at_block as unusedAtBlock",
    ])
    .where(matches(filter))
    .orderBy("p.created_at", "desc")
    .orderBy("p.nonce", "desc")
    .orderBy("p.payer", "desc")
    .orderBy("p.asset", "desc")
    .orderBy("p.network", "desc")
    .limit(limit);
  if (after !== undefined)
    query = query.where(
      sql<SqlBool>`(p.created_at, p.nonce, p.payer, p.asset, p.network) < (${after.createdAt}, ${after.nonce}, ${after.payer}, ${after.asset}, ${after.network})`,
    );
  return query.execute();
}

/** Over the table `payments` under the name `p`. */
function matches({ since, until, state, payer, jobId, network, asset }: PaymentFilter) {
  const conditions = [
    ...Object.entries({ state, payer, job_id: jobId, network, asset }).flatMap(([column, value]) =>
      value === undefined ? [] : [sql<SqlBool>`${sql.ref(`p.${column}`)} = ${value}`],
    ),
    ...(since === undefined ? [] : [sql<SqlBool>`p.created_at >= ${since}`]),
    ...(until === undefined ? [] : [sql<SqlBool>`p.created_at < ${until}`]),
  ];
  return conditions.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}

/** The networks that payments name, CAIP-2. */
export async function paidNetworks(db: Database): Promise<string[]> {
  const rows = await db.selectFrom("payments").select("network").distinct().orderBy("network").execute();
  return rows.map(({ network }) => network);
}

/** What was settled, and what was refunded, on one day in one token. */
export type Total = Awaited<ReturnType<typeof totals>>[number];

const DAY_SECONDS = 86_400;

/**
 * Settled payments by the day of their settlement, refunds by the day of theirs, newest day first. `since` and `until`
 * count that day, too.
 */
export async function totals(db: Database, { since, until, ...filter }: Omit<PaymentFilter, "state">) {
  const nothing = (day: number, network: string, asset: string) => ({
    /** YYYY-MM-DD, UTC. */
    day: new Date(day * DAY_SECONDS * 1_000).toISOString().slice(0, 10),
    network,
    asset,
    payments: 0,
    /** Raw units that were settled, before any refunds. */
    amount: 0n,
    /** Refunds that the chain has since that day, whenever their payments were; raw units. */
    refunds: 0,
    refunded: 0n,
  });
  const sums = new Map<string, ReturnType<typeof nothing>>();
  for (const [table, time] of [
    ["payments", "settled_at"],
    ["refunds", "confirmed_at"],
  ] as const)
    for (const row of await sumsOf(db, table, time, { since, until, ...filter })) {
      const name = `${row.day} ${row.network} ${row.asset}`;
      const known = sums.get(name) ?? nothing(Number(row.day), row.network, row.asset);
      const count = Number(row.count);
      const amount = BigInt(row.amount) * BigInt(count);
      sums.set(
        name,
        table === "payments"
          ? { ...known, payments: known.payments + count, amount: known.amount + amount }
          : { ...known, refunds: known.refunds + count, refunded: known.refunded + amount },
      );
    }
  return [...sums.values()].sort(
    (a, b) => b.day.localeCompare(a.day) || `${a.network}${a.asset}`.localeCompare(`${b.network}${b.asset}`),
  );
}

/** How often each amount was moved on each day: prices are few, and sums are made where numbers have no end. */
async function sumsOf(
  db: Database,
  table: "payments" | "refunds",
  time: "settled_at" | "confirmed_at",
  { since, until, ...filter }: Omit<PaymentFilter, "state">,
) {
  const at = sql.ref<number>(`p.${time}`);
  const day = sql<number>`${at} / ${sql.lit(DAY_SECONDS)}`;
  let query = db
    .selectFrom(`${table} as p` as "payments as p")
    .select(["p.network", "p.asset", "p.amount", day.as("day"), db.fn.countAll().as("count")])
    .where(matches(filter))
    .where(sql<SqlBool>`p.state = ${sql.lit(table === "payments" ? "settled" : "confirmed")}`)
    .groupBy(["p.network", "p.asset", "p.amount", day]);
  if (since !== undefined) query = query.where(sql<SqlBool>`${at} >= ${since}`);
  if (until !== undefined) query = query.where(sql<SqlBool>`${at} < ${until}`);
  return query.execute();
}

/** Times in unix seconds. */
export type SoldReports = NonNullable<Awaited<ReturnType<typeof soldReports>>>;

/** @returns null where there is no such job */
export async function soldReports(db: Database, jobId: string) {
  const job = await db
    .selectFrom("jobs")
    .select(["id", "key_id", "created_at", "expires_at"])
    .where("id", "=", jobId)
    .executeTakeFirst();
  if (job === undefined) return null;
  const frozen = await db
    .selectFrom("payment_terms")
    .select("accepts")
    .where("job_id", "=", jobId)
    .executeTakeFirst();
  const versions = await db
    .selectFrom("reports")
    .select(["version", "kind", "decision", "evidence_hash as evidenceHash", "created_at as createdAt"])
    .where("job_id", "=", jobId)
    .orderBy("version")
    .execute();
  const payments = await allPayments(db, { jobId });
  const counting = payments.find(({ state }) => state !== "expired");
  const terms = frozen === undefined ? null : z.array(Requirements).parse(JSON.parse(frozen.accepts));
  return {
    jobId,
    payment: paymentOf(counting?.state, terms !== null || payments.length > 0),
    /** API key that the job belongs to; null: made in one shot. */
    keyId: job.key_id,
    createdAt: job.created_at,
    expiresAt: job.expires_at,
    versions,
    /** The terms frozen on the job; null: it is free. */
    terms,
    /** Every payment for it, those that came to nothing included, newest first. */
    payments,
  };
}

function paymentOf(state: PaymentState | undefined, isSold: boolean) {
  if (state === "settled" || state === "settling") return state;
  return isSold ? "required" : "free"; // Free: made in the free phase.
}
