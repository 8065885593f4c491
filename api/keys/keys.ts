/** API keys: made, approved, revoked, limited and recognized. A key is shown once; its digest is stored. */
import { hash } from "node:crypto";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import { accept, Problem } from "../http/problems.ts";
import { MAX_LIMIT_PER_MINUTE } from "../settings/forms.ts";
import { KeyApplication } from "./schemas.ts";

export const isApiKey = (text: string): boolean => /^ak_[A-Za-z0-9_-]{43}$/.test(text);
const SECRET_BYTES = 32;
const ID_BYTES = 12;

export interface KeyEvent {
  readonly actor: string;
  readonly action: Schema["api_key_events"]["action"];
  readonly detail: string | null;
  readonly at: UnixMs;
}

/** An admin asked for what cannot be. */
export class KeyError extends Error {
  readonly code: "unknown_key" | "revoked" | "invalid_limit";

  constructor(code: KeyError["code"], message: string) {
    super(message);
    this.name = "KeyError";
    this.code = code;
  }
}

export interface KeyDeps {
  readonly db: Database;
  now(): UnixMs;
  randomBytes(count: number): Uint8Array;
}

/** Every function throws `DatabaseUnavailable`; those of admins also `KeyError`. */
export type Keys = ReturnType<typeof createKeys>;

export function createKeys(deps: KeyDeps) {
  const { db } = deps;
  return {
    /**
     * A pending key. `key` is only returned here.
     * @param actor who applies; an admin may do it for somebody
     */
    apply: (application: KeyApplication, actor: string = "applicant") =>
      addKey(deps, application, actor, { action: "applied" }),
    /** An active key at once, with so many requests a minute, that no person has looked at. */
    applyAutomatically: (application: KeyApplication, limitPerMinute: number) =>
      addKey(deps, application, "applicant", { action: "approved_automatically", limitPerMinute }),
    /** An active key at once. */
    create: (application: KeyApplication, actor: string) =>
      addKey(deps, application, actor, { action: "created" }),
    /** Of an active key: nothing happens. A revoked key stays revoked. */
    approve: (id: string, actor: string) =>
      changeKey(deps, { id, actor, action: "approved", detail: null }, approval),
    revoke: (id: string, actor: string) =>
      changeKey(deps, { id, actor, action: "revoked", detail: null }, ({ state }) =>
        state === "revoked" ? null : { state: "revoked" },
      ),
    /** @param limitPerMinute requests; null: the default of the service */
    setLimit: (id: string, limitPerMinute: number | null, actor: string) =>
      setKeyLimit(deps, id, limitPerMinute, actor),
    /** Oldest first. */
    list: () => listKeys(db),
    /** What happened to a key, oldest first. @throws KeyError `unknown_key` */
    history: (id: string) => keyHistory(db, id),
    /** What happened to all keys, oldest first. */
    audit: () =>
      db
        .selectFrom("api_key_events")
        .select(["key_id as keyId", "actor", "action", "detail", "at"])
        .orderBy("at")
        .execute(),
    /**
     * The active key that this is.
     * @throws Problem `invalid_api_key`, `revoked_api_key`, `key_pending_approval`
     */
    authenticate: (key: string) => activeKeyOf(db, key),
  };
}

/** What is written down of a change: whose it is, and which. */
interface KeyChange extends Pick<KeyEvent, "actor" | "action" | "detail"> {
  readonly id: string;
}

type Decision = Partial<Pick<Schema["api_keys"], "state" | "limit_per_minute">> | null;

const randomText = (deps: KeyDeps, bytes: number) =>
  Buffer.from(deps.randomBytes(bytes)).toString("base64url");

function eventRow(deps: KeyDeps, { id, ...event }: KeyChange, at: number): Schema["api_key_events"] {
  return { id: randomText(deps, ID_BYTES), key_id: id, ...event, at };
}

async function addKey(
  deps: KeyDeps,
  application: KeyApplication,
  actor: string,
  { action, limitPerMinute = null }: { action: KeyEvent["action"]; limitPerMinute?: number | null },
): Promise<{ key: string; record: KeyRecord }> {
  const key = `ak_${randomText(deps, SECRET_BYTES)}`;
  const at = deps.now();
  const row: Schema["api_keys"] = {
    id: `key_${randomText(deps, ID_BYTES)}`,
    digest: keyDigest(key),
    ...accept(KeyApplication, application),
    state: action === "applied" ? "pending" : "active",
    limit_per_minute: limitPerMinute,
    created_at: at,
    updated_at: at,
  };
  const detail = limitPerMinute === null ? null : String(limitPerMinute);
  await deps.db.transaction().execute(async (transaction) => {
    await transaction.insertInto("api_keys").values(row).execute();
    await transaction
      .insertInto("api_key_events")
      .values(eventRow(deps, { id: row.id, actor, action, detail }, at))
      .execute();
  });
  return { key, record: recordOf(row) };
}

