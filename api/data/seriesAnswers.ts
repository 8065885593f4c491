/** Answers about a series of hours, in JSON or as CSV: read and written part by part. */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Range } from "../../market/queries.ts";
import { nextTurn } from "../http/turns.ts";
import { csvLines, csvOf, type HistoryMeta, type Row } from "./formats.ts";
import { array, dateTime, type PointsWriter } from "./json.ts";
import { type More, windowMembers } from "./seriesTexts.ts";
import { type HistoryQuestion, hoursOf } from "./windows.ts";
import type { Written } from "./written.ts";

/** What of a series is asked for. */
export interface SeriesQuestion extends HistoryQuestion {
  /** Whether points say what they were computed from. */
  readonly inputs?: boolean;
}

/** Of neither a window nor inputs: the answer says nothing of a window, and is kept for all who ask. */
export const isPlain = ({ window, inputs = false }: SeriesQuestion): boolean =>
  window === undefined && !inputs;

/** How the hours of a series are served. */
export interface Dataset<H> {
  /** Members of a point in JSON, in their order. */
  readonly columns: readonly string[];
  readonly writePoints: PointsWriter<H>;
  /** Hours that an answer may have. */
  readonly mostHours: number;
}

export interface Hours<H> {
  /** Oldest first. */
  readonly points: readonly H[];
  /** What each point was computed from, as JSON; undefined: nobody asked. */
  readonly inputs?: readonly string[];
}

export interface SeriesRequest<H> {
  readonly read: (range: Range) => Promise<Hours<H>>;
  readonly question: SeriesQuestion;
  readonly now: UnixSeconds;
  readonly attribution: string;
  /** Of which series. */
  readonly of: NonNullable<HistoryMeta["of"]>;
  /** The answer in JSON. */
  readonly envelope: (points: string, more: More) => string;
}

/** @throws DatabaseUnavailable */
export async function writeSeries<H>(
  { columns, writePoints }: Dataset<H>,
  { read, question, now, attribution, of, envelope }: SeriesRequest<H>,
): Promise<Written> {
  const range = hoursOf(question, now);
  const isCsv = question.window?.format === "csv";
  const csvColumns = question.inputs ? [...columns, "inputs"] : columns;
  const parts: string[] = [];
  for (const part of partsOf(range, question)) {
    await nextTurn();
    const { points, inputs } = await read(part);
    if (points.length === 0) continue;
    const json = writePoints(points, inputs);
    // CSV is made from the JSON, so that both forms say the same.
    parts.push(isCsv ? csvLines(csvColumns, JSON.parse(array([json])) as Row[]) : json);
  }
  const window = { from: dateTime(range.from), to: dateTime(range.to) };
  if (isCsv) return csvOf({ attribution, of, window }, csvColumns, parts.join(""));
  return { text: envelope(array(parts), isPlain(question) ? [] : windowMembers(window)) };
}

const HOUR = 3_600;
/** Hours that are read and written in a few milliseconds: without inputs the 90 days that an endpoint takes at most. */
const HOURS_A_PART = { plain: 90 * 24, withInputs: 10 * 24 };

/** Oldest first. */
function partsOf({ from, to }: Range, { inputs = false }: SeriesQuestion): Range[] {
  const length = (inputs ? HOURS_A_PART.withInputs : HOURS_A_PART.plain) * HOUR;
  const parts: Range[] = [];
  for (let start = from; start < to; start += length)
    parts.push({ from: start, to: Math.min(start + length, to) });
  return parts;
}
