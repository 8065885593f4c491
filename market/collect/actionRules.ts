/**
 * What follows from the sources' statements about a token's shares. Pure: a repeated statement changes nothing.
 *
 * Several sources may report one action. Two statements are of one action where their times are at most a day apart.
 * Where one has no time, they must lead to the same shares within a week. An unannounced step of a figure is an
 * inferred action.
 */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { ActionKind, CorporateAction, Told } from "../series/corporateActions.ts";
import { SeriesDecimal } from "../series/units.ts";
import { RATIO_TOLERANCE_BPS } from "./bounds.ts";
import { differenceBps } from "./witnesses.ts";

/** A source's own figure that moves by less has only been rounded. */
const STEP_BPS = "0.1";
/** A step up by at most so many basis points is taken for a reinvested dividend. */
const DIVIDEND_BPS = 500;
/** A step by a whole number, or by 3 for 2, is taken for a split up to so many basis points beside it. */
const SPLIT_TOLERANCE_BPS = 50;
const LARGEST_SPLIT = 1_000;

const DAY_SECONDS = 86_400;
const SAME_SECONDS = DAY_SECONDS;
const EXPLAINED_SECONDS = 7 * DAY_SECONDS;
/** Sources that tell times of one action no further apart agree. */
const TIME_TOLERANCE_SECONDS = 3_600;

export interface Change {
  readonly status: "announced" | "applied";
  /** Shares per token, decimal text; null: not told. */
  readonly before: string | null;
  readonly after: string | null;
  readonly effectiveAt: UnixSeconds | null;
}

/** What a source says of a token's shares. */
export interface Word {
  readonly assetKey: string;
  readonly source: string;
  /** Shares per token that count now, decimal text. */
  readonly value: string;
  /** A change that it tells; null: it tells of none; undefined: it never tells of changes. */
  readonly change: Change | null | undefined;
  /** Why, in its own word; null: it does not say. */
  readonly kind: Told["kind"];
  readonly rawHash: string | null;
}

/** Whether a source's own figure has moved. */
export const isStep = (one: string, other: string): boolean => differenceBps(one, other).gt(STEP_BPS);

/** Whether figures of different sources are the same. */
const agrees = (one: string, other: string): boolean => differenceBps(one, other).lte(RATIO_TOLERANCE_BPS);

/** What a schedule says at a time. @param at unix seconds */
export function changeOf(
  {
    current,
    next,
    effectiveAt,
  }: {
    readonly current: string | null;
    readonly next: string | null;
    readonly effectiveAt: UnixSeconds | null;
  },
  at: UnixSeconds,
): Change | null {
  if (next === null && effectiveAt === null) return null;
  if (next !== null && current !== null && !isStep(current, next)) return null;
  const isApplied = effectiveAt !== null && effectiveAt <= at;
  // A time that has passed without a figure tells of nothing.
  if (isApplied && next === null) return null;
  return { status: isApplied ? "applied" : "announced", before: current, after: next, effectiveAt };
}

/** What a change is by its size alone. */
export function kindOf(before: string | null, after: string | null): ActionKind {
  if (before === null || after === null) return "multiplier";
  const [from, to] = [new SeriesDecimal(before), new SeriesDecimal(after)];
  const factor = to.gt(from) ? to.dividedBy(from) : from.dividedBy(to);
  const isNear = (whole: { toFixed(): string }) =>
    differenceBps(factor.toFixed(), whole.toFixed()).lte(SPLIT_TOLERANCE_BPS);
  const whole = factor.toDecimalPlaces(0);
  if (isNear(new SeriesDecimal("1.5")) || (whole.gte(2) && whole.lte(LARGEST_SPLIT) && isNear(whole)))
    return "split";
  return to.gt(from) && factor.minus(1).times(10_000).lte(DIVIDEND_BPS) ? "dividend" : "multiplier";
}

/**
 * All actions of a token after a word; those that it leaves alone are the same objects.
 * @param last what the source said before; undefined: nothing yet
 */
