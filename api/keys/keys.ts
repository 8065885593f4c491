/** API keys: made, approved, revoked, limited and recognised. A key is shown once; its digest is stored. */
import { createHash } from "node:crypto";
import { compiledOnce } from "../../database/compiled.ts";
import type { Database } from "../../database/open.ts";
import type { ApiKeyEventsTable, ApiKeysTable } from "../../database/schema.ts";
import { Problem } from "../http/problems.ts";
import { MAX_LIMIT_PER_MINUTE } from "../settings/limits.ts";
import { KeyApplication } from "./schemas.ts";

export { KeyApplication };

export const isApiKey = (text: string): boolean => /^ak_[A-Za-z0-9_-]{43}$/.test(text);
const SECRET_BYTES = 32;
const ID_BYTES = 12;

export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly purpose: string;
  readonly state: ApiKeysTable["state"];
  /** null: the default of the service. */
  readonly limitPerMinute: number | null;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface KeyEvent {
  readonly actor: string;
  readonly action: ApiKeyEventsTable["action"];
  readonly detail: string | null;
  /** Unix milliseconds. */
  readonly at: number;
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
  /** Unix milliseconds. */
  now(): number;
  randomBytes(count: number): Uint8Array;
}

/** Every function throws `DatabaseUnavailable`; those of admins also `KeyError`. */
export interface Keys {
  /**
   * A pending key. `key` is told here and never again.
   * @param actor who applies; an admin may do it for somebody
   */
  apply(application: KeyApplication, actor?: string): Promise<{ key: string; record: KeyRecord }>;
  /** An active key at once. */
  create(application: KeyApplication, actor: string): Promise<{ key: string; record: KeyRecord }>;
  /** Of an active key: nothing happens. A revoked key stays revoked. */
  approve(id: string, actor: string): Promise<KeyRecord>;
  revoke(id: string, actor: string): Promise<KeyRecord>;
  /** @param limitPerMinute requests; null: the default of the service */
  setLimit(id: string, limitPerMinute: number | null, actor: string): Promise<KeyRecord>;
  /** Oldest first. */
  list(): Promise<KeyRecord[]>;
  /** What happened to a key, oldest first. @throws KeyError `unknown_key` */
  history(id: string): Promise<KeyEvent[]>;
  /** What happened to all keys, oldest first. */
  audit(): Promise<(KeyEvent & { readonly keyId: string })[]>;
  /**
   * The active key that this is.
   * @throws Problem `invalid_api_key`, `revoked_api_key`, `key_pending_approval`
   */
  authenticate(key: string): Promise<KeyRecord>;
}

const keysOfDigest = compiledOnce((db, { digest }: { digest: string }) =>
  db.selectFrom("api_keys").selectAll().where("digest", "=", digest),
);

export function createKeys(deps: KeyDeps): Keys {
  const { db } = deps;
  const random = (count: number) => Buffer.from(deps.randomBytes(count)).toString("base64url");

  const event = (
    keyId: string,
    action: KeyEvent["action"],
    actor: string,
    detail: string | null,
    at: number,
  ) => ({
    id: random(ID_BYTES),
    key_id: keyId,
    actor,
    action,
    detail,
    at,
  });

  async function add(application: KeyApplication, state: "pending" | "active", actor: string) {
    const key = `ak_${random(SECRET_BYTES)}`;
    const at = deps.now();
    const row: ApiKeysTable = {
      id: `key_${random(ID_BYTES)}`,
      digest: keyDigest(key),
      ...KeyApplication.parse(application),
      state,
      limit_per_minute: null,
      created_at: at,
      updated_at: at,
    };
    await db.transaction().execute(async (transaction) => {
      await transaction.insertInto("api_keys").values(row).execute();
      await transaction
        .insertInto("api_key_events")
        .values(event(row.id, state === "active" ? "created" : "applied", actor, null, at))
        .execute();
    });
    return { key, record: recordOf(row) };
  }

  /** Changes a key and writes down who did it, together or not at all. */
  async function change(
    id: string,
    actor: string,
    action: KeyEvent["action"],
    decide: (row: ApiKeysTable) => Partial<Pick<ApiKeysTable, "state" | "limit_per_minute">> | null,
    detail: string | null = null,
  ): Promise<KeyRecord> {
    return db.transaction().execute(async (transaction) => {
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
      const changed = { ...row, ...changes, updated_at: at };
      await transaction
        .updateTable("api_keys")
        .set({ ...changes, updated_at: at })
        .where("id", "=", id)
        .execute();
      await transaction
        .insertInto("api_key_events")
        .values(event(id, action, actor, detail, at))
        .execute();
      return recordOf(changed);
    });
  }

  return {
    apply: (application, actor = "applicant") => add(application, "pending", actor),
    create: (application, actor) => add(application, "active", actor),
    approve: (id, actor) =>
      change(id, actor, "approved", ({ state }) => {
        if (state === "revoked")
          throw new KeyError("revoked", "a revoked key cannot be approved: create another");
        return state === "active" ? null : { state: "active" };
      }),
    revoke: (id, actor) =>
      change(id, actor, "revoked", ({ state }) => (state === "revoked" ? null : { state: "revoked" })),
    setLimit: async (id, limitPerMinute, actor) => {
      const fits =
        limitPerMinute === null ||
        (Number.isInteger(limitPerMinute) && limitPerMinute >= 1 && limitPerMinute <= MAX_LIMIT_PER_MINUTE);
      if (!fits)
        throw new KeyError("invalid_limit", `a limit is a whole number from 1 to ${MAX_LIMIT_PER_MINUTE}`);
      const detail = limitPerMinute === null ? "default" : String(limitPerMinute);
      return change(
        id,
        actor,
        "limit_set",
        (row) => (row.limit_per_minute === limitPerMinute ? null : { limit_per_minute: limitPerMinute }),
        detail,
      );
    },
    list: async () =>
      (await db.selectFrom("api_keys").selectAll().orderBy("created_at").orderBy("id").execute()).map(
        recordOf,
      ),
    history: async (id) => {
      const events = await db
        .selectFrom("api_key_events")
        .select(["actor", "action", "detail", "at"])
        .where("key_id", "=", id)
        .orderBy("at")
        .execute();
      // Every key has the event that made it.
      if (events.length === 0) throw unknownKey(id);
      return events;
    },
    audit: () =>
      db
        .selectFrom("api_key_events")
        .select(["key_id as keyId", "actor", "action", "detail", "at"])
        .orderBy("at")
        .execute(),
    authenticate: async (key) => {
      const row = isApiKey(key) ? (await keysOfDigest(db, { digest: keyDigest(key) }))[0] : undefined;
      if (!row) throw new Problem("invalid_api_key", "no such API key");
      if (row.state === "revoked") throw new Problem("revoked_api_key", "this API key was revoked");
      if (row.state === "pending") throw new Problem("key_pending_approval", "this API key awaits approval");
      return recordOf(row);
    },
  };
}

function unknownKey(id: string): KeyError {
  return new KeyError("unknown_key", `no key has the id ${JSON.stringify(id)}`);
}

/** How a secret is stored: it has 256 random bits, so a plain digest cannot be searched. */
export function keyDigest(secret: string): string {
  return createHash("sha256").update(secret, "utf8").digest("hex");
}

function recordOf(row: ApiKeysTable): KeyRecord {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    purpose: row.purpose,
    state: row.state,
    limitPerMinute: row.limit_per_minute,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
