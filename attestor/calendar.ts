/**
 * The US stock market's calendar, pure: sessions by NYSE's published rules, in New York time.
 *
 * A trading day is pre-market from 04:00, regular from 09:30, post-market from the close (16:00, on
 * half-days 13:00) to 20:00 (17:00). Overnight trading runs from 20:00 into the pre-market of a trading
 * day, so from Sunday evening on, and not into a holiday. All else is closed.
 *
 * Holidays and half-days follow from the rules in force since 2013 (Juneteenth since 2022); closures
 * that no rule knows are exceptions. Pyth's schedule, where at hand, overrides both.
 */

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

/** Regular trading of one day in minutes after midnight, New York time. */
export interface RegularHours {
  readonly opens: number;
  readonly closes: number;
}

/** A day that differs from the rules. */
export interface Exception {
  /** `YYYY-MM-DD` in New York. */
  readonly day: string;
  /** Null: closed all day. */
  readonly hours: RegularHours | null;
}

export interface Calendar {
  /** @param seconds unix seconds */
  sessionAt(seconds: number): Session;
  /** Unix seconds of the last official close at or before a moment. */
  lastCloseAt(seconds: number): number;
  /** Unix seconds of the next regular opening after a moment. */
  nextOpenAt(seconds: number): number;
}

/** Days of mourning and storms, which no rule foresees. */
export const KNOWN_CLOSURES: readonly Exception[] = [
  { day: "2018-12-05", hours: null },
  { day: "2025-01-09", hours: null },
];

const HOUR = 60;
const PRE_MARKET = 4 * HOUR;
const FULL_DAY: RegularHours = { opens: 9 * HOUR + 30, closes: 16 * HOUR };
const HALF_DAY: RegularHours = { ...FULL_DAY, closes: 13 * HOUR };
/** When late trading ends after an early close; else it lasts until the overnight session. */
const EARLY_POST_MARKET_ENDS = 17 * HOUR;
const OVERNIGHT = 20 * HOUR;
/** How far a neighbouring session is looked for: longer than any break there has been. */
const HORIZON_DAYS = 10;
const DAY_SECONDS = 86_400;

/**
 * @param exceptions of two for one day the later one counts
 * @throws RangeError for an exception that is no day or whose hours do not lie between 04:00 and 20:00
 */
