/** Output that a page quotes, against what the program prints: the same lines, but for what one run shows and no other. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";

/** Ids, hexadecimal and numbers differ from run to run. */
export const shapeOf = (line: string) =>
  line
    .trim()
    .replace(/\b(?:job|exe)_[\w-]+/g, "…")
    .replace(/0x[0-9a-f]+…?/gi, "…")
    .replace(/\d[\d,.]*/g, "…")
    .replace(/\b(\w+)s\b/g, "$1");

/** Lines that `page` shows after `$ command`; `…` alone stands for lines that are left out. */
function quotedIn(page: string, command: string): string[] {
  const text = readFileSync(join(import.meta.dirname, "../..", page), "utf8");
  const [, after] = text.split(`\n$ ${command}\n`);
  if (after === undefined) throw new Error(`${page} does not show the output of ${command}`);
  return after.split(/\n(?:\$ |```)/)[0]!.split("\n");
}

/**
 * @param output of the command
 * @param how `whole`: the page shows all of it; `ordered`: some of its lines, in order; `any`: in the order of this run
 */
export function expectQuoted(
  page: string,
  command: string,
  output: string,
  how: "whole" | "ordered" | "any" = "ordered",
): void {
  const quoted = quotedIn(page, command)
    .filter((line) => line !== "…" && line.trim() !== "")
    .map(shapeOf);
  const printed = output
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(shapeOf);
  if (how === "any") expect(printed).to.include.members(quoted);
  else if (how === "whole") expect(printed).to.deep.equal(quoted);
  else expect(printed.filter((line) => quoted.includes(line))).to.deep.equal(quoted);
}
