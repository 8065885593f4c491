/** Whether the changelog says what may break programs. */
import type { Breaking } from "./breaking.ts";

/** @returns the changelog's text of everything newer than a version; all of it where that has no section */
export function newerThan(changelog: string, version: string): string {
  return changelog.split(`\n## [${version}]`)[0] ?? changelog;
}

/** Those that no item beginning with `**Breaking` names, by its operation or its path, in backticks. */
export function unannounced(changes: readonly Breaking[], text: string): Breaking[] {
  const items = text.split(/\n(?=- |#)/).filter((item) => item.startsWith("- **Breaking"));
  const named = new Set(items.flatMap((item) => [...item.matchAll(/`([^`]+)`/g)].map(([, name]) => name)));
  return changes.filter(
    ({ operation }) => ![operation, operation.split(" ")[1]].some((name) => named.has(name)),
  );
}
