/** Order by code units or by size, as `sort` takes it. Unlike `localeCompare` it is the same on every machine. */
export function ascending<T extends string | number | bigint>(one: T, other: T): number {
  if (one < other) return -1;
  return one > other ? 1 : 0;
}
