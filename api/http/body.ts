/** The JSON body of a request, read once and within bounds. */
import express, { type Request, type Response } from "express";
import { Problem } from "./problems.ts";

export const MAX_BODY_BYTES = 64 * 1024;

// Compressed bodies are refused: 64 KiB need no compression, and a bomb is no body.
const read = express.raw({ type: () => true, limit: MAX_BODY_BYTES, inflate: false });
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * @returns the parsed JSON, or undefined when the request has no body
 * @throws Problem `unsupported_media_type`, `invalid_request`; the reader's own errors for size and
 *   encoding, which `toProblem` knows
 */
export async function readJson(request: Request, response: Response): Promise<unknown> {
  const type = request.headers["content-type"];
  const hasBody =
    request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0;
  if (!hasBody) return undefined;
  if (!isJson(type))
    throw new Problem("unsupported_media_type", "send application/json in UTF-8, not compressed");
  await new Promise<void>((resolve, reject) => {
    read(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
  });
  const bytes: unknown = request.body;
  if (!(bytes instanceof Uint8Array) || bytes.length === 0) return undefined;
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new Problem("invalid_request", "the body is no JSON in UTF-8");
  }
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(contentType?.trim() ?? "");
}
