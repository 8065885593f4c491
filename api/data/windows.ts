/**
 * Windows: which hours or days of a history are asked for, and in which form. What cannot be read is never taken for
 * another window without a word: an endpoint with a key refuses it, a public one names it in a header.
 */
import { z } from "zod";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Range } from "../../market/queries.ts";
import { Problem } from "../http/problems.ts";
import { FORMATS, type Format } from "./formats.ts";
import { MOMENT_WORDS } from "./query.ts";

const HOUR = 3_600;
const DAY = 86_400;

export interface Window {
  /** Inclusive; undefined: by the question's `days`. */
  readonly from: UnixSeconds | undefined;
  /** Exclusive; undefined: up to now. */
  readonly to: UnixSeconds | undefined;
  readonly format: Format;
}

/** Which part of a history is asked for; without a window the answer is kept for all who ask. */
export interface HistoryQuestion {
  readonly days: number;
  readonly window?: Window | undefined;
}

export const raw = (description: string, override: Record<string, unknown>) =>
  z.unknown().optional().meta({ description, override });

const moment = (description: string) =>
  raw(`${description}: a date or a date-time, UTC`, {
    anyOf: [
      { type: "string", format: "date" },
      { type: "string", format: "date-time" },
    ],
  });

/** @param most how long a window may be: `90 days` */
export const windowParameters = (most: string) => ({
  from: moment(
    `Only what starts then or later, at most ${most} before \`to\`; without it \`days\` before \`to\``,
  ),
  to: moment("Only what starts before then; up to now without it"),
  format: raw("`csv` (RFC 4180; its first line names the members of a point) or `json`, by default", {
    type: "string",
    enum: [...FORMATS],
  }),
});

const MOMENT = z.union([z.iso.date(), z.iso.datetime()]);
/** Unix seconds of a date or a date-time, UTC; a part of a second counts as a whole one. */
export const secondOf = (text: string | null | undefined) =>
  text == null ? undefined : Math.ceil(Date.parse(text) / 1_000);

const PARTS = {
  from: { is: MOMENT, must: MOMENT_WORDS },
  to: { is: MOMENT, must: MOMENT_WORDS },
  format: { is: z.enum(FORMATS), must: `one of ${FORMATS.join(", ")}` },
} as const;
type Part = keyof typeof PARTS;
const NAMES = Object.keys(PARTS) as Part[];

export type RawWindow = { readonly [Name in Part]?: unknown };

interface WindowRead {
  /** undefined: nothing was asked for that could be read. */
  readonly window: Window | undefined;
  /** Names of what could not be read. */
  readonly malformed: readonly Part[];
}

export function readWindow(given: RawWindow): WindowRead {
  const malformed: Part[] = [];
  const read: Partial<Record<Part, string>> = {};
  for (const name of NAMES) {
    const value = given[name];
    if (value === undefined) continue;
    if (PARTS[name].is.safeParse(value).success) read[name] = String(value);
    else malformed.push(name);
  }
  if (Object.keys(read).length === 0) return { window: undefined, malformed };
  const window = {
    from: secondOf(read.from),
    to: secondOf(read.to),
    format: (read.format ?? "json") as Format,
  };
  return { window, malformed };
}

/** As `readWindow`. @throws Problem `invalid_request` that names what cannot be read */
export function windowOf(given: RawWindow): Window | undefined {
  const { window, malformed } = readWindow(given);
  if (malformed.length === 0) return window;
  throw refusal(malformed.map((name) => ({ path: name, message: `must be ${PARTS[name].must}` })));
}

/** @param errors what is wrong with which parameter */
export const refusal = (errors: readonly { readonly path: string; readonly message: string }[]): Problem =>
  new Problem("invalid_request", "the input is not valid; see errors", { errors });

/** Seconds from the beginning of what is asked for to its end. */
export const lengthOf = ({ days, window }: HistoryQuestion, now: UnixSeconds): number =>
  window?.from === undefined ? days * DAY : (window.to ?? now) - window.from;

/** @param hours that an answer may have @throws Problem `window_too_long` */
export function refuseLong(question: HistoryQuestion, hours: number, now: UnixSeconds): void {
  if (lengthOf(question, now) > hours * HOUR)
    throw new Problem(
      "window_too_long",
      `an answer of this kind has at most ${hours} hours: ask for several windows`,
    );
}

/** `days` back from now: so many days of hours, the running one included. @param now unix seconds */
export function hoursBack(days: number, now: number): Range {
  const to = Math.floor(now / HOUR) * HOUR + HOUR;
  return { from: to - days * DAY, to };
}

/** Of a window that has no beginning `days` say it, back from its end. */
export function hoursOf({ days, window }: HistoryQuestion, now: UnixSeconds): Range {
  const end = window?.to ?? hoursBack(days, now).to;
  return { from: window?.from ?? end - days * DAY, to: end };
}

/** Names in a header; longer ones are cut. */
const MOST_NAMES = 10;
const LONGEST_NAME = 40;

/** What is in a query that nobody reads, as a header; nothing where all of it is read. */
export function ignoredHeader(names: readonly string[]): Record<string, string> {
  if (names.length === 0) return {};
  const encoded = names.slice(0, MOST_NAMES).map((name) => encodeURIComponent(name.toWellFormed()));
  const cut = encoded.map((name) =>
    name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}...` : name,
  );
  return { "Ignored-Parameters": [...cut, ...(names.length > MOST_NAMES ? ["..."] : [])].join(", ") };
}

/** Names in a query that its schema does not know. */
export const unknownIn = (given: object, { shape }: z.ZodObject): string[] =>
  Object.keys(given).filter((name) => !Object.hasOwn(shape, name));
