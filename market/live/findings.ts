/** Answers of several providers as one finding: rows in the order of the providers, failures beside them. */

import type { Failure, Findings } from "../collect/sources.ts";
import type { Rejected } from "../providers/records.ts";
import type { Rejection } from "../series/rejected.ts";

/** Asks all at once. What fails is a failure of its own. */
export async function gathered<T>(
  parts: readonly (readonly [name: string, ask: () => Promise<Findings<T>>])[],
): Promise<Findings<T>> {
  const answers = await Promise.all(
    parts.map(async ([name, ask]): Promise<Findings<T>> => {
      try {
        return await ask();
      } catch (error) {
        return { rows: [], failures: [{ subject: name, error }] };
      }
    }),
  );
  return {
    rows: answers.flatMap(({ rows }) => rows),
    failures: answers.flatMap(({ failures }): readonly Failure[] => failures ?? []),
    rejected: answers.flatMap(({ rejected }): readonly Rejection[] => rejected ?? []),
  };
}

/** For the record; what a provider simply does not have is no rejection. */
export function rejectionsOf(kind: string, provider: string, rejected: readonly Rejected[]): Rejection[] {
  return rejected
    .filter(({ reason }) => reason !== "missing")
    .map(({ key, reason, field }) => ({
      kind,
      subject: key,
      reason,
      sample: { provider, ...(field === undefined ? {} : { field }) },
    }));
}
