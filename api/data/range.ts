/** Which hours are meant, in every answer and on every page. */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Range } from "../../market/queries.ts";
import type { Window } from "./windows.ts";

const HOUR = 3_600;
const DAY = 86_400;

/** `days` back from now: so many days of hours, the running one included. @param now unix seconds */
export function hoursBack(days: number, now: number): Range {
  const to = Math.floor(now / HOUR) * HOUR + HOUR;
  return { from: to - days * DAY, to };
}

/** Of a window that has no beginning `days` say it, back from its end. */
export function windowHours(
  { from, to }: Pick<Window<unknown>, "from" | "to">,
  days: number,
  now: UnixSeconds,
): Range {
  const end = to ?? hoursBack(days, now).to;
  return { from: from ?? end - days * DAY, to: end };
}
