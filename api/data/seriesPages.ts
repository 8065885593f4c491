/** A part of a series of hours, in JSON or as CSV. */
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
export interface Face<H> {
  /** Its name in CSV. */
  readonly dataset: string;
  /** As the points in JSON. */
  readonly columns: readonly string[];
  readonly units: Readonly<Record<string, string>>;
  readonly points: PointsWriter<H>;
  /** Hours that an answer may have. */
  readonly most: number;
}

export interface Hours<H> {
  /** Oldest first. */
  readonly points: readonly H[];
  /** What each point was computed from, as JSON; undefined: nobody asked. */
  readonly inputs?: readonly string[];
}

export interface Asking<H> {
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
export async function seriesAs<H>(
  { dataset, units, columns, points }: Face<H>,
  { read, question, now, attribution, of, envelope }: Asking<H>,
): Promise<Written> {
  const range = hoursOf(question, now);
  const isCsv = question.window?.format === "csv";
  const named = question.inputs ? [...columns, "inputs"] : columns;
  const parts: string[] = [];
  for (const turn of turnsOf(range, question)) {
    await nextTurn();
    const hours = await read(turn);
    if (hours.points.length === 0) continue;
    const json = points(hours.points, hours.inputs);
    // As JSON has them, so that both forms say the same.
    parts.push(isCsv ? csvLines(named, JSON.parse(array([json])) as Row[]) : json);
  }
  const window = { from: dateTime(range.from), to: dateTime(range.to) };
  if (isCsv) {
    const meta = { dataset, attribution, units, of, window, generated_at: dateTime(now) };
    return csvOf(meta, named, parts.join(""));
  }
  return { text: envelope(array(parts), isPlain(question) ? [] : windowMembers(window)) };
}

const HOUR = 3_600;
/** Hours that are read and written in a few milliseconds: without inputs the 90 days that an endpoint takes at most. */
const HOURS_A_TURN = { plain: 90 * 24, withInputs: 10 * 24 };

/** Parts of a range, oldest first. */
function turnsOf({ from, to }: Range, { inputs = false }: SeriesQuestion): Range[] {
  const length = (inputs ? HOURS_A_TURN.withInputs : HOURS_A_TURN.plain) * HOUR;
  const turns: Range[] = [];
  for (let start = from; start < to; start += length)
    turns.push({ from: start, to: Math.min(start + length, to) });
  return turns;
}
