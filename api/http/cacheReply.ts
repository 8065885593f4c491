/** An answer as HTTP wants it, in the coding that the client takes. */
import Negotiator from "negotiator";
import type { Coding, Finished } from "./cache.ts";
import type { Reply } from "./route.ts";

/** Below this, headers outweigh what compression saves. */
const MIN_COMPRESSED_BYTES = 1_024;

/**
 * @param requestHeaders by lower-case name
 * @param cacheControl for the answer, and for the 304 that is sent in its place to who has it already
 * @param more other headers
 */
export async function replyWith(
  finished: Finished,
  requestHeaders: Readonly<Record<string, string | undefined>>,
  cacheControl: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const headers = { ETag: finished.etag, "Cache-Control": cacheControl, Vary: "Accept-Encoding", ...more };
  const coding =
    finished.bytes.length < MIN_COMPRESSED_BYTES ? undefined : codingOf(requestHeaders["accept-encoding"]);
  if (!coding) return { status: 200, body: finished.bytes, headers };
  return {
    status: 200,
    body: await finished.compressed(coding),
    headers: { ...headers, "Content-Encoding": coding },
  };
}

/** Of those that the client likes alike the first is taken: it is the smallest. */
const CODINGS: readonly Coding[] = ["br", "gzip"];
/** What its types do not tell yet: since version 1.0 it takes an order among what the client likes alike. */
type Choose = (available: readonly Coding[], options: { preferred: readonly Coding[] }) => Coding | undefined;

/** The coding that the client likes best; undefined: it names none of ours. */
export function codingOf(acceptEncoding: string | undefined): Coding | undefined {
  const negotiator = new Negotiator({ headers: { "accept-encoding": acceptEncoding } });
  return (negotiator.encoding as Choose).call(negotiator, CODINGS, { preferred: CODINGS });
}
