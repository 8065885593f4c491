/** Which sign-ins were used, for every process of the service: one row each, until it is too old to come again. */
import type { Database } from "../../../database/open.ts";
import type { SignInMessage } from "./message.ts";
import { SignInRefused } from "./refusals.ts";

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
