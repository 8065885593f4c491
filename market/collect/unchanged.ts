/** Since when a figure has not changed: the only time that a source without a clock has. */
import type { UnixSeconds } from "../../attestor/values/time.ts";

export interface Unchanged {
  /** @param figure all that the source says of the subject @returns the first time it was seen like that */
  since(subject: string, figure: string, now: UnixSeconds): UnixSeconds;
}

export function createUnchanged(): Unchanged {
  const seen = new Map<string, { readonly figure: string; readonly since: UnixSeconds }>();
  return {
    since(subject, figure, now) {
      const known = seen.get(subject);
      if (known?.figure === figure) return known.since;
      seen.set(subject, { figure, since: now });
      return now;
    },
  };
}
