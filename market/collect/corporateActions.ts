/** Corporate actions: what is announced of tokens' shares, what changes of them, halts and tokens that moved. */
import { z } from "zod";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { MarketAsset } from "../queries.ts";
import {
  amendActions,
  type CorporateAction,
  type StoredWord,
  storedWords,
} from "../series/corporateActions.ts";
import { noted } from "./accepted.ts";
import { heard, isStep, type Word } from "./actionRules.ts";
import { type Listed, listedNow } from "./listedActions.ts";
import type { ListingState } from "./sources.ts";
import { type Round, type Step, seconds } from "./types.ts";

/** Words are kept as they are compared: a figure that is only written otherwise is the same. */
const Said = z.strictObject({ value: z.string(), change: z.unknown(), kind: z.string().nullable() });

/** Unchanged rows cost nothing; changed ones are stored, even if another process has stored them. */
export const collectActions: Step = async (round) => {
  const { memory, db, assets } = round;
  const now = seconds(round);
  const stated = round.sources.actionsOf ? await noted(round, await round.sources.actionsOf(assets)) : [];
  memory.words ??= new Map((await storedWords(db)).map((word) => [keyOf(word), word.word]));
  const known = memory.words;
  const news = [...stated, ...ratioWords(round)].filter(
    (word) => !isSaid(word, known.get(keyOf(channelled(word)))),
  );
  const byToken = Map.groupBy(news, ({ assetKey }) => assetKey);
  const listed = await listedNews(round);
  const changed = [...new Set([...byToken.keys(), ...listed.keys()])];
  const stored: StoredWord[] = [];
  const count = await amendActions(db, changed, (assetKey, actions, words) => {
    const made = amended(actions, words, byToken.get(assetKey) ?? [], listed.get(assetKey), now);
    stored.push(...made.words);
    return made;
  });
  for (const word of stored) known.set(keyOf(word), word.word);
  return count;
};

const channelled = (word: Word) => ({
  assetKey: word.assetKey,
  source: word.source,
  channel: word.change === undefined ? ("ratio" as const) : ("schedule" as const),
});
const keyOf = ({ assetKey, source, channel }: Omit<StoredWord, "word">) => `${channel}/${source}/${assetKey}`;
const saidOf = ({ value, change = null, kind }: Word) => JSON.stringify({ value, change, kind });

/** Whether a source said the same before. */
function isSaid(word: Word, before: string | undefined): boolean {
  if (before === undefined) return false;
  if (before === saidOf(word)) return true;
  const last = Said.parse(JSON.parse(before));
  return saidOf({ ...word, value: last.value }) === before && !isStep(last.value, word.value);
}

/** Those that agree on a token's shares, and say nothing of what is to come. */
function ratioWords({ memory }: Round): Word[] {
  const rows = [...memory.accepted.values()].flat();
  memory.accepted.clear();
  return rows.map(({ assetKey, source, sharesPerToken: value, rawHash = null }) => {
    return { assetKey, source, value, change: undefined, kind: null, rawHash };
  });
}

/** Of one token: all that is new, one word after the other. */
function amended(
  actions: readonly CorporateAction[],
  words: readonly StoredWord[],
  news: readonly Word[],
  listed: Listed | undefined,
  now: UnixSeconds,
) {
  const kept: StoredWord[] = [];
  let all = [...actions];
  for (const word of news) {
    const place = channelled(word);
    const before = words.find((one) => keyOf(one) === keyOf(place))?.word;
    if (isSaid(word, before)) {
      kept.push({ ...place, word: before as string });
      continue;
    }
    all = heard(all, word, before === undefined ? undefined : Said.parse(JSON.parse(before)), now);
    kept.push({ ...place, word: saidOf(word) });
  }
  return { actions: listed ? listedNow(all, listed, now) : all, words: kept };
}

/** Tokens whose halt or address is not as stored, by asset key. */
async function listedNews({ memory, db, assets }: Round): Promise<Map<string, Listed>> {
  const { halted } = memory;
  if (halted === null) return new Map();
  const open = await db
    .selectFrom("corporate_actions")
    .select(["asset_key", "kind", "value_after"])
    .where("kind", "in", ["halt", "migration"])
    .where("status", "=", "applied")
    .execute();
  const openOf = Map.groupBy(open, ({ asset_key }) => asset_key);
  const rowsOf = Map.groupBy(memory.listed, ({ assetKey }) => assetKey);
  const news = assets.flatMap((asset): [string, Listed][] => {
    const listed = listedOf(asset, halted.has(asset.assetKey), rowsOf.get(asset.assetKey) ?? []);
    const stored = openOf.get(asset.assetKey) ?? [];
    const wasHalted = stored.some(({ kind }) => kind === "halt");
    const moved = stored.filter(({ kind }) => kind === "migration");
    const hasMoved = listed.moved.some(
      ({ successor }) => !moved.some(({ value_after }) => value_after === successor),
    );
    const isNews = wasHalted !== listed.isHalted || hasMoved || (moved.length > 0 && listed.there.length > 0);
    return isNews ? [[asset.assetKey, listed]] : [];
  });
  return new Map(news);
}

function listedOf(asset: MarketAsset, isHalted: boolean, rows: readonly ListingState[]): Listed {
  return {
    asset,
    isHalted,
    halting: rows.filter((row) => row.isHalted === true),
    moved: rows.filter((row) => row.state === "migrated" && row.successor !== undefined),
    there: rows.filter(({ state }) => state === "listed"),
  };
}
