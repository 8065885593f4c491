/** What pages of other origins may read, and the headers that tell their browser so (CORS). */
import type { Route } from "./route.ts";

/** Pages of any origin may read what needs neither key, token nor payment; a secret has no place in one. */
export const isForAnyPage = ({ method, auth, takesPayment }: Route): boolean =>
  method === "get" && auth === "public" && !takesPayment;

const ANY_ORIGIN = { "Access-Control-Allow-Origin": "*" };
export const EXPOSED = {
  ...ANY_ORIGIN,
  "Access-Control-Expose-Headers":
    "Attribution, ETag, Ignored-Parameters, Link, RateLimit, RateLimit-Policy, Retry-After, Series, Window, X-Request-Id",
};
export const PREFLIGHT = {
  ...ANY_ORIGIN,
  "Access-Control-Allow-Methods": "GET, HEAD",
  "Access-Control-Allow-Headers": "If-None-Match",
  "Access-Control-Max-Age": "86400",
};
