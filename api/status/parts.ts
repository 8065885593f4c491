/** Which parts of the service work, and by which rule. */
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { timedMemo } from "../../market/providers/timedMemo.ts";
import { excludedSince } from "../../market/status.ts";
import { logState } from "../log/state.ts";
import { type Check, check, type Health } from "./health.ts";

/** By part: whether it works. What cannot be said is left out: no check is no outage. */
export type Found = ReadonlyMap<string, boolean>;

/** Rounds are five minutes apart and may take as long; after three of them without an end something is wrong. */
export const ROUND_SECONDS = 900;
/** An execution that is due for so long is looked at by nobody. */
const OVERDUE_MS = 60_000;
/** A provider that gave nothing of use for so long, though it was asked, fails; and so does one whose figures are excluded. */
const PROVIDER_SECONDS = 3_600;
/** Publishers are asked over the internet, and again where they do not answer. */
const SIGNED_TIMEOUT_MS = 10_000;
/** Their answer counts so long for all who ask. */
const SIGNED_LASTS_MS = 60_000;

export interface PartSources {
  readonly db: Database;
  readonly health: () => Promise<Health>;
  /** Of signed prices; null: nobody is asked for any. */
  readonly checkSigned: (() => Promise<Check>) | null;
  /** Whether this service collects the market at all. */
  readonly collects: boolean;
  now(): UnixMs;
}

/** Never rejects: what the database does not tell is left out, and the database is down then. */
export async function findParts(sources: PartSources): Promise<Found> {
  const found = new Map<string, boolean>();
  const [{ checks }, signed] = await Promise.all([sources.health(), sources.checkSigned?.()]);
  found.set("database", checks.database === "up");
  found.set("chain", checks.chain === "up");
  if (signed) found.set("signedPrices", signed === "up");
  if (checks.database === "up")
    for (const [part, works] of await storedParts(sources).catch(() => [])) found.set(part, works);
  return found;
}

/** Asks publishers once a minute at most. @param monotonic milliseconds on a clock that never goes back */
export function createSignedCheck(
  probeSigned: () => Promise<unknown>,
  monotonic: () => number,
): () => Promise<Check> {
  const answers = timedMemo<Check>(SIGNED_LASTS_MS, monotonic);
  return () => answers("signed", () => check(probeSigned, SIGNED_TIMEOUT_MS));
}

/** @throws DatabaseUnavailable */
async function storedParts({ db, collects, now }: PartSources): Promise<[string, boolean][]> {
  const [log, overdue, round, providers] = await Promise.all([
    logState(db),
    isOverdue(db, now()),
    collects ? roundWorks(db, now()) : null,
    providersOf(db, now()),
  ]);
  return [
    ["log", log.refused === null],
    ["watcher", !overdue],
    ...(round === null ? [] : [["collector", round] satisfies [string, boolean]]),
    ...providers,
  ];
}

async function isOverdue(db: Database, nowMs: number): Promise<boolean> {
  const row = await db
    .selectFrom("executions")
    .select("id")
    .where("next_look_at", "<", nowMs - OVERDUE_MS)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Null: none has ended yet. */
async function roundWorks(db: Database, nowMs: number): Promise<boolean | null> {
  const row = await db
    .selectFrom("market_state")
    .select("value")
    .where("name", "=", "round_ended_at")
    .executeTakeFirst();
  return row === undefined ? null : nowMs / 1_000 - row.value <= ROUND_SECONDS;
}

async function providersOf(db: Database, nowMs: number): Promise<[string, boolean][]> {
  const since = nowMs / 1_000 - PROVIDER_SECONDS;
  const rows = await db
    .selectFrom("provider_outcomes")
    .select(["provider", "kind", "last_at"])
    .where("hour", ">=", Math.floor(since / 3_600))
    .where("last_at", ">", Math.floor(since))
    .execute();
  const excluded = await excludedSince(db, nowMs / 1_000);
  const names = [...new Set(rows.map(({ provider }) => provider))];
  return names.map((name) => [
    `provider/${name}`,
    !excluded.has(name) && rows.some(({ provider, kind }) => provider === name && kind === "ok"),
  ]);
}
