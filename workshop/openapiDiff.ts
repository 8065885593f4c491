/**
 * `node workshop/openapiDiff.ts [--breaking] <old> <new>`: whether two OpenAPI documents differ in texts for people alone. Each is a JSON
 * file, the URL of a running service's /openapi.json, or a commit.
 *
 * With `--breaking`: which changes can break a program that was written for the old one (docs/releases/README.md).
 * Exit code 0: none can. Otherwise, exit code 0: they differ in descriptions, summaries and titles at most. 1: a program that uses the API may notice.
 * 2: there is nothing to compare.
 */
import { breakingChanges } from "./openapi/breaking.ts";
import { type Difference, differences } from "./openapi/differences.ts";
import { readOpenApi } from "./openapi/read.ts";

const USAGE =
  "Usage: node workshop/openapiDiff.ts [--breaking] <old> <new>, each a JSON file, a URL or a commit";

function told({ place, before, after }: Difference): string {
  return `${place}\n  - ${before ?? "(not there)"}\n  + ${after ?? "(not there)"}`;
}

async function main(args: readonly string[]): Promise<number> {
  const [before, after, ...rest] = args.filter((arg) => arg !== "--breaking");
  if (before === undefined || after === undefined || rest.length > 0) {
    console.error(USAGE);
    return 2;
  }
  if (args.includes("--breaking")) {
    const breaking = breakingChanges(await readOpenApi(before), await readOpenApi(after));
    for (const { operation, place, what } of breaking) console.log(`${operation} ${place} ${what}`);
    console.log(`${breaking.length} changes can break programs.`);
    return breaking.length === 0 ? 0 : 1;
  }
  const found = differences(await readOpenApi(before), await readOpenApi(after));
  const [texts, shapes] = [found.filter(isText), found.filter((each) => !isText(each))];
  for (const each of [...texts, ...shapes]) console.log(told(each));
  console.log(`${texts.length} texts differ, and ${shapes.length} of everything else.`);
  return shapes.length === 0 ? 0 : 1;
}

const isText = ({ kind }: Difference) => kind === "text";

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  return 2;
});
