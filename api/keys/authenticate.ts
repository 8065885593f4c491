/** From the headers of a request to its caller. */
import { bytesOf, type Caches } from "../../chain/caches.ts";
import { createGuesses } from "../http/limits.ts";
import { Problem } from "../http/problems.ts";
import type { Authenticate, Caller, OpenedByToken } from "../http/route.ts";
import { isJobToken, isSignToken } from "../jobs/ids.ts";
import { isApiKey, type KeyRecord, type Keys, keyDigest } from "./keys.ts";

export interface AuthenticateDeps {
  readonly keys: Pick<Keys, "authenticate">;
  /** The job that a job token or a sign token opens, or null. */
  resolveJobToken(token: string): Promise<OpenedByToken | null>;
  /** For keys without a limit of their own; so many keys and invalid job tokens may an address try a minute. */
  readonly defaultLimitPerMinute: number;
  readonly caches: Caches;
  /** Milliseconds on a clock that never goes back. */
  monotonic(): number;
}

/** How long a recognized key skips further lookups, where a route allows it. */
export const RECENT_KEY_MS = 1_000;
const RECENT_KEYS = { maxBytes: 4 * 1024 * 1024, lifetimeMs: RECENT_KEY_MS, sizeOf: bytesOf };
/**
 * A key that was right within this time is no guess: users who share an address with somebody who guesses keep access.
 * That may be a company's address, or an untrusted proxy's.
 */
const KNOWN_KEYS = { maxBytes: 4 * 1024 * 1024, lifetimeMs: 600_000, sizeOf: () => 8 };

/**
 * A key comes in `x-api-key` or as a bearer; the former wins. A job token or a sign token comes only as a bearer, where
 * the route accepts it.
 * @throws Problem `missing_api_key` 401, `invalid_api_key`, `revoked_api_key`, `key_pending_approval` 403, `rate_limited` 429
 */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  const openedBy = createTokenLookup(deps);
  const callerOf = createKeyLookup(deps);
  const recentCallerOf = forASecond(deps, callerOf);
  return async (auth, headers, address, recentKeyWillDo) => {
    if (auth === "public") return { kind: "public" };
    const inHeader = headers["x-api-key"]?.trim();
    const bearer = /^bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];
    const credential = inHeader || bearer;
    if (!credential)
      throw new Problem("missing_api_key", "send an API key in x-api-key or as Authorization: Bearer", {
        headers: { "WWW-Authenticate": 'Bearer realm="assay"' },
      });
    // A credential without the form of a token costs no lookup and is no attempt.
    const isToken =
      (auth !== "key" && isJobToken(credential)) || (auth === "keyOrAnyToken" && isSignToken(credential));
    if (isToken && !inHeader) {
      const opened = await openedBy(credential, address);
      if (opened !== null) return { kind: "jobToken", ...opened };
    }
    return recentKeyWillDo ? recentCallerOf(credential, address) : callerOf(credential, address);
  };
}

/** What a token opens, or null; tokens that open nothing count against the address. */
function createTokenLookup(deps: AuthenticateDeps) {
  const guesses = createGuesses(deps.defaultLimitPerMinute, "invalid-tokens", "invalid job tokens");
  return async (token: string, address: string): Promise<OpenedByToken | null> => {
    const wasRight = await guesses.begin(address);
    const opened = await deps.resolveJobToken(token);
    if (opened !== null) await wasRight();
    return opened;
  };
}

type KeyLookup = (credential: string, address: string) => Promise<Caller>;

/** The caller whose key it is; keys that are none count against the address. */
function createKeyLookup(deps: AuthenticateDeps): KeyLookup {
  const guesses = createGuesses(deps.defaultLimitPerMinute, "invalid-keys", "invalid API keys");
  /** By digest: keys do not linger in memory. */
  const activeDigests = deps.caches.open<number>("known keys", KNOWN_KEYS);

  /** A credential without the form of a key costs no lookup and is no attempt either. */
  async function activeKey(credential: string, address: string): Promise<KeyRecord> {
    const digest = keyDigest(credential);
    const isGuess = isApiKey(credential) && !activeDigests.has(digest);
    const wasRight = isGuess ? await guesses.begin(address) : async () => {};
    try {
      const key = await deps.keys.authenticate(credential);
      activeDigests.set(digest, 1);
      await wasRight();
      return key;
    } catch (error) {
      activeDigests.delete(digest);
      // A database that is away says nothing of the key.
      if (!(error instanceof Problem)) await wasRight();
      throw error;
    }
  }

  return async (credential, address) => {
    const { id, limitPerMinute } = await activeKey(credential, address);
    return { kind: "key", keyId: id, limitPerMinute: limitPerMinute ?? deps.defaultLimitPerMinute };
  };
}

/** The same lookup, made once a second for each key. */
function forASecond(deps: AuthenticateDeps, lookUp: KeyLookup): KeyLookup {
  const recent = deps.caches.open<Caller>("recent keys", RECENT_KEYS);
  return async (credential, address) => {
    // By digest: keys do not linger in memory.
    const digest = keyDigest(credential);
    const recentCaller = recent.get(digest);
    if (recentCaller) return recentCaller;
    const start = deps.monotonic();
    const caller = await lookUp(credential, address);
    // A slow lookup counts from its beginning.
    recent.set(digest, caller, { start });
    return caller;
  };
}
