/** Where keys lead along the hours of a chart. */
import { nextKnown } from "./grid.ts";

const HOURS_A_DAY = 24;
/** Hours that a key goes on. */
const STEPS: ReadonlyMap<string, number> = new Map([
  ...["ArrowLeft", "ArrowDown"].map((key) => [key, -1] as const),
  ...["ArrowRight", "ArrowUp"].map((key) => [key, 1] as const),
  ["PageDown", -HOURS_A_DAY],
  ["PageUp", HOURS_A_DAY],
]);

/**
 * @param key as `KeyboardEvent.key`
 * @param columns what the chart shows, one value for each hour
 * @param place where the cursor is; null: nowhere yet
 * @returns the hour to go to, always one with a value; undefined: the key leads nowhere
 */
export function placeAfterKey(
  key: string,
  columns: readonly (readonly unknown[])[],
  place: number | null,
): number | undefined {
  const length = Math.max(0, ...columns.map((column) => column.length));
  const last = nextKnown(columns, length, -1);
  if (last === length) return undefined;
  const first = nextKnown(columns, -1, 1);
  // What is not known on the way is passed over, in the direction of the way.
  const walk = (hours: number) => {
    const step = hours > 0 ? 1 : -1;
    const target = (place ?? length) + hours;
    return Math.min(last, Math.max(first, nextKnown(columns, target - step, step)));
  };
  const hours = STEPS.get(key);
  if (hours !== undefined) return walk(hours);
  return key === "Home" ? first : key === "End" ? last : undefined;
}
