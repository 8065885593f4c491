/** Since when a figure has not changed: the only time that a source without a clock has. */
import type { UnixSeconds } from "../../attestor/values/time.ts";

/** What nobody stated for so long is forgotten: pools come and go. */
const KEPT_SECONDS = 7 * 86_400;

export interface Unchanged {
  /** @param figure all that the source says of the subject @returns the first time it was seen like that */
  since(subject: string, figure: string, now: UnixSeconds): UnixSeconds;
}

export function createUnchanged(): Unchanged {
  // The one that was stated longest ago comes first.
  const seen = new Map<
    string,
    { readonly figure: string; readonly since: UnixSeconds; readonly at: UnixSeconds }
  >();
  return {
    since(subject, figure, now) {
      const known = seen.get(subject);
      const since = known?.figure === figure && now - known.at <= KEPT_SECONDS ? known.since : now;
      seen.delete(subject);
      seen.set(subject, { figure, since, at: now });
      for (const [oldest, { at }] of seen) {
        if (now - at <= KEPT_SECONDS) break;
        seen.delete(oldest);
      }
      return since;
    },
  };
}
