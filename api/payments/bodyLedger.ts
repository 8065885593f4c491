/**
 * The ledger's part on bodies: what a payer bought by which body. An official client whose answer was lost signs again,
 * so a payer's second payment for the same body is answered from the first while its quote lives. Of two concurrent ones
 * that claim the same row, one gets it. A buyer who wants another report sends another payment-identifier.
 */
import { isUniqueViolation } from "../../database/errors.ts";
import type { Database } from "../../database/open.ts";
import { Problem } from "../http/problems.ts";
import { PurchaseTaken } from "./ledger.ts";
import { COUNTING, type Row, type StoredPayment, stored } from "./rows.ts";
import type { Payer } from "./signature.ts";

/** A body, and who pays for it: proven by a signature before it is asked for. */
export interface BodyPurchase {
  readonly payer: Payer;
  readonly intentHash: string;
  /** The buyer's own name for the purchase, from the x402 extension; null: none. */
  readonly identifier: string | null;
}

/** For so long a purchase answers for another payment without an identifier, if its quote does not live longer. */
const LIFE_SECONDS = 600;
/** For so long one answers for another payment with its identifier: as long as its job lives. */
const IDENTIFIER_LIFE_SECONDS = 86_400;
const NO_IDENTIFIER = "";
const LATEST = 20;

/** A contract of the same address on another chain may be somebody else's. */
const nameOf = ({ address, network, signedBy }: Payer): string =>
  signedBy === "own" ? address : `${network}:${address}`;

/**
 * In the transaction that stores payment and job.
 * @param now unix seconds
 * @param quoteSeconds how long the quote lives
 * @throws PurchaseTaken
 */
export async function claimPurchase(
  trx: Database,
  { payer, intentHash, identifier }: BodyPurchase,
  jobId: string,
  now: number,
  quoteSeconds: number,
): Promise<void> {
  const answersUntil = now + Math.max(LIFE_SECONDS, quoteSeconds);
  const claim = {
    job_id: jobId,
    created_at: now,
    answers_until: answersUntil,
    expires_at: identifier === null ? answersUntil : now + IDENTIFIER_LIFE_SECONDS,
  };
  const name = { payer: nameOf(payer), intent_hash: intentHash, identifier: identifier ?? NO_IDENTIFIER };
  try {
    const claimed = await trx
      .insertInto("body_purchases")
      .values({ ...name, ...claim })
      .onConflict((conflict) =>
        conflict
          .columns(["payer", "intent_hash", "identifier"])
          .doUpdateSet(claim)
          .where("body_purchases.expires_at", "<=", now),
      )
      .returning("job_id")
      .executeTakeFirst();
    if (claimed === undefined) throw new PurchaseTaken();
  } catch (error) {
    // The identifier, for another body.
    if (isUniqueViolation(error)) throw new PurchaseTaken();
    throw error;
  }
}

/**
 * The payment that answers for another one now: settled, or under way, however old it is.
 * @param now unix seconds
 * @throws Problem `idempotency_conflict` when the identifier stands for another body
 */
export async function findPurchase(
  db: Database,
  { payer, intentHash, identifier }: BodyPurchase,
  now: number,
): Promise<StoredPayment | null> {
  const bought = db
    .selectFrom("body_purchases")
    .leftJoin("payments", (join) =>
      join.onRef("payments.job_id", "=", "body_purchases.job_id").on("payments.state", "in", COUNTING),
    )
    .selectAll("payments")
    .select(["body_purchases.intent_hash", "answers_until", "expires_at"])
    .where("body_purchases.payer", "=", nameOf(payer));
  const rows = await (identifier === null
    ? bought.where("intent_hash", "=", intentHash).orderBy("body_purchases.created_at", "desc").limit(LATEST)
    : bought.where("identifier", "=", identifier)
  ).execute();
  if (identifier !== null && rows.some((row) => row.intent_hash !== intentHash))
    throw new Problem(
      "idempotency_conflict",
      "This payment-identifier was used for another trade. Nothing was charged; use a new one.",
    );
  const answering = rows.find(({ state, answers_until, expires_at }) => {
    const until = identifier === null ? answers_until : expires_at;
    return state !== null && (state === "settling" || until > now);
  });
  return answering === undefined ? null : stored(answering as Row);
}
