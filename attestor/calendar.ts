/**
 * The US stock market's calendar, pure: sessions by NYSE's published rules, in New York time.
 *
 * A trading day is pre-market from 04:00, regular from 09:30, post-market from the close (16:00, on
 * half-days 13:00) to 20:00 (17:00). Overnight trading runs from 20:00 into the pre-market of a trading
 * day, so from Sunday evening on, and not into a holiday. All else is closed.
 */
import { memo } from "./memo.ts";
import {
  DAY_SECONDS,
  dayText,
  type Exception,
  FULL_DAY,
  KNOWN_CLOSURES,
  nameOf,
  parseDay,
  type RegularHours,
  regularHours,
  weekdayOf,
} from "./tradingDays.ts";

export type SessionState = "overnight" | "pre-market" | "regular" | "post-market" | "closed";

export interface Session {
  readonly state: SessionState;
  /** Unix seconds when this state began, inclusive. */
  readonly opensAt: number;
  /** Unix seconds when it ends, exclusive: the next session's `opensAt`. */
  readonly closesAt: number;
}

/** What evidence calls this calendar as the source of a session. */
export const CALENDAR_SOURCE = "nyse-calendar";

/** A weekday of the exchange. */
export interface CalendarDay {
  /** `YYYY-MM-DD` in New York. */
  readonly day: string;
  /** `half`: regular trading is shorter than usual. */
  readonly kind: "full" | "half" | "closed";
  /** The holiday, or why the day is shorter; null: it is a day like others, or nobody named it. */
  readonly name: string | null;
  /** In their order, from the evening before; those of a closed day are none. */
  readonly sessions: readonly Session[];
}

export interface Calendar {
  /** @param seconds unix seconds */
  sessionAt(seconds: number): Session;
  /** Unix seconds of the last official close at or before a moment. */
  lastCloseAt(seconds: number): number;
  /**
   * The weekdays from one day on and before another, oldest first.
   * @param from `YYYY-MM-DD` @throws RangeError for a text that is no day
   */
  days(from: string, to: string): CalendarDay[];
}

const HOUR = 60;
const PRE_MARKET = 4 * HOUR;
/** When late trading ends after an early close; else it lasts until the overnight session. */
const EARLY_POST_MARKET_ENDS = 17 * HOUR;
const OVERNIGHT = 20 * HOUR;
/** How far a neighbouring session is looked for: longer than any break there has been. */
const HORIZON_DAYS = 10;

/**
 * @param exceptions of two for one day the later one counts
 * @throws RangeError for an exception that is no day or whose hours do not lie between 04:00 and 20:00
 */
export function createCalendar(exceptions: readonly Exception[] = KNOWN_CLOSURES): Calendar {
  const byDay = new Map(exceptions.map((exception) => [parseDay(exception.day), checked(exception)]));
  const hoursOf = (day: number) => {
    const exception = byDay.get(day);
    return exception === undefined ? regularHours(day) : exception.hours;
  };
  let latest: Session | undefined;

  function* changesOf(day: number): Generator<Change> {
    const hours = hoursOf(day);
    const at = (minutes: number) => unixOf(day, minutes);
    if (hours) {
      yield { at: at(PRE_MARKET), state: "pre-market" };
      yield { at: at(hours.opens), state: "regular" };
      yield { at: at(hours.closes), state: "post-market" };
      if (hours.closes < FULL_DAY.closes) yield { at: at(EARLY_POST_MARKET_ENDS), state: "closed" };
    }
    yield { at: at(OVERNIGHT), state: hoursOf(day + 1) ? "overnight" : "closed" };
  }

  function sessionAt(seconds: number): Session {
    // Callers walk through time or ask for now: mostly it is the session of the question before.
    if (latest && seconds >= latest.opensAt && seconds < latest.closesAt) return latest;
    const today = dayOf(seconds);
    let current: Change | undefined;
    for (let day = today - HORIZON_DAYS; day <= today + HORIZON_DAYS; day++)
      for (const change of changesOf(day)) {
        if (change.state === current?.state) continue;
        if (current && change.at > seconds) {
          latest = { state: current.state, opensAt: current.at, closesAt: change.at };
          return latest;
        }
        current = change;
      }
    throw new RangeError("The calendar has no trading for too long.");
  }

  function lastCloseAt(seconds: number): number {
    const today = dayOf(seconds);
    for (let day = today; day >= today - HORIZON_DAYS; day--) {
      const hours = hoursOf(day);
      const at = hours ? unixOf(day, hours.closes) : null;
      if (at !== null && at <= seconds) return at;
    }
    throw new RangeError("The calendar has no trading for too long.");
  }

  function days(from: string, to: string): CalendarDay[] {
    const [first, end] = [parseDay(from), parseDay(to)];
    const all = Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
    const weekdays = all.filter((day) => ![0, 6].includes(weekdayOf(day)));
    return weekdays.map((day) => {
      const exception = byDay.get(day);
      const name = exception === undefined ? nameOf(day) : (exception.name ?? null);
      return calendarDay({ day, name, hours: hoursOf(day), changes: [...changesOf(day)] });
    });
  }

  return { days, sessionAt, lastCloseAt };
}

