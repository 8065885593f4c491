/** Which hours `days` back from now means, in every answer and on every page. */
import type { Range } from "../../market/queries.ts";

const HOUR = 3_600;
const DAY = 86_400;

/** So many days of hours, the running one included. @param now unix seconds */
export function hoursBack(days: number, now: number): Range {
  const to = Math.floor(now / HOUR) * HOUR + HOUR;
  return { from: to - days * DAY, to };
}
