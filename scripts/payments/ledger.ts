/** The payments in the database, each with the job and the report versions that it bought. Never what a buyer signed. */
import { type Selectable, type SqlBool, sql } from "kysely";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";

export const PAYMENT_STATES = ["settling", "settled", "expired"] as const;

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
      // With it, the transfer that settled the payment.
      "p.log_index as logIndex",
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
