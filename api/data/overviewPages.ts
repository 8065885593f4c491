/** Parts of the totals of days, in whichever form. */
import { z } from "zod";
import { dailyTotals, firstDayOfTotals } from "../../market/queries.ts";
import type { Row } from "./formats.ts";
import { dateTime, daySeries } from "./json.ts";
import { DayTotal } from "./schemas.ts";
import {
  dayOf,
  liveTotalsText,
  overviewText,
  pageMembers,
  type SeriesDeps,
  secondsOf,
} from "./seriesTexts.ts";
import { cursorOf, type Window } from "./windows.ts";
import { listWritten, type Written } from "./written.ts";

const DAY = 86_400;
/** Days of a page, and the most that one may have. */
export const DAYS_IN_PAGE = 365;

const TOTAL_UNITS = {
  day: "UTC, as of the midnight that ends it",
  vol: "US dollars, 24 hours",
  liq: "US dollars",
};

/** Where a page begins: YYYY-MM-DD. */
export const DayPlace = z.iso.date();

/** What of the totals is asked for; without a window the answer says nothing of pages, and is kept for all who ask. */
export interface OverviewQuestion {
  readonly days: number;
  readonly window?: Window<string> | undefined;
}

/** Midnights, unix seconds; the end is exclusive. Of a window without a beginning `days` say it. */
function rangeOf({ days, window }: OverviewQuestion, now: number) {
  const { from, to }: Partial<Window<string>> = window ?? {};
  const midnight = (seconds: number) => Math.ceil(seconds / DAY) * DAY;
  // The newest day is the one that ended last.
  const end = to === undefined ? Math.floor(now / DAY) * DAY : midnight(to);
  return { from: from === undefined ? end - days * DAY : midnight(from), to: end };
}

/** @throws DatabaseUnavailable @param assetCount how many tokens are listed */
export async function overviewWritten(
  deps: SeriesDeps,
  attribution: string,
  question: OverviewQuestion,
  assetCount: number,
): Promise<Written> {
  const { limit = DAYS_IN_PAGE, after, format = "json" }: Partial<Window<string>> = question.window ?? {};
  const range = rangeOf(question, secondsOf(deps));
  const toDay = dayOf(range.to);
  const firstFrom = async (day: string) => {
    const found = day < toDay ? await firstDayOfTotals(deps.db, day) : null;
    return found !== null && found < toDay ? found : null;
  };
  const wanted = dayOf(range.from);
  const first = await firstFrom(after !== undefined && after > wanted ? after : wanted);
  const end = first === null ? range.to : Math.min(range.to, Date.parse(first) / 1_000 + limit * DAY);
  const totals = first === null ? [] : await dailyTotals(deps.db, first, dayOf(end - DAY));
  const nextDay = first === null ? null : await firstFrom(dayOf(end));
  const next = nextDay === null ? null : cursorOf(nextDay);
  const live = format === "json" ? await liveTotalsText(deps, assetCount) : "null";
  return written(deps, attribution, question, { series: daySeries(totals), live, next });
}

/** What is known while the database is away. */
export const emptyOverview = (deps: SeriesDeps, attribution: string, question: OverviewQuestion): Written =>
  written(deps, attribution, question, { series: "[]", live: "null", next: null });

function written(
  deps: SeriesDeps,
  attribution: string,
  question: OverviewQuestion,
  { series, live, next }: { series: string; live: string; next: string | null },
): Written {
  const { days, window } = question;
  const now = secondsOf(deps);
  const range = rangeOf(question, now);
  const [from, to] = [dateTime(range.from), dateTime(range.to)];
  const more = window === undefined ? [] : pageMembers(from, to, next);
  return listWritten(
    window?.format ?? "json",
    { dataset: "market-overview", attribution, units: TOTAL_UNITS, window: { from, to }, now },
    Object.keys(DayTotal.shape),
    next,
    () => JSON.parse(series) as Row[],
    () => overviewText(attribution, days, series, live, more),
  );
}