/** By the rules and the known closures. */
export const { sessionAt, lastCloseAt, days: calendarDays } = createCalendar();

interface Change {
  readonly at: number;
  readonly state: SessionState;
}

/** Overnight trading belongs to the day that it leads into. */
function calendarDay({
  day,
  name,
  hours,
  changes,
}: {
  readonly day: number;
  readonly name: string | null;
  readonly hours: RegularHours | null;
  readonly changes: readonly Change[];
}): CalendarDay {
  if (hours === null) return { day: dayText(day), kind: "closed", name, sessions: [] };
  const all: Change[] = [{ at: unixOf(day - 1, OVERNIGHT), state: "overnight" }, ...changes];
  // The last change ends the day.
  const sessions = all.slice(0, -1).map(({ at: opensAt, state }, index) => {
    return { state, opensAt, closesAt: all[index + 1]!.at };
  });
  const isFull = hours.opens === FULL_DAY.opens && hours.closes === FULL_DAY.closes;
  return {
    day: dayText(day),
    kind: isFull ? "full" : "half",
    name,
    sessions: sessions.filter(({ state, opensAt, closesAt }) => state !== "closed" && opensAt < closesAt),
  };
}

function checked(exception: Exception): Exception {
  const { hours, day } = exception;
  if (hours && !(PRE_MARKET <= hours.opens && hours.opens < hours.closes && hours.closes <= OVERNIGHT))
    throw new RangeError(`The hours of ${day} do not lie between 04:00 and 20:00.`);
  return exception;
}

/** `YYYY-MM-DD` in New York at a unix second. */
export function newYorkDate(seconds: number): string {
  return dayText(dayOf(seconds));
}

const NEW_YORK = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/New_York",
  hour: "numeric",
  hourCycle: "h23",
});

/**
 * Seconds that New York is ahead of UTC on a day from 03:00 local on, when clocks have been changed.
 * Noon UTC is 7 or 8 o'clock there.
 */
function offsetOf(day: number): number {
  const make = () => {
    const hour = Number(NEW_YORK.format((day * DAY_SECONDS + DAY_SECONDS / 2) * 1_000));
    return (hour - 12) * 3_600;
  };
  return memo(offsets, day, make, 4_000);
}

/** Every session starts at 04:00 or later, so one offset a day is enough. */
function unixOf(day: number, minutes: number): number {
  return day * DAY_SECONDS + minutes * 60 - offsetOf(day);
}

/**
 * The local day of a moment. Standard time gives the day or, in the first hour of a summer day, the one
 * before; that day's own offset puts it right. Between midnight and a change of clocks the date is the
 * same by either offset.
 */
function dayOf(seconds: number): number {
  const byStandardTime = Math.floor((seconds - 5 * 3_600) / DAY_SECONDS);
  return Math.floor((seconds + offsetOf(byStandardTime)) / DAY_SECONDS);
}

const offsets = new Map<number, number>();
