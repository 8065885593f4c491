/** The commands of the pages in docs/run, by the names of their blocks. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "docs/run");
const DOCUMENT = globSync("**/*.md", { cwd: FOLDER })
  .sort()
  .map((page) => readFileSync(join(FOLDER, page), "utf8"))
  .join("\n");
/** Blocks of commands by name: a fence whose second word is the name. */
const BLOCKS = new Map(
  [...DOCUMENT.matchAll(/^```sh ([a-z0-9-]+)\n([\s\S]*?)\n```$/gm)].map(([, name, text]) => [name!, text!]),
);

interface Line {
  readonly command: string;
  /** The exit code that the document states, otherwise 0. */
  readonly exits: number;
}

export const blockNames = (): string[] => [...BLOCKS.keys()];

export function linesOf(name: string): Line[] {
  const text = BLOCKS.get(name);
  if (text === undefined) throw new Error(`No page has a block ${name}.`);
  return text.split("\n").map((line) => {
    const [, command, exits = "0"] = /^(.*?)(?:\s+# exits ([0-9]))?$/.exec(line)!;
    return { command: command!, exits: Number(exits) };
  });
}

/** A command with what npm would start in npm's place: its own start takes as long as a short program. */
export const withoutNpm = (command: string): string =>
  command
    .replace(/npm run (?:--silent )?assay -- /, `'${process.execPath}' ${ROOT}/scripts/assay.ts `)
    .replace(/npm run agent -- /, `'${process.execPath}' ${ROOT}/scripts/assay.ts agent `);
