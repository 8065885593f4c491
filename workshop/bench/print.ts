/**
 * What benches print: Markdown, which reads well in a terminal, and which `report` writes into docs/benchmarks.md. Progress
 * goes to the standard error stream.
 */

import type { Parts } from "./parts/profile.ts";

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  console.log(["", line(head), line(head.map(() => "---")), ...rows.map(line), ""].join("\n"));
}

export const print = (line: string): void => console.log(`\n${line}\n`);
export const progress = (line: string): void => console.error(line);

export const inMs = (ms: number, digits = 1): string => `${ms.toFixed(digits)} ms`;
export const counted = (number: number): string =>
  number.toLocaleString("en", { maximumFractionDigits: number < 100 ? 1 : 0 });

export const TARGETS_HEAD = ["target", "wanted", "measured", "result"] as const;

export interface Target {
  readonly name: string;
  readonly measured: number;
  readonly wanted: { readonly atLeast: number } | { readonly atMost: number };
  /** Behind the figures: " ms". */
  readonly unit?: string;
}

export function printTargets(targets: readonly Target[]): void {
  printTable(
    TARGETS_HEAD,
    targets.map(({ name, measured, wanted, unit = "" }) => {
      const [word, bound, met] =
        "atLeast" in wanted
          ? ["at least", wanted.atLeast, measured >= wanted.atLeast]
          : ["at most", wanted.atMost, measured <= wanted.atMost];
      const shown = unit === "" ? measured.toFixed(2) : counted(measured);
      return [name, `${word} ${bound}${unit}`, `${shown}${unit}`, met ? "met" : "**missed**"];
    }),
  );
}

export const PARTS_HEAD = ["path", "promised", "overhead", "waiting"] as const;
/** Of the CPU time: smaller parts are summed up. */
const LEAST_SHARE = 0.01;

/** What paths consist of, promised work apart from overhead. */
export function printParts(paths: Readonly<Record<string, Parts>>): void {
  printTable(
    PARTS_HEAD,
    Object.entries(paths).map(([path, { waiting, shares }]) => {
      const listed = (promised: boolean) => {
        const of = shares.filter((part) => part.promised === promised);
        const large = of.filter(({ share }) => share >= LEAST_SHARE);
        const rest =
          of.reduce((sum, { share }) => sum + share, 0) - large.reduce((sum, { share }) => sum + share, 0);
        const named = large.map(({ name, share }) => `${name} ${inPercent(share)}`);
        return [...named, ...(rest < LEAST_SHARE / 2 ? [] : [`smaller parts ${inPercent(rest)}`])].join("; ");
      };
      return [path, listed(true), listed(false), inPercent(waiting)];
    }),
  );
}

const inPercent = (share: number): string => `${(share * 100).toFixed(0)} %`;
