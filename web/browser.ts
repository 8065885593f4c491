/** What the islands ask of the browser: requests to the service that the page came from. */
import { orElse } from "../attestor/values/orElse.ts";
import { keyHeaders } from "./readerKey.ts";

/** What came of a request: what was asked for, or what the service says is wrong; status 0 where it cannot be reached. */
export type Answered<T> =
  | { readonly ok: true; readonly body: T }
  | { readonly ok: false; readonly status: number; readonly message: string };

type HeaderTexts = Readonly<Record<string, string>>;

/** The reader's key goes along in its header, where there is one; `authorization` replaces it. */
const withKey = (headers: HeaderTexts): HeaderTexts =>
  "authorization" in headers ? headers : { ...keyHeaders(), ...headers };

async function asked<T>(
  path: string,
  headers: HeaderTexts,
  read: (response: Response) => Promise<T>,
): Promise<Answered<T>> {
  try {
    const response = await fetch(path, { headers: withKey(headers), credentials: "omit" });
    if (response.ok) return { ok: true, body: await read(response) };
    const body: unknown = await response.json().catch(() => null);
    const detail = typeof body === "object" && body !== null && "detail" in body ? String(body.detail) : "";
    return { ok: false, status: response.status, message: detail };
  } catch (error) {
    return { ok: false, status: 0, message: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * JSON of the service, asked with the reader's key.
 * @param path of the service, such as `/api/v1/assets`
 * @param headers beyond the key; `authorization` replaces it
 */
export const ask = (path: string, headers: HeaderTexts = {}): Promise<Answered<unknown>> =>
  asked(path, { accept: "application/json", ...headers }, (response) => response.json());

/** The HTML of a part of a page, asked with the reader's key. */
export const askPart = (path: string): Promise<Answered<string>> =>
  asked(path, { accept: "text/html", "accept-language": document.documentElement.lang }, (response) =>
    response.text(),
  );

/** The text of a page of the service. @returns null where there is none */
export async function askPage(path: string): Promise<{ text: string; url: string } | null> {
  const response = await fetch(path, { headers: { accept: "text/html" }, credentials: "omit" });
  if (!response.headers.get("content-type")?.startsWith("text/html")) return null;
  return { text: await response.text(), url: response.url };
}

export interface Sent {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Headers;
  readonly text: string;
  readonly milliseconds: number;
}

/**
 * A request that the reader wrote. The reader's key goes along in its header, where there is one.
 * @param init headers beyond the key; `authorization` replaces it
 * @throws TypeError where the service cannot be reached
 */
export async function send(
  path: string,
  init: {
    readonly method: string;
    readonly headers: HeaderTexts;
    readonly body?: string;
  },
): Promise<Sent> {
  const started = performance.now();
  const headers = withKey(init.headers);
  const response = await fetch(path, { ...init, headers, credentials: "omit", cache: "no-store" });
  const text = await response.text();
  const milliseconds = Math.round(performance.now() - started);
  return { status: response.status, headers: response.headers, text, milliseconds };
}

/**
 * What the service gives as it stands, at a path that is anybody's. @returns null where nothing is there
 * @throws Error where the service does not answer
 */
export async function askText(path: string): Promise<string | null> {
  const response = await fetch(path, { headers: { accept: "application/json" }, credentials: "omit" });
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.text();
}

/** The bytes at a path of the service. @throws Error where it gives none */
export async function askBytes(path: string): Promise<Uint8Array> {
  const response = await fetch(path, { credentials: "omit" });
  if (!response.ok) throw new Error(`${path} answers ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** What this browser keeps under a name; null: nothing, or it keeps nothing. No secret ever goes there. */
export function keptText(name: string): string | null {
  return orElse(() => localStorage.getItem(name), null);
}

export function keepText(name: string, text: string): void {
  orElse(() => localStorage.setItem(name, text), undefined);
}

/** Calls back after so many milliseconds. @returns calls it off */
export function after(ms: number, then: () => void): () => void {
  const timer = setTimeout(then, ms);
  return () => clearTimeout(timer);
}

/** Hands a text to the reader as a file, without any server. */
export function saveFile(name: string, text: string, type = "application/json"): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken hold of it by then.
  after(10_000, () => URL.revokeObjectURL(address));
}
