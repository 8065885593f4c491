/**
 * Requests that stay open, such as waits and streams, end when their key is revoked. One query a second serves all of them:
 * a key may be revoked in another process.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../database/open.ts";
import { Problem } from "../http/problems.ts";
import type { Caller } from "../http/route.ts";

const LOOK_EVERY_MS = 1_000;

export interface RevocationDeps {
  /** Those of the keys that are revoked. @throws DatabaseUnavailable */
  revoked(keyIds: readonly string[]): Promise<readonly string[]>;
  readonly pause?: () => Promise<void>;
}

export type Revocations = ReturnType<typeof createRevocations>;

export function createRevocations({ revoked, pause = () => sleep(LOOK_EVERY_MS) }: RevocationDeps) {
  /** By key, what is open. */
  const open = new Map<string, Set<AbortController>>();
  let looking = false;

  async function lookOn(): Promise<void> {
    if (looking) return;
    looking = true;
    for (await pause(); open.size > 0; await pause()) {
      // While the database is away nobody knows of a revocation.
      const found = await revoked([...open.keys()]).catch(() => []);
      for (const keyId of found) for (const control of open.get(keyId) ?? []) control.abort(refusal());
    }
    looking = false;
  }

  return {
    /** @returns a signal that is aborted when the caller's key is revoked, with the problem to answer; end it by `using` */
    watch(caller: Caller): { readonly signal: AbortSignal } & Disposable {
      const control = new AbortController();
      if (caller.kind !== "key") return { signal: control.signal, [Symbol.dispose]: () => {} };
      const { keyId } = caller;
      const ofKey = open.get(keyId) ?? new Set();
      open.set(keyId, ofKey.add(control));
      void lookOn();
      return {
        signal: control.signal,
        [Symbol.dispose]: () => {
          ofKey.delete(control);
          if (ofKey.size === 0 && open.get(keyId) === ofKey) open.delete(keyId);
        },
      };
    },
  };
}

const refusal = () => new Problem("revoked_api_key", "this API key was revoked");

export async function revokedKeys(db: Database, keyIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom("api_keys")
    .select("id")
    .where("id", "in", keyIds)
    .where("state", "=", "revoked")
    .execute();
  return rows.map(({ id }) => id);
}
