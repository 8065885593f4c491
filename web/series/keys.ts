/** Where keys lead along the hours of a chart. */
import { nextKnown } from "./grid.ts";

const HOURS_A_DAY = 24;

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
  // Nothing is known at all.
  if (last === length) return undefined;
  const first = nextKnown(columns, -1, 1);
  // What is not known on the way is passed over, in the direction of the way.
  const walk = (hours: number) => {
    const step = hours > 0 ? 1 : -1;
    const target = (place ?? length) + hours;
    return Math.min(last, Math.max(first, nextKnown(columns, target - step, step)));
  };
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return walk(-1);
    case "ArrowRight":
    case "ArrowUp":
      return walk(1);
    case "PageDown":
      return walk(-HOURS_A_DAY);
    case "PageUp":
      return walk(HOURS_A_DAY);
    case "Home":
      return first;
    case "End":
      return last;
    default:
      return undefined;
  }
}
