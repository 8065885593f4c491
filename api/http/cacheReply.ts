/** A finished answer as HTTP wants it: the coding that the client takes, or 304 when it has the answer already. */
import type { Coding, Finished } from "./cache.ts";
import type { Reply } from "./route.ts";

/** Below this, headers outweigh what compression saves. */
const MIN_COMPRESSED_BYTES = 1_024;

/**
 * @param requestHeaders by lower-case name
 * @param cacheControl for the answer, and for the 304 in its place
 */
export async function replyWith(
  finished: Finished,
  requestHeaders: Readonly<Record<string, string | undefined>>,
  cacheControl: string,
): Promise<Reply> {
  const headers = { ETag: finished.etag, "Cache-Control": cacheControl, Vary: "Accept-Encoding" };
  if (hasAlready(finished.etag, requestHeaders["if-none-match"]))
    return { status: 304, body: undefined, headers };
  const coding =
    finished.bytes.length < MIN_COMPRESSED_BYTES ? undefined : codingOf(requestHeaders["accept-encoding"]);
  if (!coding) return { status: 200, body: finished.bytes, headers };
  return {
    status: 200,
    body: await finished.compressed(coding),
    headers: { ...headers, "Content-Encoding": coding },
  };
}

/** RFC 9110 13.1.2: compared weakly, `*` fits whatever is there. */
export function hasAlready(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  return ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => opaque(tag) === opaque(etag));
}

/** The smallest coding that the client takes; undefined: it names none of ours. */
export function codingOf(acceptEncoding: string | undefined): Coding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.toLowerCase().split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight));
  }
  const takes = (coding: Coding) => (weights.get(coding) ?? weights.get("*") ?? 0) > 0;
  return takes("br") ? "br" : takes("gzip") ? "gzip" : undefined;
}
