/** What `work` returns, or `otherwise` where it throws. */
export function orElse<T, F>(work: () => T, otherwise: F): T | F {
  try {
    return work();
  } catch {
    return otherwise;
  }
}
