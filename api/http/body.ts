/** The JSON body of a request, read once and within bounds. */
import type { Request, Response } from "express";
import { codeOf } from "../../database/errors.ts";
import { Problem } from "./problems.ts";

/** The code of Node's error for a request that did not arrive in time. */
export const isTimeout = (code: string | undefined): boolean => code === "ERR_HTTP_REQUEST_TIMEOUT";

export const MAX_BODY_BYTES = 64 * 1024;

/** For a client to read that its body is refused, and to stop sending it; then it ends early. */
const LINGER_MS = 1_000;

const utf8 = new TextDecoder("utf-8", { fatal: true });

const EMPTY_OBJECT = /^\s*\{\s*\}\s*$/;

/**
 * @returns the parsed JSON. Without content it is undefined: white space in any content type, and `{}` in another than
 *   JSON, as `curl -d '{}'` sends it
 * @throws Problem `unsupported_media_type`, `invalid_request`, `body_too_large`, the last as soon as it is known
 */
export async function readJson(request: Request, response: Response): Promise<unknown> {
  const declared = Number(request.headers["content-length"] ?? 0);
  if (request.headers["transfer-encoding"] === undefined && declared === 0) return undefined;
  const typed = isJson(request.headers["content-type"]);
  // Compressed bodies are refused: 64 KiB need no compression, and a bomb is no body.
  if (isEncoded(request.headers["content-encoding"]) || (!typed && declared > MAX_BODY_BYTES))
    throw unsupported();
  if (declared > MAX_BODY_BYTES) throw tooLarge(request, response);
  const bytes = await readBytes(request, response);
  try {
    const text = utf8.decode(bytes);
    if (text.trim() === "") return undefined;
    if (typed) return JSON.parse(text);
    if (EMPTY_OBJECT.test(text)) return undefined;
  } catch {
    if (typed) throw new Problem("invalid_request", "the body is not JSON in UTF-8");
  }
  throw unsupported();
}

const unsupported = () =>
  new Problem("unsupported_media_type", "send application/json in UTF-8, not compressed");

function readBytes(request: Request, response: Response): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) {
        chunks.push(chunk);
        return;
      }
      request.off("data", onData);
      reject(tooLarge(request, response));
    };
    // The client that broke it off receives no answer; the one that was too slow has its answer from `listen.ts`.
    const brokenOff = () =>
      reject(
        isTimeout(codeOf(request.socket.errored))
          ? new Problem("request_timeout", "the request did not arrive in time")
          : new Problem("invalid_request", "the body ended too early"),
      );
    request.on("data", onData);
    request.once("end", () => {
      // Every request is closed in the end, and a Problem costs its stack.
      request.off("close", brokenOff);
      resolve(Buffer.concat(chunks));
    });
    request.once("close", brokenOff);
    request.once("error", brokenOff);
  });
}

/** The answer goes out before the body is in; what still comes is thrown away for a moment. */
function tooLarge(request: Request, response: Response): Problem {
  response.once("finish", () => {
    request.resume();
    const cut = setTimeout(() => request.complete || request.socket.destroy(), LINGER_MS);
    cut.unref();
    request.once("close", () => clearTimeout(cut));
  });
  return new Problem("body_too_large", "a body may be up to 64 KiB");
}

function isEncoded(contentEncoding: string | undefined): boolean {
  return contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== "identity";
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(contentType?.trim() ?? "");
}
