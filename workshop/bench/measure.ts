/**
 * Measures things side by side: rounds of each in turn, so that what the machine does meanwhile hits all alike. What benches
 * print is Markdown, which reads well in a terminal; progress goes to the standard error stream.
 */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

export interface Contestant {
  readonly name: string;
  /** One unit of work, or several at once; resolves with how many units were done. */
  round(): Promise<number>;
}

const median = (values: number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

export async function milliseconds(work: () => unknown): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** So many clients at once, each doing one piece of work after the other until all is done. */
export async function byClients<T>(
  clients: number,
  count: number,
  work: (n: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (next < count) results.push(await work(next++));
    }),
  );
  return results;
}

type Measured = Awaited<ReturnType<typeof sideBySide>>[number];

/** @param rounds how often each contestant has its turn, after one that is not counted */
export async function sideBySide(contestants: readonly Contestant[], rounds: number) {
  const rates = contestants.map((): number[] => []);
  const cpu = contestants.map((): number[] => []);
  for (let round = -1; round < rounds; round++) {
    for (const [index, contestant] of contestants.entries()) {
      const from = performance.now();
      const before = process.threadCpuUsage();
      const units = await contestant.round();
      if (round < 0) continue;
      const { user, system } = process.threadCpuUsage(before);
      rates[index]!.push((units * 1000) / (performance.now() - from));
      cpu[index]!.push((user + system) / units);
    }
  }
  return contestants.map(({ name }, index) => ({
    name,
    /** Median of the rounds, units per second. */
    perSecond: median(rates[index]!),
    /** Median of the rounds: microseconds of this thread's processor a unit, which others on the machine change less. */
    cpuMicros: median(cpu[index]!),
  }));
}

/** Prints rates, each also as a ratio to the last one, which is the baseline. @returns the first one's ratio */
export function printRates(title: string, measured: readonly Measured[]): number {
  const baseline = measured.at(-1)!;
  const ratio = ({ perSecond }: Measured) => perSecond / baseline.perSecond;
  printTable(
    [title, "a second", "ratio", "CPU of this thread"],
    measured.map((one) => [
      one.name,
      counted(one.perSecond),
      one === baseline ? "1" : ratio(one).toFixed(2),
      `${one.cpuMicros.toFixed(0)} µs`,
    ]),
  );
  return ratio(measured[0]!);
}

/** @param q 0.5 for the median, 0.99 for what one in a hundred exceeds */
export function quantile(values: readonly number[], q: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * q)] ?? Number.NaN;
}

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

/** @throws TypeError for an option that the bench does not have */
export const optionsGiven = <const O extends ParseArgsOptionsConfig>(options: O) =>
  parseArgs({ args: process.argv.slice(3), options }).values;

/** @param name of the option, for the error @throws Error */
export function wholeNumber(name: string, text: string, least: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least) return number;
  throw new Error(`--${name} takes a whole number from ${least} on`);
}
