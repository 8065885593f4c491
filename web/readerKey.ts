/**
 * The reader's API key: in this variable of this tab and nowhere else. It is in no storage, no address and no form; a
 * new load of the page forgets it. It travels in a header alone.
 */

let key: string | null = null;
const listeners = new Set<() => void>();

export function currentKey(): string | null {
  return key;
}

/** @param next null forgets it */
export function setKey(next: string | null): void {
  key = next;
  for (const listener of listeners) listener();
}

/** @returns ends it */
export function onKeyChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** For requests to the service that the page came from. */
export function keyHeaders(): Record<string, string> {
  return key === null ? {} : { "x-api-key": key };
}

export const isKey = (text: string): boolean => /^ak_[A-Za-z0-9_-]{43}$/.test(text);
