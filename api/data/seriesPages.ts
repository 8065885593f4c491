/** Parts of a series by a window: a page in JSON, a list in another form, or all of it piece by piece. */
import { z } from "zod";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Range } from "../../market/queries.ts";
import { CONTENT_TYPES, type ListMeta, listAs, type Row, streamAs, type TextFormat } from "./formats.ts";
import { dateTime } from "./json.ts";
import { type More, pageMembers } from "./seriesTexts.ts";
import { pageOf, type Window, windowHours } from "./windows.ts";
import type { Written } from "./written.ts";

const HOUR = 3_600;
/** Hours that are read at once where a list has no end of its own. */
const READ_AT_ONCE = 2_000;

/** Where a page of a series begins: after this hour, unix seconds. */
export const HourPlace = z.int().min(0).max(4_102_444_800);

/** What points show beside their figures. */
export interface Details {
  readonly inputs: boolean;
  readonly proof: boolean;
}

/** What of a series is asked for. */
export interface SeriesQuestion {
  readonly days: number;
  /** undefined: the hours that `days` says. */
  readonly window?: Window<number> | undefined;
  /** What its points show beside their figures; undefined: nothing. */
  readonly details?: Details | undefined;
}

const NO_WINDOW: Window<number> = {
  ...{ from: undefined, to: undefined, limit: undefined, after: undefined },
  format: "json",
};

/** Of neither a window nor details: the answer says nothing of pages, and is kept for all who ask. */
export const isPlain = ({ window, details }: SeriesQuestion): boolean =>
  window === undefined && details === undefined;

const afterPlace = ({ from, to }: Range, after: UnixSeconds | undefined): Range => ({
  from: after === undefined ? from : Math.max(from, after + HOUR),
  to,
});

/** How the hours of a series are served. */
export interface Face<H> {
  /** Its name in lists. */
  readonly dataset: string;
  /** As the points in JSON. */
  readonly columns: readonly string[];
  readonly units: Readonly<Record<string, string>>;
  readonly points: (hours: readonly H[]) => string;
  /** Hours of a page where nobody says how many, and the most that one may have. */
  readonly size: number;
  readonly most: number;
  /** Lists in other forms have no end of their own. */
  readonly streams: boolean;
}

export interface Asking<H> {
  /** Reads hours, oldest first, at most so many. */
  readonly read: (range: Range, limit: number) => Promise<readonly H[]>;
  readonly question: SeriesQuestion;
  readonly now: UnixSeconds;
  readonly attribution: string;
  /** Of which series. */
  readonly of: NonNullable<ListMeta["of"]>;
  /** The answer in JSON. */
  readonly envelope: (points: string, more: More) => string;
}

/** @throws DatabaseUnavailable, of what is written piece by piece also from within */
export async function seriesAs<H extends { readonly hour: UnixSeconds }>(
  face: Face<H>,
  { read, question, now, attribution, of, envelope }: Asking<H>,
): Promise<Written> {
  const { dataset, units, columns } = face;
  const window = question.window ?? NO_WINDOW;
  const { format, after } = window;
  const range = windowHours(window, question.days, now);
  const [from, to] = [dateTime(range.from), dateTime(range.to)];
  const metaOf = (next: string | null): ListMeta => ({
    ...{ dataset, attribution, units, of, window: { from, to } },
    ...{ generated_at: dateTime(now), next_cursor: next },
  });
  if (format !== "json" && face.streams && window.limit === undefined)
    return wholeSeries(format, face, metaOf(null), (place) =>
      read(afterPlace(range, place ?? after), READ_AT_ONCE),
    );
  const limit = window.limit ?? face.size;
  const hours = await read(afterPlace(range, after), limit + 1);
  const { page, next } = pageOf(hours, limit, ({ hour }) => hour);
  if (format !== "json") return { ...listAs(format, metaOf(next), columns, rowsOf(face, page)), next };
  const more = isPlain(question) ? [] : pageMembers(from, to, next);
  return { text: envelope(face.points(page), more), next };
}

/**
 * All hours of a window; where they are many they are read and written some at a time.
 * @param read after an hour, from the beginning without one
 */
async function wholeSeries<H extends { readonly hour: UnixSeconds }>(
  format: TextFormat,
  face: Face<H>,
  meta: ListMeta,
  read: (after?: UnixSeconds) => Promise<readonly H[]>,
): Promise<Written> {
  const first = await read();
  if (first.length < READ_AT_ONCE)
    return { ...listAs(format, meta, face.columns, rowsOf(face, first)), next: null };
  const batches = (async function* () {
    for (let hours = first; ; hours = await read(hours.at(-1)?.hour)) {
      yield rowsOf(face, hours);
      if (hours.length < READ_AT_ONCE) return;
    }
  })();
  const pieces = streamAs(format, meta, face.columns, batches);
  return { pieces, contentType: CONTENT_TYPES[format], next: null };
}

/** As JSON has them, so that every form says the same. */
const rowsOf = <H>({ points }: Face<H>, hours: readonly H[]) => JSON.parse(points(hours)) as Row[];
