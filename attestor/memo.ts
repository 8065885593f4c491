/**
 * What `make` made of a key before, or makes of it now.
 * @param most keys; beyond so many all are forgotten at once, since some come from outside
 */
export function memo<Key, T>(known: Map<Key, T>, key: Key, make: () => T, most = 1_000): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  if (known.size >= most) known.clear();
  known.set(key, made);
  return made;
}
