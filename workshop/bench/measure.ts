/**
 * Measures things side by side: rounds of each in turn, so that what the machine does meanwhile hits all alike. What benches
 * print is Markdown, which reads well in a terminal; progress goes to the standard error stream.
 */
import { parseArgs } from "node:util";
import autocannon from "autocannon";

export interface Contestant {
  readonly name: string;
  /** One unit of work, or several at once; resolves with how many units were done. */
  round(): Promise<number>;
}

export interface Measured {
  readonly name: string;
  /** Units. */
  readonly perSecond: number;
  /** Microseconds of this thread's processor a unit, which others on the machine change less. */
  readonly cpuMicros: number;
}

/** @param rounds how often each contestant has its turn, after one that is not counted @returns medians of the rounds */
export async function sideBySide(contestants: readonly Contestant[], rounds: number): Promise<Measured[]> {
  const all = contestants.map(({ name }) => ({ name, perSecond: [] as number[], cpuMicros: [] as number[] }));
  for (let round = -1; round < rounds; round++) {
    for (const [index, contestant] of contestants.entries()) {
      const from = performance.now();
      const before = process.threadCpuUsage();
      const units = await contestant.round();
      if (round < 0) continue;
      const { user, system } = process.threadCpuUsage(before);
      all[index]!.perSecond.push((units * 1000) / (performance.now() - from));
      all[index]!.cpuMicros.push((user + system) / units);
    }
  }
  return all.map(({ name, perSecond, cpuMicros }) => ({
    name,
    perSecond: median(perSecond),
    cpuMicros: median(cpuMicros),
  }));
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Prints rates, each also as a ratio to the last one, which is the baseline. @returns the first one's ratio */
export function printRates(title: string, measured: readonly Measured[], ratio = ratioOfRates): number {
  const baseline = measured.at(-1)!;
  printTable(
    [title, "a second", "ratio", "CPU of this thread"],
    measured.map((one) => [
      one.name,
      counted(one.perSecond),
      ratio(one, baseline).toFixed(2),
      `${one.cpuMicros.toFixed(0)} µs`,
    ]),
  );
  return ratio(measured[0]!, baseline);
}

const ratioOfRates = (one: Measured, baseline: Measured): number => one.perSecond / baseline.perSecond;

/** For what is asked faster than it can be asked. */
export const ratioOfCpu = (one: Measured, baseline: Measured): number => baseline.cpuMicros / one.cpuMicros;

interface Asked {
  /** Each connection asks for these in turn. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly seconds: number;
}

export const CONNECTIONS = 16;

/** Many connections at once, from a thread of their own. */
export const ask = (url: string, { paths, headers, seconds }: Asked): Promise<autocannon.Result> =>
  autocannon({
    url,
    connections: CONNECTIONS,
    workers: 1,
    duration: seconds,
    requests: paths.map((path) => ({ method: "GET", path, headers: { ...headers } })),
  });

interface Target {
  readonly name: string;
  readonly measured: number;
  readonly atLeast: number;
}

export function printTargets(...targets: readonly Target[]): void {
  printTable(
    ["target", "wanted", "measured", "result"],
    targets.map(({ name, measured, atLeast }) => [
      name,
      `at least ${atLeast}`,
      measured.toFixed(2),
      measured >= atLeast ? "met" : "**missed**",
    ]),
  );
}

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  console.log(["", line(head), line(head.map(() => "---")), ...rows.map(line), ""].join("\n"));
}

export const print = (line: string): void => console.log(`\n${line}\n`);
export const progress = (line: string): void => console.error(line);

export const counted = (number: number): string =>
  number.toLocaleString("en", { maximumFractionDigits: number < 100 ? 1 : 0 });

/** The option of a bench that takes a whole number, such as `--seconds 10`. @throws Error for any other option or value */
export function numberOption(name: string, byDefault: number, least: number): number {
  const options = { [name]: { type: "string", default: String(byDefault) } } as const;
  const number = Number(parseArgs({ args: process.argv.slice(3), options }).values[name]);
  if (Number.isInteger(number) && number >= least) return number;
  throw new Error(`--${name} takes a whole number from ${least} on`);
}
