/** What the islands ask of the browser: requests to the service that the page came from. */
import { orElse } from "../attestor/values/orElse.ts";
import { keyHeaders } from "./readerKey.ts";

/** What came of a request: the answer's JSON, or what the service says is wrong. */
export type Answered =
  | { readonly ok: true; readonly status: number; readonly body: unknown }
  | { readonly ok: false; readonly status: number; readonly message: string };

/**
 * JSON of the service. The reader's key goes along in its header, where there is one.
 * @param path of the service, such as `/api/v1/assets`
 * @param headers beyond the key; `authorization` replaces it
 * @returns status 0 where the service cannot be reached
 */
export async function ask(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answered> {
  try {
    const response = await fetch(path, {
      headers: {
        accept: "application/json",
        ...("authorization" in headers ? {} : keyHeaders()),
        ...headers,
      },
      credentials: "omit",
    });
    const body: unknown = await response.json();
    if (response.ok) return { ok: true, status: response.status, body };
    return { ok: false, status: response.status, message: detailOf(body) };
  } catch (error) {
    return { ok: false, status: 0, message: error instanceof Error ? error.message : String(error) };
  }
}

/** The text of a page of the service. @returns null where there is none */
export async function askPage(path: string): Promise<{ text: string; url: string } | null> {
  const response = await fetch(path, { headers: { accept: "text/html" }, credentials: "omit" });
  if (!response.headers.get("content-type")?.startsWith("text/html")) return null;
  return { text: await response.text(), url: response.url };
}

/**
 * A part of a page. The reader's key goes along in its header, where there is one.
 * @returns the HTML, or what the service says is wrong; status 0 where it cannot be reached
 */
export async function askPart(
  path: string,
): Promise<
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly status: number; readonly message: string }
> {
  try {
    const response = await fetch(path, {
      headers: { accept: "text/html", "accept-language": document.documentElement.lang, ...keyHeaders() },
      credentials: "omit",
    });
    if (response.ok) return { ok: true, text: await response.text() };
    const { status } = response;
    return { ok: false, status, message: detailOf(await response.json().catch(() => null)) };
  } catch (error) {
    return { ok: false, status: 0, message: error instanceof Error ? error.message : String(error) };
  }
}

/** An answer as it came. */
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
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  },
): Promise<Sent> {
  const started = performance.now();
  const headers = { ...("authorization" in init.headers ? {} : keyHeaders()), ...init.headers };
  const response = await fetch(path, { ...init, headers, credentials: "omit", cache: "no-store" });
  const text = await response.text();
  const milliseconds = Math.round(performance.now() - started);
  return { status: response.status, headers: response.headers, text, milliseconds };
}

function detailOf(body: unknown): string {
  if (typeof body === "object" && body !== null && "detail" in body) return String(body.detail);
  return "";
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

/** Keeps a text under a name, where the browser lets it. */
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
