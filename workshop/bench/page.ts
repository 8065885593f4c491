/** The sections of docs/benchmarks.md that benches write, between marks such as `<!-- bench mcp -->`. */
import { TARGETS_HEAD } from "./print.ts";

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

/** Lists at the top what the tables of targets say below. */
export function withTargets(page: string): string {
  const head = `| ${TARGETS_HEAD.join(" | ")} |`;
  const lines = page.slice(page.indexOf("<!-- /targets -->")).split("\n");
  const rows = lines.flatMap((line, index) => {
    if (line !== head) return [];
    const table = lines.slice(index + 2);
    return table.slice(
      0,
      table.findIndex((row) => !row.startsWith("|")),
    );
  });
  return replaced(page, "targets", [head, `|${" --- |".repeat(TARGETS_HEAD.length)}`, ...rows].join("\n"));
}
