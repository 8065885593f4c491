/** The totals of days, in JSON or as CSV. */
import { dailyTotals } from "../../market/queries.ts";
import { csvLines, csvOf, type Row } from "./formats.ts";
import { dateTime, daySeries } from "./json.ts";
import { DayTotal } from "./schemas.ts";
import {
  dayOf,
  liveTotalsText,
  overviewText,
  type SeriesDeps,
  secondsOf,
  windowMembers,
} from "./seriesTexts.ts";
import type { HistoryQuestion } from "./windows.ts";
import type { Written } from "./written.ts";

const DAY = 86_400;
/** Days that an answer may have. */
export const MOST_DAYS = 365;

/** Midnights, unix seconds; the end is exclusive. Of a window without a beginning `days` say it. */
function rangeOf({ days, window }: HistoryQuestion, now: number) {
  const midnight = (seconds: number) => Math.ceil(seconds / DAY) * DAY;
  // The newest day is the one that ended last.
  const end = window?.to === undefined ? Math.floor(now / DAY) * DAY : midnight(window.to);
  return { from: window?.from === undefined ? end - days * DAY : midnight(window.from), to: end };
}

/** @throws DatabaseUnavailable @param assetCount how many tokens are listed */
export async function overviewWritten(
  deps: SeriesDeps,
  attribution: string,
  question: HistoryQuestion,
  assetCount: number,
): Promise<Written> {
  const { from, to } = rangeOf(question, secondsOf(deps));
  const totals = from < to ? await dailyTotals(deps.db, dayOf(from), dayOf(to - DAY)) : [];
  const live = question.window?.format === "csv" ? "null" : await liveTotalsText(deps, assetCount);
  return written(deps, attribution, question, { series: daySeries(totals), live });
}

/** What is known while the database is away. */
export const emptyOverview = (deps: SeriesDeps, attribution: string, question: HistoryQuestion): Written =>
  written(deps, attribution, question, { series: "[]", live: "null" });

function written(
  deps: SeriesDeps,
  attribution: string,
  question: HistoryQuestion,
  { series, live }: { series: string; live: string },
): Written {
  const range = rangeOf(question, secondsOf(deps));
  const window = { from: dateTime(range.from), to: dateTime(range.to) };
  if (question.window?.format === "csv") {
    const columns = Object.keys(DayTotal.shape);
    return csvOf({ attribution, window }, columns, csvLines(columns, JSON.parse(series) as Row[]));
  }
  const more = question.window === undefined ? [] : windowMembers(window);
  return { text: overviewText(attribution, question.days, series, live, more) };
}
