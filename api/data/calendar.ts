/** The trading calendar of the stocks' exchange, as the data API tells it. */
import { CALENDAR_SOURCE, calendarDays, newYorkDate } from "../../attestor/calendar.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { Problem } from "../http/problems.ts";
import { dateTime } from "./json.ts";

/** Before that other rules were in force. */
const FIRST_DAY = "2013-01-01";
/** Rules change: nobody knows them for longer. */
const LAST_DAY = "2100-01-01";
const MOST_DAYS = 5 * 366;
const YEAR_SECONDS = 365 * 86_400;
const DAY_MS = 86_400_000;

/**
 * Weekdays of New York, oldest first.
 * @param from `YYYY-MM-DD`, inclusive; undefined: today @param to exclusive; undefined: a year after `from`, or the end of the rules
 * @throws Problem `invalid_request` for days outside of the rules, or more than five years of them
 */
export function calendarText(
  attribution: string,
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: UnixSeconds,
): string {
  const first = from ?? newYorkDate(now);
  const yearLater = dateTime(Date.parse(first) / 1_000 + YEAR_SECONDS).slice(0, 10);
  const end = to ?? (yearLater < LAST_DAY ? yearLater : LAST_DAY);
  if ([first, end].some((day) => day < FIRST_DAY || day > LAST_DAY))
    throw new Problem("invalid_request", `days must lie between ${FIRST_DAY} and ${LAST_DAY}`);
  if ((Date.parse(end) - Date.parse(first)) / DAY_MS > MOST_DAYS)
    throw new Problem("invalid_request", "from and to must be at most five years apart");
  const days = calendarDays(first, end).map(({ sessions, ...day }) => ({
    ...day,
    sessions: sessions.map(({ state, opensAt, closesAt }) => ({
      session: state,
      opens_at: dateTime(opensAt),
      closes_at: dateTime(closesAt),
    })),
  }));
  return JSON.stringify({ attribution, from: first, to: end, source: CALENDAR_SOURCE, days });
}
