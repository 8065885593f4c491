/** Mutants of a Solidity source, found in the compiler's own syntax tree: what the compiler reads is what is changed. */
import PLANTED from "./planted.json" with { type: "json" };
import { type Edits, semanticMutants } from "./semantic.ts";
import type { Node } from "./tree.ts";
import { typoMutants } from "./typos.ts";

export interface Mutant {
  /** Stable as long as the code around it is: file, function, what was changed, and which of equal ones. */
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly original: string;
  readonly replacement: string;
}

export function mutantsOf(file: string, source: string, tree: unknown): Mutant[] {
  const found: Mutant[] = [];
  const edits = editsOf(file, source, found);
  typoMutants(tree as Node, "", edits);
  semanticMutants(tree as Node, edits);
  for (const planted of PLANTED) if (planted.file === file) plant(planted, edits);
  return found;
}

/** Faults that no test had noticed once. @throws Error where the code around one has changed */
function plant({ fault, original, replacement }: (typeof PLANTED)[number], { find, add }: Edits): void {
  const start = find(original, 0);
  if (start < 0 || find(original, start + 1) >= 0) throw new Error(`Not once in the source: ${original}`);
  add("planted", start, start + Buffer.byteLength(original), replacement, `(${fault})`);
}

/** What is added goes to `found`, under a name that is its own. */
function editsOf(file: string, source: string, found: Mutant[]): Edits {
  const bytes = Buffer.from(source);
  const counts = new Map<string, number>();
  const text = (start: number, end: number) => bytes.subarray(start, end).toString();
  return {
    range(node) {
      const [start, length] = node.src.split(":").map(Number) as [number, number];
      return [start, start + length];
    },
    text,
    find: (wanted, from) => bytes.indexOf(wanted, from),
    add(where, start, end, replacement, named) {
      const original = text(start, end).replace(/\s+/g, " ");
      const nothing = replacement === "" || replacement === "{}";
      const name =
        named === undefined
          ? `${file} ${where}: ${original} -> ${nothing ? "nothing" : replacement.replace(/\s+/g, " ")}`
          : `${file} ${where}: ${`${firstWords(original)} ${named}`.trim()}`;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      found.push({
        id: count === 1 ? name : `${name} #${count}`,
        file,
        line: text(0, start).split("\n").length,
        start,
        end,
        original,
        replacement,
      });
    },
  };
}

/** Enough of a statement to find it by. */
const firstWords = (statement: string): string =>
  statement.length <= 60 ? statement : `${statement.slice(0, 60)}…`;

export function applied(source: string, mutant: Mutant): string {
  const bytes = Buffer.from(source);
  return Buffer.concat([
    bytes.subarray(0, mutant.start),
    Buffer.from(mutant.replacement),
    bytes.subarray(mutant.end),
  ]).toString();
}
