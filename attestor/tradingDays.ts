/**
 * Which days the US stock market trades on, and from when to when, in New York time: NYSE's published rules.
 *
 * Holidays and half-days follow from the rules in force since 2013 (Juneteenth since 2022); closures
 * that no rule knows are exceptions.
 */
import { memo } from "./memo.ts";

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
  /** What the exchange calls it; null: it has no name. */
  readonly name?: string | null;
}

/** Days of mourning and storms, which no rule foresees. */
export const KNOWN_CLOSURES: readonly Exception[] = [
  { day: "2018-12-05", hours: null, name: "National Day of Mourning" },
  { day: "2025-01-09", hours: null, name: "National Day of Mourning" },
];

const HOUR = 60;
export const FULL_DAY: RegularHours = { opens: 9 * HOUR + 30, closes: 16 * HOUR };
const HALF_DAY: RegularHours = { ...FULL_DAY, closes: 13 * HOUR };
export const DAY_SECONDS = 86_400;

/** Days are counted from 1970-01-01, the local date taken as if it were UTC. */
function dayNumber(year: number, month: number, date: number): number {
  return Date.UTC(year, month - 1, date) / DAY_SECONDS / 1_000;
}

/** @throws RangeError for a text that is no day */
export function parseDay(text: string): number {
  const [year = 0, month = 0, date = 0] = /^\d{4}-\d{2}-\d{2}$/.test(text) ? text.split("-").map(Number) : [];
  const day = dayNumber(year, month, date);
  if (dayText(day) !== text) throw new RangeError(`${text} is no day.`);
  return day;
}

/** `YYYY-MM-DD` of a day number. */
export function dayText(day: number): string {
  return new Date(day * DAY_SECONDS * 1_000).toISOString().slice(0, 10);
}

/** The published rules for one day; null: no trading. @param day as `parseDay` counts it */
export function regularHours(day: number): RegularHours | null {
  const utc = new Date(day * DAY_SECONDS * 1_000);
  const weekday = utc.getUTCDay();
  if (weekday === 0 || weekday === 6) return null;
  const year = utc.getUTCFullYear();
  if (holidaysOf(year).has(day)) return null;
  return earlyClosesOf(year).has(day) ? HALF_DAY : FULL_DAY;
}

/** The holiday of a weekday, or why it closes early; null: it is a day like others. @param day as `parseDay` counts it */
export function nameOf(day: number): string | null {
  const year = new Date(day * DAY_SECONDS * 1_000).getUTCFullYear();
  return holidaysOf(year).get(day) ?? earlyClosesOf(year).get(day) ?? null;
}

/** Names are the exchange's. */
function holidaysOf(year: number): ReadonlyMap<number, string> {
  return memo(holidays, year, () => {
    const newYear = dayNumber(year, 1, 1);
    return new Map([
      // New Year's Day on a Saturday is not made up for: that Friday ends a year of accounts.
      [weekdayOf(newYear) === 0 ? newYear + 1 : newYear, "New Year's Day"],
      [nthWeekday(year, 1, 1, 3), "Martin Luther King, Jr. Day"],
      [nthWeekday(year, 2, 1, 3), "Washington's Birthday"],
      [easterSunday(year) - 2, "Good Friday"],
      [lastMonday(year, 5), "Memorial Day"],
      ...(year >= 2022
        ? ([[observed(dayNumber(year, 6, 19)), "Juneteenth National Independence Day"]] as const)
        : []),
      [observed(dayNumber(year, 7, 4)), "Independence Day"],
      [nthWeekday(year, 9, 1, 1), "Labor Day"],
      [nthWeekday(year, 11, 4, 4), "Thanksgiving Day"],
      [observed(dayNumber(year, 12, 25)), "Christmas Day"],
    ]);
  });
}

/**
 * The eves of Independence Day and Christmas, and the day after Thanksgiving. An eve on a Friday is itself
 * the holiday, kept for a Saturday, and holidays come first.
 */
function earlyClosesOf(year: number): ReadonlyMap<number, string> {
  return memo(earlyCloses, year, () => {
    const afterThanksgiving = nthWeekday(year, 11, 4, 4) + 1;
    return new Map([
      [dayNumber(year, 7, 3), "Day before Independence Day"],
      [afterThanksgiving, "Day after Thanksgiving"],
      [dayNumber(year, 12, 24), "Christmas Eve"],
    ]);
  });
}

/** A holiday on a Saturday is kept on Friday, one on a Sunday on Monday. */
function observed(day: number): number {
  const weekday = weekdayOf(day);
  if (weekday === 6) return day - 1;
  return weekday === 0 ? day + 1 : day;
}

/** 0 is Sunday. */
export function weekdayOf(day: number): number {
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

const holidays = new Map<number, ReadonlyMap<number, string>>();
const earlyCloses = new Map<number, ReadonlyMap<number, string>>();
