/** @returns null for what is no URL. `URL.parse`, which says the same, is not in Node 20. */
export const parseUrl = (text: string, base?: string): URL | null =>
  URL.canParse(text, base) ? new URL(text, base) : null;
