/** How long a provider wants nobody to ask, by the headers of its answers. Milliseconds. */
import type { UnixMs } from "../../attestor/values/time.ts";
import type { RateLimit } from "./limits.ts";

const MINUTE_MS = 60_000;

/** How long an answer of any status wants nobody to ask; null: it does not say. */
export function announcedPause(headers: Headers, { usedWeight }: RateLimit, now: UnixMs): number | null {
  const used = usedWeight && numberIn(headers, usedWeight.header);
  if (usedWeight && used != null && used >= usedWeight.limit) return MINUTE_MS - (now % MINUTE_MS);
  return numberIn(headers, "x-ratelimit-remaining") === 0 ? untilReset(headers, now) : null;
}

/** How long a 429 wants nobody to ask. */
export const demandedPause = (headers: Headers, { lockoutMs = 1_000 }: RateLimit, now: UnixMs): number =>
  retryAfter(headers, now) ?? untilReset(headers, now) ?? lockoutMs;

/** Retry-After in milliseconds: seconds or an HTTP date; null when absent or unreadable. */
export function retryAfter(headers: Headers, now: UnixMs): number | null {
  const text = headers.get("retry-after")?.trim();
  if (!text) return null;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** `x-ratelimit-reset` in milliseconds from now: some send unix seconds, some the seconds that are left. */
function untilReset(headers: Headers, now: UnixMs): number | null {
  const reset = numberIn(headers, "x-ratelimit-reset");
  if (reset === null) return null;
  return Math.max(0, reset > 1e9 ? reset * 1_000 - now : reset * 1_000);
}

function numberIn(headers: Headers, name: string): number | null {
  const text = headers.get(name)?.trim();
  return text && /^\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}
