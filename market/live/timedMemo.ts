/** Keeps an answer for a while and asks once for many: providers count requests, jobs come in bursts. */

/**
 * @param ttlMs how long an answer serves
 * @param now unix milliseconds
 * A failed question is forgotten at once.
 */
export function timedMemo<T>(
  ttlMs: number,
  now: () => number,
): (key: string, ask: () => Promise<T>) => Promise<T> {
  const answers = new Map<string, { at: number; answer: Promise<T> }>();
  return (key, ask) => {
    const known = answers.get(key);
    const age = known === undefined ? Number.POSITIVE_INFINITY : now() - known.at;
    // A clock that is set back keeps nothing alive.
    if (known !== undefined && age >= 0 && age < ttlMs) return known.answer;
    const asked = { at: now(), answer: ask() };
    answers.set(key, asked);
    asked.answer.catch(() => {
      if (answers.get(key) === asked) answers.delete(key);
    });
    return asked.answer;
  };
}
