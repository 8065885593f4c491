/** The commands of docs/operations.md, by the names of their blocks. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const DOCUMENT = readFileSync(join(import.meta.dirname, "../../docs/operations.md"), "utf8");
/** Blocks of commands by name: a fence whose second word is the name. */
const BLOCKS = new Map(
  [...DOCUMENT.matchAll(/^```sh ([a-z0-9-]+)\n([\s\S]*?)\n```$/gm)].map(([, name, text]) => [name!, text!]),
);

export interface Line {
  readonly command: string;
  /** The exit code that the document states, otherwise 0. */
  readonly exits: number;
}

export const blockNames = (): string[] => [...BLOCKS.keys()];

export function linesOf(name: string): Line[] {
  const text = BLOCKS.get(name);
  if (text === undefined) throw new Error(`The document has no block ${name}.`);
  return text.split("\n").map((line) => {
    const [, command, exits = "0"] = /^(.*?)(?:\s+# exits ([0-9]))?$/.exec(line)!;
    return { command: command!, exits: Number(exits) };
  });
}
