/** `THIRD-PARTY-NOTICES.md`: the licenses of the libraries that are in a package. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Library {
  readonly name: string;
  readonly version: string;
  /** SPDX. */
  readonly license: string;
  /** Empty where the package has no such file. */
  readonly text: string;
}

/**
 * @param folders each of a package, with its package.json
 * @throws Error for a package that names no license, or whose license has no text anywhere
 */
export function noticesOf(folders: Iterable<string>): string {
  const libraries = [...folders].map(readLibrary).sort((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1));
  const parts = libraries.map((library) => {
    const { name, version, license } = library;
    const source = `https://www.npmjs.com/package/${name}/v/${version}`;
    const text = textOf(library, libraries).replaceAll("```", "'''");
    return `## ${titleOf(library)}\n\n${license}. Source: ${source}\n\n\`\`\`text\n${text}\n\`\`\``;
  });
  return [
    "# What of others' is in this package",
    "The files in dist contain code of these packages, unchanged but for being bundled.",
    ...new Set(parts),
    "",
  ].join("\n\n");
}

const titleOf = ({ name, version }: Library): string => `${name} ${version}`;

function readLibrary(folder: string): Library {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (typeof license !== "string") throw new Error(`${name} names no license.`);
  const file = readdirSync(folder)
    .sort()
    .find((each) => /^licen[sc]e/i.test(each));
  const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim();
  return { name, version, license, text };
}

/** Some packages name a license whose text only a neighbor of the same repository has. */
function textOf({ name, license, text }: Library, libraries: readonly Library[]): string {
  const found = text || libraries.find((other) => other.license === license && other.text !== "")?.text;
  if (found === undefined) throw new Error(`The text of ${license}, the license of ${name}, is missing.`);
  return found;
}
