/** A report's text may hold anything; neither a terminal nor a page may obey it. */

/**
 * What is no letter, digit or sign becomes U+FFFD: control characters, marks that turn the direction of writing around,
 * what is not assigned. @param isFolded white space, line breaks too, becomes one space
 */
export function printable(text: string, isFolded = true): string {
  return (isFolded ? text.replace(/\s+/g, " ") : text).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd");
}

/** A value with all its texts printable. @param value JSON, of no great depth */
export function printableAll<T>(value: T): T {
  if (typeof value === "string") return printable(value) as T;
  if (Array.isArray(value)) return value.map((item) => printableAll(item)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, printableAll(item)])) as T;
}
