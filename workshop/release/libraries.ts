/** What of others' is in a package, for the notices that go with it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Library {
  readonly name: string;
  readonly version: string;
  /** SPDX. */
  readonly license: string;
  readonly text: string;
}

/** @param folders each of a package, with its package.json @throws Error for one that names no license */
export function librariesIn(folders: Iterable<string>): Library[] {
  const found = new Map<string, Library>();
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    if (typeof license !== "string") throw new Error(`${name} names no license.`);
    const file = readdirSync(folder)
      .sort()
      .find((each) => /^licen[sc]e/i.test(each));
    const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim();
    found.set(`${name}@${version}`, { name, version, license, text });
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, library]) => library);
}

/** The file `THIRD-PARTY-NOTICES.md`. */
export function noticesOf(libraries: readonly Library[]): string {
  const parts = libraries.map(({ name, version, license, text }) => {
    // Some packages name a license whose text only a neighbor of the same repository has.
    const whole = text || libraries.find((other) => other.license === license && other.text !== "")?.text;
    if (whole === undefined) throw new Error(`The text of ${license}, the license of ${name}, is missing.`);
    return [
      `## ${name} ${version}`,
      `${license}. Source: https://www.npmjs.com/package/${name}/v/${version}`,
      `\`\`\`text\n${whole.replaceAll("```", "'''")}\n\`\`\``,
    ].join("\n\n");
  });
  return [
    "# What of others' is in this package",
    "The files in dist contain code of these packages, unchanged but for being bundled.",
    ...parts,
    "",
  ].join("\n\n");
}