/**
 * Changes a key and writes down who did it, together or not at all.
 * @param decide what changes; null: nothing, and nothing is written down
 * @throws KeyError `unknown_key`, and what `decide` throws
 */
async function changeKey(
  deps: KeyDeps,
  change: KeyChange,
  decide: (row: Schema["api_keys"]) => Decision,
): Promise<KeyRecord> {
  const { id } = change;
  return deps.db.transaction().execute(async (transaction) => {
    // Writing first takes the row's lock, so that of two admins the second sees what the first did.
    const row = await transaction
      .updateTable("api_keys")
      .set((columns) => ({ updated_at: columns.ref("updated_at") }))
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirst();
    if (!row) throw unknownKey(id);
    const changes = decide(row);
    if (changes === null) return recordOf(row);
    const at = deps.now();
    await transaction
      .updateTable("api_keys")
      .set({ ...changes, updated_at: at })
      .where("id", "=", id)
      .execute();
    await transaction
      .insertInto("api_key_events")
      .values(eventRow(deps, change, at))
      .execute();
    return recordOf({ ...row, ...changes, updated_at: at });
  });
}

function approval({ state }: Schema["api_keys"]): Decision {
  if (state === "revoked")
    throw new KeyError("revoked", "a revoked key cannot be approved: create a new one");
  return state === "active" ? null : { state: "active" };
}

async function setKeyLimit(
  deps: KeyDeps,
  id: string,
  limitPerMinute: number | null,
  actor: string,
): Promise<KeyRecord> {
  const fits =
    limitPerMinute === null ||
    (Number.isInteger(limitPerMinute) && limitPerMinute >= 1 && limitPerMinute <= MAX_LIMIT_PER_MINUTE);
  if (!fits)
    throw new KeyError("invalid_limit", `a limit is a whole number from 1 to ${MAX_LIMIT_PER_MINUTE}`);
  const detail = limitPerMinute === null ? "default" : String(limitPerMinute);
  return changeKey(deps, { id, actor, action: "limit_set", detail }, (row) =>
    row.limit_per_minute === limitPerMinute ? null : { limit_per_minute: limitPerMinute },
  );
}

async function listKeys(db: Database): Promise<(KeyRecord & { isAutomatic: boolean })[]> {
  const rows = await db.selectFrom("api_keys").selectAll().orderBy("created_at").orderBy("id").execute();
  const events = db.selectFrom("api_key_events").select("key_id");
  const automatic = await events.where("action", "=", "approved_automatically").execute();
  const ids = new Set(automatic.map(({ key_id }) => key_id));
  return rows.map((row) => ({ ...recordOf(row), isAutomatic: ids.has(row.id) }));
}

async function keyHistory(db: Database, id: string): Promise<KeyEvent[]> {
  const events = await db
    .selectFrom("api_key_events")
    .select(["actor", "action", "detail", "at"])
    .where("key_id", "=", id)
    .orderBy("at")
    .execute();
  // Every key has the event that made it.
  if (events.length === 0) throw unknownKey(id);
  return events;
}

function keyOfDigest(db: Database, digest: string) {
  return db.selectFrom("api_keys").selectAll().where("digest", "=", digest).executeTakeFirst();
}

async function activeKeyOf(db: Database, key: string): Promise<KeyRecord> {
  const row = isApiKey(key) ? await keyOfDigest(db, keyDigest(key)) : undefined;
  if (!row) throw new Problem("invalid_api_key", "no such API key");
  if (row.state === "revoked") throw new Problem("revoked_api_key", "this API key was revoked");
  if (row.state === "pending") throw new Problem("key_pending_approval", "this API key awaits approval");
  return recordOf(row);
}

function unknownKey(id: string): KeyError {
  return new KeyError("unknown_key", `no key has the id ${JSON.stringify(id)}`);
}

/** How a secret is stored: it has 256 random bits, so a plain digest cannot be searched. */
export function keyDigest(secret: string): string {
  return hash("sha256", secret, "hex");
}

export type KeyRecord = Readonly<ReturnType<typeof recordOf>>;

function recordOf(row: Schema["api_keys"]) {
  const { id, name, email, purpose, state } = row;
  return {
    id,
    name,
    email,
    purpose,
    state,
    /** null: the default of the service. */
    limitPerMinute: row.limit_per_minute,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
