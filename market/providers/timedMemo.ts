/** Keeps an answer for a while and asks once for many: providers count requests, jobs come in bursts. */

/** @param ttlMs how long an answer serves @param now unix milliseconds @param failureMs how long a failure does */
export function timedMemo<T>(ttlMs: number, now: () => number, failureMs = 0) {
  const answers = new Map<string, { readonly at: number; readonly answer: Promise<T>; ttlMs: number }>();
  return (key: string, ask: () => Promise<T>): Promise<T> => {
    const kept = answers.get(key);
    const age = kept === undefined ? Number.POSITIVE_INFINITY : now() - kept.at;
    // A clock that is set back keeps nothing alive.
    if (kept !== undefined && age >= 0 && age < kept.ttlMs) return kept.answer;
    const asked = { at: now(), answer: ask(), ttlMs };
    answers.set(key, asked);
    asked.answer.catch(() => {
      asked.ttlMs = failureMs;
    });
    return asked.answer;
  };
}
