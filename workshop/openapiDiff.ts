/**
 * `node workshop/openapiDiff.ts [--same] <old.json> <new.json>`: which changes between two OpenAPI documents can break a program
 * that was written for the old one (docs/releases/README.md). With `--same` also which of the new one's the old one lacks, so that
 * they differ in texts and examples at most where nothing is found.
 * Exit code 0: nothing found. 1: something. 2: there is nothing to compare.
 */
import { readFileSync } from "node:fs";
import { breakingChanges } from "./openapi/breaking.ts";

function main(args: readonly string[]): number {
  const files = args.filter((arg) => arg !== "--same");
  if (files.length !== 2) {
    console.error("Usage: node workshop/openapiDiff.ts [--same] <old.json> <new.json>");
    return 2;
  }
  const [old, now] = files.map((file): unknown => JSON.parse(readFileSync(file, "utf8")));
  const told = (changes: ReturnType<typeof breakingChanges>, label: string) => {
    for (const { operation, place, what } of changes) console.log(`${operation} ${place} ${what}`);
    console.log(`${changes.length} ${label}`);
    return changes.length;
  };
  const breaking = told(breakingChanges(old, now), "changes can break programs.");
  const added = args.includes("--same")
    ? told(breakingChanges(now, old), "more, of the old document against the new one.")
    : 0;
  return breaking + added === 0 ? 0 : 1;
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}
