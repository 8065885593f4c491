/**
 * Pyth's schedule of a feed: `time zone;Monday,…,Sunday;MMDD/hours,…`. Hours are `O` (all day), `C`
 * (closed) or ranges such as `0930-1600`, joined by `&`. It knows closures that no rule foresees.
 */
import { type Exception, KNOWN_CLOSURES, newYorkDate, type RegularHours } from "../../attestor/calendar.ts";

export interface WeekSchedule {
  readonly timeZone: string;
  /** Monday first; ranges of open hours in minutes after midnight. */
  readonly week: readonly (readonly RegularHours[])[];
  /** By `MMDD`; no year is stated. */
  readonly days: ReadonlyMap<string, readonly RegularHours[]>;
}

const NEW_YORK = "America/New_York";
/** A date without a year is read as the coming one within so many days; later ones are left to the rules. */
const AHEAD_DAYS = 183;
const BACK_DAYS = 7;
const DAY_SECONDS = 86_400;

/** @returns null for a text of another form: no schedule is better than half of one */
export function parseSchedule(text: string): WeekSchedule | null {
  const [timeZone, week, days = "", ...more] = text.trim().split(";");
  if (!timeZone || !/^[A-Za-z]+(\/[A-Za-z_+-]+)*$/.test(timeZone) || week === undefined || more.length > 0)
    return null;
  const weekHours = week.split(",").map((hours) => parseHours(hours.trim()));
  const dayHours = days
    .split(",")
    .filter((entry) => entry.trim() !== "")
    .map((entry) => {
      const [day = "", hours = "", ...rest] = entry.trim().split("/");
      return rest.length === 0 && isMonthDay(day) ? ([day, parseHours(hours)] as const) : null;
    });
  if (weekHours.length !== 7 || weekHours.some((hours) => !hours)) return null;
  if (dayHours.some((entry) => !entry?.[1])) return null;
  return {
    timeZone,
    week: weekHours.map((hours) => hours ?? []),
    days: new Map(dayHours.flatMap((entry) => (entry ? [[entry[0], entry[1] ?? []] as const] : []))),
  };
}

/**
 * The exceptions that a schedule tells for the days around a moment, after the known closures, for
 * `createCalendar`. Hours that no session of US stocks can have are left to the rules.
 * @param seconds unix seconds when the schedule was read
 */
export function exceptionsOf(schedule: WeekSchedule, seconds: number): readonly Exception[] {
  if (schedule.timeZone !== NEW_YORK) return KNOWN_CLOSURES;
  const told: Exception[] = [];
  for (let days = -BACK_DAYS; days <= AHEAD_DAYS; days++) {
    const day = newYorkDate(seconds + days * DAY_SECONDS);
    const ranges = schedule.days.get(day.slice(5, 7) + day.slice(8));
    if (!ranges || ranges.length > 1) continue;
    const hours = ranges[0] ?? null;
    if (!hours || (hours.opens >= 4 * 60 && hours.closes <= 20 * 60)) told.push({ day, hours });
  }
  return [...KNOWN_CLOSURES, ...told];
}

function parseHours(text: string): readonly RegularHours[] | null {
  if (text === "O") return [{ opens: 0, closes: 24 * 60 }];
  if (text === "C") return [];
  const ranges = text.split("&").map((range) => {
    const [, opens, closes] = /^(\d{4})-(\d{4})$/.exec(range) ?? [];
    return { opens: minutesOf(opens), closes: minutesOf(closes) };
  });
  return ranges.every(({ opens, closes }) => opens < closes) ? ranges : null;
}

/** NaN for what is no time of day; comparisons with it are false. */
function minutesOf(text = ""): number {
  const [hours, minutes] = [Number(text.slice(0, 2)), Number(text.slice(2))];
  const total = hours * 60 + minutes;
  return text.length === 4 && minutes < 60 && total <= 24 * 60 ? total : Number.NaN;
}

function isMonthDay(text: string): boolean {
  if (!/^\d{4}$/.test(text)) return false;
  // Of a leap year, so that the 29th of February passes.
  const date = new Date(`2024-${text.slice(0, 2)}-${text.slice(2)}T00:00:00Z`);
  return (
    !Number.isNaN(date.getTime()) &&
    date.toISOString().slice(5, 10) === `${text.slice(0, 2)}-${text.slice(2)}`
  );
}
