/**
 * Windows and pages: which part of a series or list is asked for, and in which form. What cannot be read is never taken
 * for another window without a word: an endpoint with a key refuses it, a public one names it in a header.
 */
import { z } from "zod";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Range } from "../../market/queries.ts";
import { Problem } from "../http/problems.ts";
import { FORMATS, type Format } from "./formats.ts";

/** @template P where a page begins, as its cursor says */
export interface Window<P> {
  /** Inclusive; undefined: by the question's `days`, or from the first on. */
  readonly from: UnixSeconds | undefined;
  /** Exclusive; undefined: up to now. */
  readonly to: UnixSeconds | undefined;
  /** undefined: a page of the usual size, or in other formats as much as there is. */
  readonly limit: number | undefined;
  readonly after: P | undefined;
  readonly format: Format;
}

const LONGEST_CURSOR = 200;
export const raw = (description: string, override: Record<string, unknown> = { type: "string" }) =>
  z.unknown().optional().meta({ description, override });

const moment = (description: string) =>
  raw(`${description}: a date or a date-time, UTC`, {
    anyOf: [
      { type: "string", format: "date" },
      { type: "string", format: "date-time" },
    ],
  });

/** @param what is in a page: `hours` @param most of them */
export const pageParameters = (what: string, most: number) => ({
  limit: raw(`At most so many ${what} in a page, up to ${most}`, {
    type: "integer",
    minimum: 1,
    maximum: most,
  }),
  cursor: raw("Where the page begins: `next_cursor` of the page before", {
    type: "string",
    maxLength: LONGEST_CURSOR,
  }),
  format: raw(
    '`csv` (RFC 4180) begins with lines of `#`: attribution, licence, units, window; `ndjson` with a line `{"meta": …}`. `json` by default',
    { type: "string", enum: [...FORMATS] },
  ),
});

export const windowParameters = (what: string, most: number, fromWithout: string) => ({
  from: moment(`Only what starts then or later; without it ${fromWithout}`),
  to: moment("Only what starts before then; up to now without it"),
  ...pageParameters(what, most),
});

const MOMENT = z.union([z.iso.date(), z.iso.datetime()]);
/** Unix seconds of a date or a date-time, UTC; a part of a second counts as a whole one. */
export const secondOf = (text: string | null | undefined) =>
  text == null ? undefined : Math.ceil(Date.parse(text) / 1_000);

const PARTS = {
  from: { is: MOMENT, must: "a date or a date-time, UTC, such as 2026-11-25 or 2026-11-25T14:00:00Z" },
  to: { is: MOMENT, must: "a date or a date-time, UTC, such as 2026-11-25 or 2026-11-25T14:00:00Z" },
  limit: { is: z.string().regex(/^[1-9][0-9]{0,5}$/), must: "a whole number from 1 to" },
  cursor: { is: z.string().max(LONGEST_CURSOR), must: "the next_cursor of another page" },
  format: { is: z.enum(FORMATS), must: `one of ${FORMATS.join(", ")}` },
} as const;
type Part = keyof typeof PARTS;
const NAMES = Object.keys(PARTS) as Part[];

export type RawWindow = { readonly [Name in Part]?: unknown };

export interface WindowRead<P> {
  /** undefined: nothing was asked for that could be read. */
  readonly window: Window<P> | undefined;
  /** Names of what could not be read. */
  readonly malformed: readonly Part[];
}

