/** How parsed JSON that may be anything is looked at and compared. */
import { canonicalJson } from "./canonical.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as a JSON object; null when it is none. */
export function asRecord(value: unknown): JsonObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

/** Names of the expected members that the claimed object lacks or gives another value. */
export function differingMembers(claimed: unknown, expected: JsonObject): string[] {
  const record = asRecord(claimed) ?? {};
  return Object.keys(expected).filter((name) => !sameJson(record[name], expected[name]));
}

/** Names of members that the object has beside those. */
export function extraMembers(claimed: unknown, expectedNames: readonly string[]): string[] {
  return Object.keys(asRecord(claimed) ?? {}).filter((name) => !expectedNames.includes(name));
}

export function sameJson(claimed: unknown, expected: unknown): boolean {
  try {
    return canonicalJson(claimed) === canonicalJson(expected);
  } catch {
    // What has no canonical form is like nothing.
    return false;
  }
}