export function heard(
  actions: readonly CorporateAction[],
  word: Word,
  last: Pick<Word, "value"> | undefined,
  now: UnixSeconds,
): CorporateAction[] {
  let all = actions.filter(({ kind }) => isOfShares(kind));
  const others = actions.filter(({ kind }) => !isOfShares(kind));
  const replace = (before: CorporateAction, after: CorporateAction) => {
    all = all.map((one) => (one === before ? after : one));
  };
  const isNews = last === undefined || isStep(last.value, word.value);

  // What was announced and now counts.
  for (const action of all) {
    if (action.status !== "announced") continue;
    const told = liveTold(action, word.source);
    const isIn = told === undefined ? isNews && reached(action, word.value) : isDone(told, word, last);
    if (isIn) replace(action, entered(action, word, told, now));
  }
  if (word.change) {
    const found = matching(all, word.source, word.change, now);
    const known = found?.told.find((one) => one.source === word.source && isSameTime(one, word.change));
    // Once it is made, a contract does not say what was before.
    const told = { ...toldOf(word, word.change, now), ...(known && withoutLoss(known, word.change)) };
    if (found) replace(found, withTold(found, told, word.change.status, now));
    else all.push(newAction(word.assetKey, told, word.change.status, now));
  } else if (last !== undefined && isNews) {
    const step: Change = { status: "applied", before: last.value, after: word.value, effectiveAt: null };
    const explained = all.find((action) => explains(action, word.value, now));
    const told = toldOf(word, step, now);
    if (!explained) all.push(newAction(word.assetKey, told, "applied", now));
    else if (!explained.told.some(({ source }) => source === word.source))
      replace(explained, withTold(explained, told, "applied", now));
  }
  if (word.change !== undefined && word.change?.status !== "announced")
    for (const action of all) {
      const told = action.status === "announced" ? liveTold(action, word.source) : undefined;
      if (told) replace(action, withTold(action, { ...told, withdrawnAt: now }, "announced", now));
    }
  return [...others, ...all];
}

const isSameTime = (told: Told, change: Change | null | undefined) =>
  told.effectiveAt === change?.effectiveAt;

const withoutLoss = (known: Told, change: Change) => ({
  before: change.before ?? known.before,
  after: change.after ?? known.after,
});

const isOfShares = (kind: ActionKind) => kind !== "halt" && kind !== "migration";

const liveTold = ({ told }: CorporateAction, source: string): Told | undefined =>
  told.find((one) => one.source === source && one.withdrawnAt === null);

/** Whether a source's own figure has become what it announced; where it announced no figure, another than before. */
function isDone({ after }: Told, { value }: Word, last: Pick<Word, "value"> | undefined): boolean {
  return after === null ? last !== undefined && isStep(last.value, value) : !isStep(value, after);
}

/** Whether another source's figure is rather that after the change. */
function reached({ before, after }: CorporateAction, value: string): boolean {
  if (after === null || !agrees(value, after)) return false;
  return before === null || differenceBps(value, after).lt(differenceBps(value, before));
}

/** An announced change that counts from now on by its source's own figure. */
function entered(action: CorporateAction, word: Word, told: Told | undefined, now: UnixSeconds) {
  const step: Change = { status: "applied", before: action.before, after: word.value, effectiveAt: null };
  const entry = told === undefined ? toldOf(word, step, now) : { ...told, after: told.after ?? word.value };
  return withTold(action, entry, "applied", now);
}

function toldOf({ source, kind, rawHash }: Word, change: Change, now: UnixSeconds): Told {
  const { before, after, effectiveAt } = change;
  const announced = change.status === "announced" || effectiveAt !== null;
  return { source, before, after, effectiveAt, kind, announced, rawHash, seenAt: now, withdrawnAt: null };
}

/** The action that a change which a source tells is part of. */
function matching(
  actions: readonly CorporateAction[],
  source: string,
  change: Change,
  now: UnixSeconds,
): CorporateAction | undefined {
  const { effectiveAt, after, status } = change;
  const isOwn = ({ told }: CorporateAction) =>
    told.some(
      (one) =>
        one.source === source &&
        one.announced &&
        one.effectiveAt === effectiveAt &&
        (effectiveAt !== null || (one.withdrawnAt === null && one.after === after)),
    );
  const isAmended = (action: CorporateAction) =>
    status === "announced" && action.status === "announced" && liveTold(action, source) !== undefined;
  const isSame = (action: CorporateAction) => {
    // What a source announces anew is another change than that which it has told.
    const isTold = action.told.some((one) => one.source === source && one.announced);
    if (action.status === "withdrawn" || isTold) return false;
    const times = action.told.flatMap((told) => told.effectiveAt ?? []);
    if (effectiveAt !== null && times.length > 0)
      return times.some((time) => Math.abs(time - effectiveAt) <= SAME_SECONDS);
    if (action.status === "announced" && status === "announced") return true;
    return after !== null && explains(action, after, effectiveAt ?? now);
  };
  return actions.find(isOwn) ?? actions.find(isAmended) ?? actions.find(isSame);
}

