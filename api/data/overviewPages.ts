/** Parts of the totals of days, in whichever form. */
import { z } from "zod";
import { dailyTotals, firstDayOfTotals } from "../../market/queries.ts";
import { type ListMeta, listAs, type Row } from "./formats.ts";
import { dateTime, daySeries } from "./json.ts";
import { DayTotal } from "./schemas.ts";
import { dayOf, liveTotalsText, type More, overviewText, type SeriesDeps, secondsOf } from "./seriesTexts.ts";
import { cursorOf, type Window } from "./windows.ts";
import type { Written } from "./written.ts";

const DAY = 86_400;
/** Days of a page, and the most that one may have. */
export const DAYS_IN_PAGE = 365;

export const TOTAL_UNITS = {
  day: "UTC, as of the midnight that ends it",
  vol: "US dollars, 24 hours",
  liq: "US dollars",
};

/** Where a page begins: YYYY-MM-DD. */
export const DayPlace = z.iso.date();

export interface OverviewQuestion {
  readonly days: number;
  readonly window: Window<string>;
}

/** Midnights, unix seconds; the end is exclusive. Of a window without a beginning `days` say it. */
function rangeOf({ days, window: { from, to } }: OverviewQuestion, now: number) {
  const midnight = (seconds: number) => Math.ceil(seconds / DAY) * DAY;
  // The newest day is the one that ended last.
  const end = to === undefined ? Math.floor(now / DAY) * DAY : midnight(to);
  return { from: from === undefined ? end - days * DAY : midnight(from), to: end };
}

const moreOf = ({ from, to }: { from: number; to: number }, next: string | null): More => [
  ["from", JSON.stringify(dateTime(from))],
  ["to", JSON.stringify(dateTime(to))],
  ["next_cursor", JSON.stringify(next)],
];

/** @throws DatabaseUnavailable @param assetCount how many tokens are listed; null: what is live is not asked for */
export async function overviewWindow(
  deps: SeriesDeps,
  attribution: string,
  question: OverviewQuestion,
  assetCount: number,
): Promise<Written> {
  const { limit = DAYS_IN_PAGE, after, format } = question.window;
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
  if (format === "json") {
    const live = await liveTotalsText(deps, assetCount);
    const text = overviewText(attribution, question.days, daySeries(totals), live, moreOf(range, next));
    return { text, next };
  }
  return { ...overviewList(deps, attribution, question, next, daySeries(totals)), next };
}

/** What is known of a window while the database is away. */
export function emptyOverview(deps: SeriesDeps, attribution: string, question: OverviewQuestion): Written {
  if (question.window.format !== "json")
    return { ...overviewList(deps, attribution, question, null, "[]"), next: null };
  const more = moreOf(rangeOf(question, secondsOf(deps)), null);
  return { text: overviewText(attribution, question.days, "[]", "null", more), next: null };
}

function overviewList(
  deps: SeriesDeps,
  attribution: string,
  question: OverviewQuestion,
  next: string | null,
  series: string,
): { text: string; contentType: string } {
  const { from, to } = rangeOf(question, secondsOf(deps));
  const meta: ListMeta = {
    dataset: "market-overview",
    attribution,
    units: TOTAL_UNITS,
    window: { from: dateTime(from), to: dateTime(to) },
    generated_at: dateTime(secondsOf(deps)),
    next_cursor: next,
  };
  const format = question.window.format === "csv" ? "csv" : "ndjson";
  return listAs(format, meta, Object.keys(DayTotal.shape), JSON.parse(series) as Row[]);
}
