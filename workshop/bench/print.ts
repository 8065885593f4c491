/** What benches print: Markdown, which reads well in a terminal. Progress goes to the standard error stream. */

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  console.log(["", line(head), line(head.map(() => "---")), ...rows.map(line), ""].join("\n"));
}

export const print = (line: string): void => console.log(`\n${line}\n`);
export const progress = (line: string): void => console.error(line);

export const inMs = (ms: number, digits = 1): string => `${ms.toFixed(digits)} ms`;
export const counted = (number: number): string =>
  number.toLocaleString("en", { maximumFractionDigits: number < 100 ? 1 : 0 });

export interface Target {
  readonly name: string;
  readonly measured: number;
  readonly wanted: { readonly atLeast: number };
}

export function printTargets(targets: readonly Target[]): void {
  printTable(
    ["target", "wanted", "measured", "result"],
    targets.map(({ name, measured, wanted: { atLeast } }) => [
      name,
      `at least ${atLeast}`,
      measured.toFixed(2),
      measured >= atLeast ? "met" : "**missed**",
    ]),
  );
}
