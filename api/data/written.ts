/** Answers of the data API on their way to HTTP. */
import { type Finished, finish, replyWith } from "../http/cache.ts";
import type { Call, Reply } from "../http/route.ts";

/** An answer as text; JSON where its headers say nothing else. */
export interface Written {
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer as bytes. */
export interface DataAnswer {
  readonly finished: Finished;
  readonly headers?: Written["headers"];
}

export const answerOf = ({ text, headers = {} }: Written): DataAnswer => ({
  finished: finish(text),
  headers,
});

/** @param more other headers */
export function replyOf(
  { finished, headers = {} }: DataAnswer,
  call: Pick<Call<unknown, unknown, unknown>, "headers">,
  cacheControl: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  return replyWith(finished, call.headers, cacheControl, { ...headers, ...more });
}
