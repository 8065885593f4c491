/** Corporate actions as they are stored: a row for each change that a source announces of a token. */
import { z } from "zod";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { chunksOf } from "./hours.ts";

export const ActionKind = z.enum(["split", "dividend", "multiplier", "migration"]);
export type ActionKind = z.infer<typeof ActionKind>;

/** What a source announces of a token. */
export interface Announcement {
  readonly assetKey: string;
  /** `multiplier`: the source does not say why the shares per token change. */
  readonly kind: ActionKind;
  /** Shares per token, decimal text; of a migration addresses. Null: the source does not say. */
  readonly before: string | null;
  readonly after: string | null;
  /** Null: the source does not say. */
  readonly effectiveAt: UnixSeconds | null;
  readonly source: string;
  /** keccak256 of the answer in which it was first read; null: there was no one answer. */
  readonly rawHash: string | null;
}

export interface CorporateAction extends Announcement {
  readonly id: number;
  /** When it was first read; null: it was in effect by then. */
  readonly announcedAt: UnixSeconds | null;
  /** The order of the list: when it takes effect, or was first read where its source does not say that. */
  readonly at: UnixSeconds;
}

/**
 * Stores what is announced. What its source has announced before changes nothing, in whichever process it was read.
 * @returns how many are new
 * @throws DatabaseUnavailable
 */
export async function recordActions(
  db: Database,
  announced: readonly Announcement[],
  now: UnixSeconds,
): Promise<number> {
  let stored = 0;
  for (const some of chunksOf(announced)) {
    const { numInsertedOrUpdatedRows = 0n } = await db
      .insertInto("corporate_actions")
      .values(some.map((one) => rowOf(one, now)))
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    stored += Number(numInsertedOrUpdatedRows);
  }
  return stored;
}

function rowOf(announced: Announcement, now: UnixSeconds) {
  const { assetKey, kind, before, after, effectiveAt, source, rawHash } = announced;
  const isInEffect = effectiveAt !== null && effectiveAt <= now;
  return {
    asset_key: assetKey,
    kind,
    value_before: before,
    value_after: after,
    effective_at: effectiveAt,
    announced_at: isInEffect ? null : now,
    at: effectiveAt ?? now,
    source,
    raw_hash: rawHash,
  };
}

/** What of the actions is asked for; an absent member asks for all. */
export interface ActionQuery {
  readonly assetKeys?: readonly string[] | undefined;
  readonly kinds?: readonly ActionKind[] | undefined;
  /** Unix seconds of `at`; the end is exclusive. */
  readonly from?: UnixSeconds | undefined;
  readonly to?: UnixSeconds | undefined;
  readonly limit: number;
}

/** Oldest first, by `at` and number. @throws DatabaseUnavailable */
export async function listActions(db: Database, query: ActionQuery): Promise<CorporateAction[]> {
  const { assetKeys, kinds, from, to, limit } = query;
  if (assetKeys?.length === 0) return [];
  const rows = await db
    .selectFrom("corporate_actions")
    .selectAll()
    .$if(assetKeys !== undefined, (some) => some.where("asset_key", "in", assetKeys ?? []))
    .$if(kinds !== undefined, (some) => some.where("kind", "in", kinds ?? []))
    .$if(from !== undefined, (some) => some.where("at", ">=", from ?? 0))
    .$if(to !== undefined, (some) => some.where("at", "<", to ?? 0))
    .orderBy("at")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    assetKey: row.asset_key,
    kind: ActionKind.parse(row.kind),
    before: row.value_before,
    after: row.value_after,
    effectiveAt: row.effective_at,
    announcedAt: row.announced_at,
    at: row.at,
    source: row.source,
    rawHash: row.raw_hash,
  }));
}
