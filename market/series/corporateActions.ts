/** Corporate actions as they are stored: what sources told of each, and what follows from it. */
import type { Selectable } from "kysely";
import { z } from "zod";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import { chunksOf, lockSeries } from "./buckets.ts";

export const ActionKind = z.enum(["split", "dividend", "multiplier", "migration", "halt"]);
export type ActionKind = z.infer<typeof ActionKind>;
export const ActionStatus = z.enum(["announced", "applied", "withdrawn", "ended"]);
export type ActionStatus = z.infer<typeof ActionStatus>;
export const ActionState = z.enum(["agreed", "single", "disputed"]);

const Told = z.strictObject({
  source: z.string(),
  /** Shares per token, decimal text; of a migration addresses. Null: not told. */
  before: z.string().nullable(),
  after: z.string().nullable(),
  /** Unix seconds; null: not told. */
  effectiveAt: z.number().nullable(),
  /** Null: it does not say why. */
  kind: z.enum(["split", "dividend"]).nullable(),
  /** Whether it announced the change; otherwise its figure stepped. */
  announced: z.boolean(),
  /** keccak256 of the answer in which it was first read so; null: there was no one answer. */
  rawHash: z.string().nullable(),
  seenAt: z.number(),
  /** When it told the action no more; null: it still does. */
  withdrawnAt: z.number().nullable(),
});
/** What one source tells of an action. */
export type Told = Readonly<z.infer<typeof Told>>;

export interface CorporateAction {
  /** Null: not stored yet. */
  readonly id: number | null;
  readonly assetKey: string;
  readonly kind: ActionKind;
  readonly status: ActionStatus;
  /** How its sources stand to each other. */
  readonly state: z.infer<typeof ActionState>;
  /** The kind, or the action itself, follows from figures: no source says so. */
  readonly inferred: boolean;
  /** As in `Told`; null also where sources disagree. */
  readonly before: string | null;
  readonly after: string | null;
  readonly effectiveAt: UnixSeconds | null;
  /** First seen as announced, in effect, and ended or withdrawn. */
  readonly announcedAt: UnixSeconds | null;
  readonly appliedAt: UnixSeconds | null;
  readonly endedAt: UnixSeconds | null;
  /** The order of the list: when it takes effect, or was first seen where nobody tells that. */
  readonly at: UnixSeconds;
  readonly told: readonly Told[];
  /** Counts from 1. */
  readonly revision: number;
  readonly changedAt: UnixSeconds;
}

/** What a source said last of a token's shares, as JSON. */
export interface StoredWord {
  readonly assetKey: string;
  readonly source: string;
  /** `schedule`: it also says what is to come; `ratio`: it says how many shares a token is now. */
  readonly channel: "schedule" | "ratio";
  readonly word: string;
}

/** @throws DatabaseUnavailable */
export async function storedWords(db: Database, assetKeys?: readonly string[]): Promise<StoredWord[]> {
  const all = db.selectFrom("corporate_action_words").selectAll();
  const rows: Schema["corporate_action_words"][] = [];
  if (assetKeys === undefined) rows.push(...(await all.execute()));
  else
    for (const chunk of chunksOf(assetKeys))
      rows.push(...(await all.where("asset_key", "in", chunk).execute()));
  return rows.map(({ asset_key: assetKey, source, channel, word }) => {
    return { assetKey, source, channel: z.enum(["schedule", "ratio"]).parse(channel), word };
  });
}

export type StoredAction = Selectable<Schema["corporate_actions"]>;

export function actionOf(row: StoredAction): CorporateAction {
  return {
    id: row.id,
    assetKey: row.asset_key,
    kind: ActionKind.parse(row.kind),
    status: ActionStatus.parse(row.status),
    state: ActionState.parse(row.state),
    inferred: row.inferred === 1,
    before: row.value_before,
    after: row.value_after,
    effectiveAt: row.effective_at,
    announcedAt: row.announced_at,
    appliedAt: row.applied_at,
    endedAt: row.ended_at,
    at: row.at,
    told: z.array(Told).parse(JSON.parse(row.told)),
    revision: row.revision,
    changedAt: row.changed_at,
  };
}

