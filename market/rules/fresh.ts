/** Since when a figure has not changed: the only time that a source without a clock has, and how a stale one is known. */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Rejection } from "../series/rejected.ts";
import type { Statement } from "../statement.ts";

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
      const earlier = seen.get(subject);
      const since = earlier?.figure === figure && now - earlier.at <= KEPT_SECONDS ? earlier.since : now;
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

/** What of a statement changes, and for how many seconds it may stay. */
interface Cadence {
  readonly figure: string;
  readonly seconds: number;
  /** Where a subject has several statements of one source. */
  readonly part?: string;
}

/**
 * Excludes what has not changed for longer than its source takes to change it, and gives the others that time where they
 * have none of their own.
 * @param cadenceOf null: nothing of it has to change
 */
export function fresh<S extends Statement>(
  statements: readonly S[],
  unchanged: Unchanged,
  now: UnixSeconds,
  cadenceOf: (one: S) => Cadence | null,
): { readonly kept: readonly S[]; readonly rejections: readonly Rejection[] } {
  const rejections: Rejection[] = [];
  const kept = statements.flatMap((one): S[] => {
    const cadence = cadenceOf(one);
    if (cadence === null) return [one];
    const { of, source, subject, at } = one;
    const since = unchanged.since(`${of}/${source}/${cadence.part ?? subject}`, cadence.figure, now);
    if (now - since <= cadence.seconds) return [{ ...one, at: at ?? since }];
    rejections.push({ kind: of, subject, reason: "stale", sample: one });
    return [];
  });
  return { kept, rejections };
}
