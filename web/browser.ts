/** What the islands ask of the browser: requests to the service that the page came from, files, time. */

interface Asked {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** @throws TypeError where the service cannot be reached */
export async function send(path: string, init: Asked): Promise<{ status: number; text: string }> {
  const response = await fetch(path, { ...init, credentials: "omit", cache: "no-store" });
  return { status: response.status, text: await response.text() };
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
