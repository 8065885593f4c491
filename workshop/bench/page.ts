/** The sections of docs/benchmarks.md that benches write, between marks such as `<!-- bench mcp -->`. */
import { PARTS_HEAD, TARGETS_HEAD } from "./print.ts";

/** What is run, by its marks, in the order of the page: `soak --rate 100`. */
export const commandsIn = (page: string): string[] =>
  [...page.matchAll(/<!-- bench (.+) -->/g)].map(([, command = ""]) => command);

/** @throws Error where the page has no such mark */
export function replaced(page: string, mark: string, content: string): string {
  const [begin, end] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`];
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`docs/benchmarks.md has no ${begin} … ${end}`);
  return `${page.slice(0, from)}${begin}\n\n${content}\n\n${page.slice(to)}`;
}

/** Lists at the top what the tables of targets and of parts say below. */
export const withTops = (page: string): string =>
  [...TOPS].reduce((text, [mark, head]) => replaced(text, mark, gathered(page, head)), page);

const TOPS = new Map<string, readonly string[]>([
  ["targets", TARGETS_HEAD],
  ["parts", PARTS_HEAD],
]);

/** One table of all the rows that tables with this head have below the tops. */
function gathered(page: string, head: readonly string[]): string {
  const first = `| ${head.join(" | ")} |`;
  const lines = page.slice(page.indexOf(`<!-- /${[...TOPS.keys()].at(-1)} -->`)).split("\n");
  const rows = lines.flatMap((line, index) => {
    if (line !== first) return [];
    const table = lines.slice(index + 2);
    return table.slice(
      0,
      table.findIndex((row) => !row.startsWith("|")),
    );
  });
  return [first, `|${" --- |".repeat(head.length)}`, ...rows].join("\n");
}
