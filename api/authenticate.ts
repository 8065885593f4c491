/** From the headers of a request to its caller. */
import type { Keys } from "./keys.ts";
import { Problem } from "./problems.ts";
import type { Call, Caller, RouteSpec } from "./route.ts";

export interface AuthenticateDeps {
  readonly keys: Pick<Keys, "authenticate">;
  /** The id of the job that a token opens, or null. */
  resolveJobToken(token: string): Promise<string | null>;
  /** For keys without a limit of their own. */
  readonly defaultLimitPerMinute: number;
}

export type Authenticate = (
  auth: RouteSpec<unknown, unknown, unknown>["auth"],
  headers: Call<unknown, unknown, unknown>["headers"],
) => Promise<Caller>;

/**
 * A key comes in `x-api-key` or as a bearer, the former counting when both are there; a job token as a
 * bearer alone, and only where the route lets it in.
 * @throws Problem `missing_api_key` 401, `invalid_api_key`, `revoked_api_key`, `key_pending_approval` 403
 */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  return async (auth, headers) => {
    if (auth === "public") return { kind: "public" };
    const inHeader = headers["x-api-key"]?.trim();
    const bearer = /^bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];
    const credential = inHeader || bearer;
    if (!credential)
      throw new Problem("missing_api_key", "send an API key in x-api-key, or as Authorization: Bearer", {
        headers: { "WWW-Authenticate": 'Bearer realm="assay"' },
      });
    if (auth === "keyOrJobToken" && !inHeader && !credential.startsWith("ak_")) {
      const jobId = await deps.resolveJobToken(credential);
      if (jobId !== null) return { kind: "jobToken", jobId };
    }
    const key = await deps.keys.authenticate(credential);
    return {
      kind: "key",
      keyId: key.id,
      limitPerMinute: key.limitPerMinute ?? deps.defaultLimitPerMinute,
    };
  };
}
