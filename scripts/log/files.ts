/** The outside of `assay log`: files that are replaced in one step, and a log's files over HTTP. */
import { open, readFile, rename } from "node:fs/promises";
import type { FetchFile } from "../../attestor/log/served.ts";
import { readShort } from "../console.ts";
import { PlainError } from "../errors.ts";

const TIMEOUT_MS = 20_000;
const LONGEST_FILE = 32 * 1024 * 1024;

/** @returns null where there is no file. @throws PlainError where it cannot be read */
export async function readOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new PlainError(`${path} cannot be read`);
  }
}

/** Writes a file atomically: whole or not at all. @throws PlainError */
export async function replaceFile(path: string, content: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    await using file = await open(draft, "w", 0o600);
    await file.writeFile(content);
    await file.sync();
    await rename(draft, path);
  } catch {
    throw new PlainError(`${path} cannot be written`);
  }
}

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
      throw new PlainError(`${base}/${path} cannot be reached`);
    }
    if (answer.status !== 200) throw new PlainError(`${base}/${path} answers ${answer.status}`);
    if (bytes === null) throw new PlainError(`${base}/${path} is too long`);
    return bytes;
  };
}
