/**
 * What `make` made of a key before, or makes of it now.
 * @param most keys; beyond so many all are forgotten at once, since some come from outside
 */
export function memo<Key, T>(kept: Map<Key, T>, key: Key, make: () => T, most = 1_000): T {
  const found = kept.get(key);
  if (found !== undefined) return found;
  const made = make();
  if (kept.size >= most) kept.clear();
  kept.set(key, made);
  return made;
}