export function createCalendar(exceptions: readonly Exception[] = KNOWN_CLOSURES): Calendar {
  const byDay = new Map(exceptions.map((exception) => [parseDay(exception.day), checked(exception).hours]));
  const hoursOf = (day: number) => {
    const exception = byDay.get(day);
    return exception === undefined ? regularHours(day) : exception;
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

  /** The nearest opening or closing of regular trading that fits, today or further away. */
  function nearest(seconds: number, step: 1 | -1, edge: keyof RegularHours): number {
    const today = dayOf(seconds);
    for (let days = 0; days <= HORIZON_DAYS; days++) {
      const day = today + days * step;
      const hours = hoursOf(day);
      const at = hours ? unixOf(day, hours[edge]) : null;
      if (at !== null && (step === 1 ? at > seconds : at <= seconds)) return at;
    }
    throw new RangeError("The calendar has no trading for too long.");
  }

  return {
    sessionAt,
    lastCloseAt: (seconds) => nearest(seconds, -1, "closes"),
    nextOpenAt: (seconds) => nearest(seconds, 1, "opens"),
  };
}

const standard = createCalendar();

/** The session by the rules and the known closures. @param seconds unix seconds */
export const sessionAt = (seconds: number): Session => standard.sessionAt(seconds);

/** Unix seconds of the last official close at or before a moment, by the rules and the known closures. */
export const lastCloseAt = (seconds: number): number => standard.lastCloseAt(seconds);

/** Unix seconds of the next regular opening after a moment, by the rules and the known closures. */
export const nextOpenAt = (seconds: number): number => standard.nextOpenAt(seconds);

interface Change {
  readonly at: number;
  readonly state: SessionState;
}

function checked(exception: Exception): Exception {
  const { hours, day } = exception;
  if (hours && !(PRE_MARKET <= hours.opens && hours.opens < hours.closes && hours.closes <= OVERNIGHT))
    throw new RangeError(`The hours of ${day} do not lie between 04:00 and 20:00.`);
  return exception;
}

/** Days are counted from 1970-01-01, the local date taken as if it were UTC. */
function dayNumber(year: number, month: number, date: number): number {
  return Date.UTC(year, month - 1, date) / DAY_SECONDS / 1_000;
}

function parseDay(text: string): number {
  const [year = 0, month = 0, date = 0] = /^\d{4}-\d{2}-\d{2}$/.test(text) ? text.split("-").map(Number) : [];
  const day = dayNumber(year, month, date);
  if (dayText(day) !== text) throw new RangeError(`${text} is no day.`);
  return day;
}

/** `YYYY-MM-DD` of a day number. */
function dayText(day: number): string {
  return new Date(day * DAY_SECONDS * 1_000).toISOString().slice(0, 10);
}

/** `YYYY-MM-DD` in New York at a unix second. */
export function newYorkDate(seconds: number): string {
  return dayText(dayOf(seconds));
}

/** The published rules for one day; null: no trading. */
function regularHours(day: number): RegularHours | null {
  const utc = new Date(day * DAY_SECONDS * 1_000);
  const weekday = utc.getUTCDay();
  if (weekday === 0 || weekday === 6) return null;
  const year = utc.getUTCFullYear();
  if (holidaysOf(year).has(day)) return null;
  return earlyClosesOf(year).has(day) ? HALF_DAY : FULL_DAY;
}

function holidaysOf(year: number): Set<number> {
  return memo(holidaySets, year, () => {
    const days = [
      nthWeekday(year, 1, 1, 3), // Martin Luther King, Jr. Day
      nthWeekday(year, 2, 1, 3), // Washington's Birthday
      easterSunday(year) - 2, // Good Friday
      lastMonday(year, 5), // Memorial Day
      observed(dayNumber(year, 7, 4)), // Independence Day
      nthWeekday(year, 9, 1, 1), // Labor Day
      nthWeekday(year, 11, 4, 4), // Thanksgiving Day
      observed(dayNumber(year, 12, 25)), // Christmas Day
    ];
    if (year >= 2022) days.push(observed(dayNumber(year, 6, 19))); // Juneteenth
    // New Year's Day on a Saturday is not made up for: that Friday ends a year of accounts.
    const newYear = dayNumber(year, 1, 1);
    days.push(weekdayOf(newYear) === 0 ? newYear + 1 : newYear);
    return new Set(days);
  });
}

/**
 * The eves of Independence Day and Christmas, and the day after Thanksgiving. An eve on a Friday is itself
 * the holiday, kept for a Saturday, and holidays come first.
 */
function earlyClosesOf(year: number): Set<number> {
  return memo(earlyCloseSets, year, () => {
    const afterThanksgiving = nthWeekday(year, 11, 4, 4) + 1;
    return new Set([dayNumber(year, 7, 3), afterThanksgiving, dayNumber(year, 12, 24)]);
  });
}

/** A holiday on a Saturday is kept on Friday, one on a Sunday on Monday. */
function observed(day: number): number {
  const weekday = weekdayOf(day);
  return weekday === 6 ? day - 1 : weekday === 0 ? day + 1 : day;
}

/** 0 is Sunday. */
function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

function nthWeekday(year: number, month: number, weekday: number, nth: number): number {
  const first = dayNumber(year, month, 1);
  return first + ((weekday - weekdayOf(first) + 7) % 7) + (nth - 1) * 7;
}

function lastMonday(year: number, month: number): number {
  const last = dayNumber(year, month + 1, 1) - 1;
  return last - ((weekdayOf(last) + 6) % 7);
}

/** The Gregorian computus by its usual steps: golden number, corrected epact, the Sunday after the moon. */
function easterSunday(year: number): number {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const skippedLeaps = century - Math.floor(century / 4);
  const moonCorrection = Math.floor((8 * century + 13) / 25);
  const age = (skippedLeaps - moonCorrection + 19 * golden + 15) % 30;
  const lateMoon = age === 29 || (age === 28 && golden > 10) ? age - 1 : age;
  const fullMoon = dayNumber(year, 3, 21) + lateMoon;
  return fullMoon + 7 - weekdayOf(fullMoon);
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
  return memo(offsets, day, () => {
    const hour = Number(NEW_YORK.format((day * DAY_SECONDS + DAY_SECONDS / 2) * 1_000));
    return (hour - 12) * 3_600;
  });
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

const holidaySets = new Map<number, Set<number>>();
const earlyCloseSets = new Map<number, Set<number>>();
const offsets = new Map<number, number>();
const LARGEST_MEMO = 4_000;

/** Calendar facts never change, so they are kept; the bound is for a caller that asks for all of time. */
function memo<T>(known: Map<number, T>, key: number, make: () => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= LARGEST_MEMO) known.clear();
  const made = make();
  known.set(key, made);
  return made;
}
