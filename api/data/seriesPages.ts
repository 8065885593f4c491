/** Parts of a series by a window: a page in JSON, a list in another form, or all of it piece by piece. */
import { z } from "zod";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Range } from "../../market/queries.ts";
import { CONTENT_TYPES, type ListMeta, listAs, type Row, streamAs, type TextFormat } from "./formats.ts";
import { dateTime } from "./json.ts";
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
  /** undefined: the hours that `days` says, as ever. */
  readonly window?: Window<number> | undefined;
  /** What its points show beside their figures; undefined: nothing. */
  readonly details?: Details | undefined;
}

/** Reads hours of a series, oldest first, at most so many. */
type Read<H> = (range: Range, limit: number) => Promise<readonly H[]>;
export type Asked = SeriesQuestion & { readonly window: Window<number> };

interface Page<H> {
  readonly hours: readonly H[];
  /** Which hours were asked for, on whichever page. */
  readonly range: Range;
  readonly next: string | null;
}

/** @param size of a page where the question names none */
async function seriesPage<H extends { readonly hour: UnixSeconds }>(
  { read, question: { days, window }, now }: Asking<H>,
  size: number,
): Promise<Page<H>> {
  const range = windowHours(window, days, now);
  const limit = window.limit ?? size;
  const { page, next } = pageOf(
    await read(afterPlace(range, window.after), limit + 1),
    limit,
    ({ hour }) => hour,
  );
  return { hours: page, range, next };
}

const afterPlace = ({ from, to }: Range, after: UnixSeconds | undefined): Range => ({
  from: after === undefined ? from : Math.max(from, after + HOUR),
  to,
});

/** What the answer in JSON says of a page, beside its points. */
const pageMembers = ({ range, next }: Page<unknown>): [string, string][] => [
  ["from", JSON.stringify(dateTime(range.from))],
  ["to", JSON.stringify(dateTime(range.to))],
  ["next_cursor", JSON.stringify(next)],
];

/** How the hours of a series are served. */
export interface Face<H> {
  /** Its name in lists. */
  readonly dataset: string;
  /** As the points in JSON. */
  readonly columns: readonly string[];
  readonly units: Readonly<Record<string, string>>;
  /** The points, as JSON. */
  readonly points: (hours: readonly H[]) => string;
  /** Hours of a page where nobody says how many, and the most that one may have. */
  readonly size: number;
  readonly most: number;
  /** Lists in other forms have no end of their own. */
  readonly streams: boolean;
}

export interface Asking<H> {
  readonly read: Read<H>;
  readonly question: Asked;
  readonly now: UnixSeconds;
  readonly attribution: string;
  /** Of which series. */
  readonly of: NonNullable<ListMeta["of"]>;
  /** The answer in JSON. */
  readonly envelope: (points: string, more: readonly [string, string][]) => string;
}

/** @throws DatabaseUnavailable, of what is written piece by piece also from within */
export async function seriesAs<H extends { readonly hour: UnixSeconds }>(
  face: Face<H>,
  asking: Asking<H>,
): Promise<Written> {
  const { format, limit } = asking.question.window;
  if (format !== "json" && face.streams && limit === undefined) return wholeSeries(format, face, asking);
  const page = await seriesPage(asking, face.size);
  const { hours, range, next } = page;
  if (format === "json") return { text: asking.envelope(face.points(hours), pageMembers(page)), next };
  const meta = metaOf(face, asking, range, next);
  return { ...listAs(format, meta, face.columns, rowsOf(face, hours)), next };
}

/** All hours of a window; where they are many they are read and written some at a time. */
async function wholeSeries<H extends { readonly hour: UnixSeconds }>(
  format: TextFormat,
  face: Face<H>,
  asking: Asking<H>,
): Promise<Written> {
  const { question, read, now } = asking;
  const range = windowHours(question.window, question.days, now);
  const from = (after: UnixSeconds | undefined) => read(afterPlace(range, after), READ_AT_ONCE);
  const first = await from(question.window.after);
  const meta = metaOf(face, asking, range, null);
  if (first.length < READ_AT_ONCE)
    return { ...listAs(format, meta, face.columns, rowsOf(face, first)), next: null };
  const batches = (async function* () {
    for (let hours = first; ; hours = await from(hours.at(-1)?.hour)) {
      yield rowsOf(face, hours);
      if (hours.length < READ_AT_ONCE) return;
    }
  })();
  const pieces = streamAs(format, meta, face.columns, batches);
  return { pieces, contentType: CONTENT_TYPES[format], next: null };
}

/** As JSON has them, so that every form says the same. */
const rowsOf = <H>({ points }: Face<H>, hours: readonly H[]) => JSON.parse(points(hours)) as Row[];

const metaOf = <H>(
  { dataset, units }: Face<H>,
  { attribution, of, now }: Asking<H>,
  range: Range,
  next: string | null,
): ListMeta => ({
  ...{ dataset, attribution, units, of },
  window: { from: dateTime(range.from), to: dateTime(range.to) },
  generated_at: dateTime(now),
  next_cursor: next,
});
