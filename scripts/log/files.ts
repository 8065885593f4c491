/** A log's files over HTTP. */
import type { FetchFile } from "../../attestor/log/served.ts";
import { readShort } from "../console.ts";
import { Unusable } from "../errors.ts";

const TIMEOUT_MS = 20_000;
const LONGEST_FILE = 32 * 1024 * 1024;

/** @param url of a log, such as `https://assay.example.com/log` */
export function filesOf(url: string, fetchFrom: typeof fetch = fetch): FetchFile {
  const base = url.replace(/\/+$/, "");
  return async (path) => {
    let answer: Response;
    let bytes: Uint8Array | null;
    try {
      answer = await fetchFrom(`${base}/${path}`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      bytes = await readShort(answer.body ?? [], LONGEST_FILE);
    } catch {
      throw new Unusable(`${base}/${path} cannot be reached`);
    }
    if (answer.status !== 200) throw new Unusable(`${base}/${path} answers ${answer.status}`);
    if (bytes === null) throw new Unusable(`${base}/${path} is too long`);
    return bytes;
  };
}