/** Whether a figure that stepped at about that time is this action's. */
function explains(action: CorporateAction, value: string, at: UnixSeconds): boolean {
  if (action.status === "withdrawn" || !isOfShares(action.kind)) return false;
  const leadsThere = action.told.some(({ after }) => after !== null && agrees(after, value));
  const when = action.effectiveAt ?? action.appliedAt ?? action.at;
  const isNear = [when, action.appliedAt ?? when].some((time) => Math.abs(at - time) <= EXPLAINED_SECONDS);
  return leadsThere && isNear;
}

function newAction(
  assetKey: string,
  told: Told,
  status: "announced" | "applied",
  now: UnixSeconds,
): CorporateAction {
  const times = { effectiveAt: null, announcedAt: null, appliedAt: null, endedAt: null, at: now };
  const figures = {
    before: null,
    after: null,
    state: "single",
    inferred: false,
    kind: "multiplier",
  } as const;
  const none = { id: null, assetKey, status: "announced", ...figures, ...times, told: [] } as const;
  return { ...withTold({ ...none, revision: 1, changedAt: now }, told, status, now), revision: 1 };
}

/** The action with what one source tells of it in the place of what it told before. The same where nothing changes. */
function withTold(
  action: CorporateAction,
  told: Told,
  status: "announced" | "applied",
  now: UnixSeconds,
): CorporateAction {
  const known = action.told.find(({ source }) => source === told.source);
  // What it said first is what it is known by: later answers only repeat it.
  const same = known && isSameWord(known, told) ? known : undefined;
  const entries = known
    ? action.told.map((one) => (one === known ? (same ?? told) : one))
    : [...action.told, told];
  const live = entries.filter(({ withdrawnAt }) => withdrawnAt === null);
  const figures = figuresOf(live.length > 0 ? live : entries);
  const isApplied = action.status === "applied" || (status === "applied" && live.length > 0);
  const next: CorporateAction = {
    ...action,
    ...figures,
    told: entries,
    status: isApplied ? "applied" : live.length > 0 ? "announced" : "withdrawn",
    announcedAt: action.announcedAt ?? (status === "announced" ? now : null),
    appliedAt: action.appliedAt ?? (isApplied ? now : null),
    endedAt: isApplied || live.length > 0 ? null : (action.endedAt ?? now),
    at: earliest(entries) ?? action.appliedAt ?? action.announcedAt ?? action.at,
  };
  return JSON.stringify(next) === JSON.stringify(action)
    ? action
    : { ...next, revision: action.revision + 1, changedAt: now };
}

function isSameWord(one: Told, other: Told): boolean {
  const wordOf = ({ rawHash: _, seenAt: __, ...word }: Told) => JSON.stringify(word);
  return wordOf(one) === wordOf(other);
}

const earliest = (told: readonly Told[]): UnixSeconds | null => {
  const times = told.flatMap(({ effectiveAt }) => effectiveAt ?? []);
  return times.length === 0 ? null : Math.min(...times);
};

/** What all that tell of an action agree on. */
function figuresOf(told: readonly Told[]) {
  const common = (figures: readonly (string | null)[]) => {
    const given = figures.flatMap((figure) => figure ?? []);
    const [first = null] = given;
    return { first, agree: given.every((figure) => first !== null && agrees(first, figure)) };
  };
  const [before, after] = [common(told.map((one) => one.before)), common(told.map((one) => one.after))];
  const times = told.flatMap(({ effectiveAt }) => effectiveAt ?? []);
  const timesAgree = times.length === 0 || Math.max(...times) - Math.min(...times) <= TIME_TOLERANCE_SECONDS;
  const kinds = new Set(told.flatMap(({ kind }) => kind ?? []));
  const isDisputed = !before.agree || !after.agree || !timesAgree || kinds.size > 1;
  const [stated] = kinds.size === 1 ? kinds : [];
  const values = { before: before.agree ? before.first : null, after: after.agree ? after.first : null };
  const kind = stated ?? kindOf(values.before, values.after);
  return {
    ...values,
    kind,
    effectiveAt: timesAgree ? earliest(told) : null,
    state: isDisputed ? ("disputed" as const) : told.length > 1 ? ("agreed" as const) : ("single" as const),
    inferred: stated === undefined && (kind !== "multiplier" || !told.some(({ announced }) => announced)),
  };
}