/** @param place what a cursor holds @param most rows that a page may have */
export function readWindow<P>(given: RawWindow, place: z.ZodType<P>, most: number): WindowRead<P> {
  const malformed: Part[] = [];
  const read: Partial<Record<Part, string>> = {};
  for (const name of NAMES) {
    const value = given[name];
    if (value === undefined) continue;
    if (PARTS[name].is.safeParse(value).success) read[name] = String(value);
    else malformed.push(name);
  }
  const limit = read.limit === undefined ? undefined : Number(read.limit);
  if (limit !== undefined && limit > most) malformed.push("limit");
  const after = read.cursor === undefined ? undefined : placeOf(place, read.cursor);
  if (read.cursor !== undefined && after === undefined) malformed.push("cursor");
  const window = {
    from: secondOf(read.from),
    to: secondOf(read.to),
    limit: malformed.includes("limit") ? undefined : limit,
    after,
    format: (read.format ?? "json") as Format,
  };
  const nothing = NAMES.every((name) => read[name] === undefined || malformed.includes(name));
  return { window: nothing ? undefined : window, malformed };
}

/** As `readWindow`. @throws Problem `invalid_request` that names what cannot be read */
export function windowOf<P>(given: RawWindow, place: z.ZodType<P>, most: number): Window<P> | undefined {
  const { window, malformed } = readWindow(given, place, most);
  if (malformed.length === 0) return window;
  const errors = malformed.map((name) => ({
    path: name,
    message: `must be ${PARTS[name].must}${name === "limit" ? ` ${most}` : ""}`,
  }));
  throw refusal(errors);
}

/** @param errors what is wrong with which parameter */
export const refusal = (errors: readonly { readonly path: string; readonly message: string }[]): Problem =>
  new Problem("invalid_request", "the input is not valid; see errors", { errors });

export const cursorOf = (place: unknown): string => Buffer.from(JSON.stringify(place)).toString("base64url");

function placeOf<P>(schema: z.ZodType<P>, cursor: string): P | undefined {
  try {
    return schema.safeParse(JSON.parse(Buffer.from(cursor, "base64url").toString())).data;
  } catch {
    return undefined;
  }
}

/** A page of what was read one row further than it holds, and where the next one begins; null: there is none. */
export function pageOf<R>(
  rows: readonly R[],
  limit: number,
  placeAfter: (last: R) => unknown,
): { readonly page: readonly R[]; readonly next: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next: rows.length > limit && last !== undefined ? cursorOf(placeAfter(last)) : null };
}

/** The same question from the cursor on, as the header `Link` has it. @param given as it came */
export function linkOf(given: Readonly<Record<string, unknown>>, cursor: string): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...given, cursor }))
    if (value !== undefined) parameters.set(name, String(value));
  return `<?${parameters}>; rel="next"`;
}

/** Names in a header; longer ones are cut. */
const MOST_NAMES = 10;
const LONGEST_NAME = 40;

/** What is in a query that nobody reads, as a header; nothing where all of it is read. */
export function ignoredHeader(names: readonly string[]): Record<string, string> {
  if (names.length === 0) return {};
  const told = names.slice(0, MOST_NAMES).map((name) => encodeURIComponent(name.toWellFormed()));
  const cut = told.map((name) => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}...` : name));
  return { "Ignored-Parameters": [...cut, ...(names.length > MOST_NAMES ? ["..."] : [])].join(", ") };
}

/** A query without the parameters that its schema does not know, and the names of those. */
export function knownIn<Q extends object>(given: Q, { shape }: z.ZodObject): { query: Q; unknown: string[] } {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(shape, name));
  if (unknown.length === 0) return { query: given, unknown };
  const known = Object.entries(given).filter(([name]) => !unknown.includes(name));
  return { query: Object.fromEntries(known) as Q, unknown };
}

const HOUR = 3_600;
const DAY = 86_400;

/** `days` back from now: so many days of hours, the running one included. @param now unix seconds */
export function hoursBack(days: number, now: number): Range {
  const to = Math.floor(now / HOUR) * HOUR + HOUR;
  return { from: to - days * DAY, to };
}

/** Of a window that has no beginning `days` say it, back from its end. */
export function windowHours(
  { from, to }: Pick<Window<unknown>, "from" | "to">,
  days: number,
  now: UnixSeconds,
): Range {
  const end = to ?? hoursBack(days, now).to;
  return { from: from ?? end - days * DAY, to: end };
}
