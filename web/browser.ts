/** What the islands ask of the browser: requests to the service that the page came from. */

type HeaderTexts = Readonly<Record<string, string>>;

/** The HTML of a page of the service. @throws Error with the service's refusal */
export async function askPage(path: string): Promise<string> {
  const headers = { accept: "text/html", "accept-language": document.documentElement.lang };
  const response = await fetch(path, { headers, credentials: "omit" });
  if (response.ok) return response.text();
  const body: unknown = await response.json().catch(() => null);
  throw new Error(typeof body === "object" && body !== null && "detail" in body ? String(body.detail) : "");
}

export interface Sent {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Headers;
  readonly text: string;
  readonly milliseconds: number;
}

/** @throws TypeError where the service cannot be reached */
export async function send(
  path: string,
  init: {
    readonly method: string;
    readonly headers: HeaderTexts;
    readonly body?: string;
  },
): Promise<Sent> {
  const started = performance.now();
  const response = await fetch(path, { ...init, credentials: "omit", cache: "no-store" });
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

/** Unix seconds, by the reader's clock. */
export const secondsNow = (): number => Math.floor(Date.now() / 1000);