const rowOf = (action: CorporateAction) => ({
  asset_key: action.assetKey,
  kind: action.kind,
  status: action.status,
  state: action.state,
  inferred: action.inferred ? 1 : 0,
  value_before: action.before,
  value_after: action.after,
  effective_at: action.effectiveAt,
  announced_at: action.announcedAt,
  applied_at: action.appliedAt,
  ended_at: action.endedAt,
  at: action.at,
  told: JSON.stringify(action.told),
  revision: action.revision,
  changed_at: action.changedAt,
});

/** Tokens in a transaction, so that none holds the database for long. */
const TOKENS_AT_ONCE = 50;

/**
 * Reads the actions of tokens with what was said of them last, and stores what `amend` makes of them. Two processes that
 * hear the same at once store it once.
 * @param amend of one token: all its actions, with what changed, and the words to keep
 * @returns how many actions were stored or changed
 * @throws DatabaseUnavailable
 */
export async function amendActions(
  db: Database,
  assetKeys: readonly string[],
  amend: (
    assetKey: string,
    actions: readonly CorporateAction[],
    words: readonly StoredWord[],
  ) => { readonly actions: readonly CorporateAction[]; readonly words: readonly StoredWord[] },
): Promise<number> {
  let changed = 0;
  for (const some of chunksOf(assetKeys, TOKENS_AT_ONCE)) {
    changed += await db.transaction().execute(async (transaction) => {
      await lockSeries(transaction);
      const rows = await transaction
        .selectFrom("corporate_actions")
        .selectAll()
        .where("asset_key", "in", some)
        .orderBy("id")
        .execute();
      const [actions, words] = [rows.map(actionOf), await storedWords(transaction, some)];
      let count = 0;
      for (const assetKey of some) {
        const own = actions.filter((action) => action.assetKey === assetKey);
        const ownWords = words.filter((word) => word.assetKey === assetKey);
        const made = amend(assetKey, own, ownWords);
        for (const action of made.actions.filter((one) => !own.includes(one))) {
          count += 1;
          if (action.id === null)
            await transaction.insertInto("corporate_actions").values(rowOf(action)).execute();
          else
            await transaction
              .updateTable("corporate_actions")
              .set(rowOf(action))
              .where("id", "=", action.id)
              .execute();
        }
        for (const { assetKey: asset_key, ...word } of made.words)
          await transaction
            .insertInto("corporate_action_words")
            .values({ asset_key, ...word })
            .onConflict((conflict) =>
              conflict.columns(["asset_key", "source", "channel"]).doUpdateSet({ word: word.word }),
            )
            .execute();
      }
      return count;
    });
  }
  return changed;
}

/** What of the actions is asked for; an absent member asks for all. */
export interface ActionQuery {
  readonly assetKeys?: readonly string[] | undefined;
  readonly kinds?: readonly ActionKind[] | undefined;
  readonly statuses?: readonly ActionStatus[] | undefined;
  /** Unix seconds of `at`; the end is exclusive. */
  readonly from?: UnixSeconds | undefined;
  readonly to?: UnixSeconds | undefined;
  readonly limit: number;
}

/** Oldest first, by `at` and number. @throws DatabaseUnavailable */
export async function listActions(db: Database, query: ActionQuery): Promise<CorporateAction[]> {
  const { assetKeys, kinds, statuses, from, to, limit } = query;
  if (assetKeys?.length === 0) return [];
  const rows = await db
    .selectFrom("corporate_actions")
    .selectAll()
    .$if(assetKeys !== undefined, (some) => some.where("asset_key", "in", assetKeys ?? []))
    .$if(kinds !== undefined, (some) => some.where("kind", "in", kinds ?? []))
    .$if(statuses !== undefined, (some) => some.where("status", "in", statuses ?? []))
    .$if(from !== undefined, (some) => some.where("at", ">=", from ?? 0))
    .$if(to !== undefined, (some) => some.where("at", "<", to ?? 0))
    .orderBy("at")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(actionOf);
}
