/** What monitoring sees of a round: when it began and ended, and how requests to providers ended. */
import { type Kysely, sql } from "kysely";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Schema } from "../../database/schema.ts";
import { HOUR_SECONDS } from "../series/hours.ts";
import type { MarketDeps, StepKind } from "./types.ts";

/**
 * Never throws: a round is good without its note.
 * @param startedAt unix seconds; null: of the outcomes and steps alone
 * @param endedAt when steps ended that were of use
 */
export async function noteRound(
  { db, market, now, log }: MarketDeps,
  startedAt: number | null,
  endedAt: ReadonlyMap<StepKind, UnixSeconds>,
): Promise<void> {
  const outcomes = market.outcomes?.() ?? [];
  try {
    await db.transaction().execute(async (transaction) => {
      if (startedAt !== null) {
        await setState(transaction, "round_started_at", startedAt);
        await setState(transaction, "round_ended_at", Math.floor(now() / 1_000));
      }
      for (const [kind, at] of endedAt) await setState(transaction, `step/${kind}`, at);
      for (const { provider, kind, count, lastAt } of outcomes)
        await transaction
          .insertInto("provider_outcomes")
          .values({ hour: Math.floor(lastAt / HOUR_SECONDS), provider, kind, count, last_at: lastAt })
          .onConflict((conflict) =>
            conflict.columns(["hour", "provider", "kind"]).doUpdateSet({
              count: sql<number>`provider_outcomes.count + excluded.count`,
              last_at: sql<number>`excluded.last_at`,
            }),
          )
          .execute();
    });
  } catch (error) {
    log.error({ err: error }, "the round could not be recorded");
  }
}

/** Keeps when a round was due while the one before it was running; of prices it is a warning. Never throws. */
export async function noteSkipped(
  { db, now, log }: MarketDeps,
  { name: round, part }: { readonly name: string; readonly part: string },
): Promise<void> {
  if (part === "prices")
    log.warn({ round }, `a round of ${round} is left out: the one before it is still running`);
  const at = Math.floor(now() / 1_000);
  await setState(db, `skipped/${round}`, at).catch((error: unknown) =>
    log.error({ err: error }, "the skipped round could not be recorded"),
  );
}

async function setState(
  db: Kysely<Schema>,
  name: Schema["market_state"]["name"],
  value: number,
): Promise<void> {
  await db
    .insertInto("market_state")
    .values({ name, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}
