/** Slots of the providers' limits that processes on one database share. One statement leases about a second's worth. */
import { sql } from "kysely";
import type { Database } from "../../database/open.ts";
import { type Budgets, createBudgets, type SlotStore } from "../providers/budgets.ts";
import { systemClock } from "../providers/clock.ts";

/** An end that lies further ahead was written by a clock that was wrong, and counts as none. */
const LONGEST_AHEAD_MS = 120_000;

/** Budgets that processes on a database share. @param now unix milliseconds by the database's clock */
export function sharedBudgets(db: Database, now: () => number): Budgets {
  return createBudgets({ store: createSlotStore(db, now), clock: { ...systemClock, now } });
}

/** @param now unix milliseconds; clocks of processes must agree to well within a second */
export function createSlotStore(db: Database, now: () => number): SlotStore {
  return {
    async lease({ provider, lane, spacingMs }, slots) {
      const at = now();
      const length = Math.ceil(slots * spacingMs);
      const row = await db
        .insertInto("provider_slots")
        .values({ provider, lane, next_ms: at + length, blocked_until_ms: 0 })
        .onConflict((conflict) =>
          conflict.columns(["provider", "lane"]).doUpdateSet({
            next_ms: sql<number>`${sql.lit(length)} + case
              when provider_slots.next_ms > ${at} and provider_slots.next_ms < ${at + LONGEST_AHEAD_MS}
              then provider_slots.next_ms else ${at} end`,
          }),
        )
        .returning(["next_ms", "blocked_until_ms"])
        .executeTakeFirstOrThrow();
      return { from: row.next_ms - length, slots, blockedUntil: row.blocked_until_ms };
    },
    async block(provider, until) {
      await db
        .updateTable("provider_slots")
        .set({ blocked_until_ms: until })
        .where("provider", "=", provider)
        .where("blocked_until_ms", "<", until)
        .execute();
    },
  };
}
