/** Answers of the data API in whichever form, on their way to HTTP. */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { type Finished, finish } from "../http/cache.ts";
import { replyWith, streamWith } from "../http/cacheReply.ts";
import type { Call, Reply } from "../http/route.ts";
import { type Format, type ListMeta, listAs, type Row } from "./formats.ts";
import { dateTime } from "./json.ts";
import { linkOf } from "./windows.ts";

/** An answer as text, or as its bytes in UTF-8; JSON where nothing else is said. */
export type Written = { readonly contentType?: string; readonly next: string | null } & (
  | { readonly text: string | Buffer; readonly pieces?: undefined }
  | { readonly pieces: AsyncIterable<string>; readonly text?: undefined }
);

/**
 * A page of a list, in whichever form.
 * @param about the list, and when the page is made
 * @param rows for other forms than JSON
 * @param json the answer in JSON
 */
export function listWritten(
  wanted: Format,
  { now, ...about }: Omit<ListMeta, "generated_at" | "next_cursor"> & { readonly now: UnixSeconds },
  columns: readonly string[],
  next: string | null,
  rows: () => readonly Row[],
  json: () => string | Buffer,
): Written {
  if (wanted === "json") return { text: json(), next };
  const meta = { ...about, generated_at: dateTime(now), next_cursor: next };
  return { ...listAs(wanted, meta, columns, rows()), next };
}

/** An answer whose bytes are known, or that is written piece by piece. */
export interface DataAnswer {
  readonly content: Finished | AsyncIterable<string>;
  readonly contentType?: string | undefined;
  /** Where the next page begins; null: there is none. */
  readonly next: string | null;
}

export const answerOf = ({ text, pieces, contentType, next }: Written): DataAnswer => ({
  content: pieces ?? finish(text),
  contentType,
  next,
});

/** The same answer for all who ask. */
export const keptAnswer = (finished: Finished): DataAnswer => ({ content: finished, next: null });

/** @param query as it came: the link to the next page repeats it @param more other headers */
export function replyOf(
  { content, contentType, next }: DataAnswer,
  { headers, query }: Pick<Call<unknown, Readonly<Record<string, unknown>>, unknown>, "headers" | "query">,
  cacheControl: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const all = {
    ...(contentType === undefined ? {} : { "Content-Type": contentType }),
    ...(next === null ? {} : { Link: linkOf(query, next) }),
    ...more,
  };
  return Symbol.asyncIterator in content
    ? streamWith(content, headers, cacheControl, all)
    : replyWith(content, headers, cacheControl, all);
}
