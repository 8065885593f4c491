/** Answers of the data API on their way to HTTP. */
import { type Finished, finish, replyWith } from "../http/cache.ts";
import type { Call, Reply } from "../http/route.ts";

/** An answer as text; JSON where nothing else is said. */
export interface Written {
  readonly text: string;
  readonly contentType?: string;
}

/** An answer as bytes. */
export interface DataAnswer {
  readonly finished: Finished;
  readonly contentType?: string | undefined;
}

export const answerOf = ({ text, contentType }: Written): DataAnswer => ({
  finished: finish(text),
  contentType,
});

/** @param more other headers */
export function replyOf(
  { finished, contentType }: DataAnswer,
  { headers }: Pick<Call<unknown, unknown, unknown>, "headers">,
  cacheControl: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const type: Record<string, string> = contentType === undefined ? {} : { "Content-Type": contentType };
  return replyWith(finished, headers, cacheControl, { ...type, ...more });
}
