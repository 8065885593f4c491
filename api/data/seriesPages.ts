/** A part of a series of hours, in JSON or as CSV. */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Range } from "../../market/queries.ts";
import { csvOf, type HistoryMeta, type Row } from "./formats.ts";
import { dateTime } from "./json.ts";
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
  readonly points: (hours: readonly H[]) => string;
  /** Hours that an answer may have. */
  readonly most: number;
}

export interface Asking<H> {
  /** Reads hours, oldest first. */
  readonly read: (range: Range) => Promise<readonly H[]>;
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
  const text = points(await read(range));
  const window = { from: dateTime(range.from), to: dateTime(range.to) };
  if (question.window?.format === "csv") {
    const meta = { dataset, attribution, units, of, window, generated_at: dateTime(now) };
    const all = question.inputs ? [...columns, "inputs"] : columns;
    // As JSON has them, so that both forms say the same.
    return csvOf(meta, all, JSON.parse(text) as Row[]);
  }
  return { text: envelope(text, isPlain(question) ? [] : windowMembers(window)) };
}
