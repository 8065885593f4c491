/** What a process's memory consists of, as its own answer and the system say, and as a table. */
import { type ChildProcess, execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { NODE_FLAGS } from "../../../api/settings/processMemory.ts";
import { printTable } from "../print.ts";
import type { Contents, Question } from "./collector.ts";

export const MEGABYTE = 1024 * 1024;

export interface Memory extends Contents {
  /** Of the process, in bytes: all of it, and what it shares with a file, as the program itself. */
  readonly resident: number;
  readonly mapped: number;
}

/** @param collecting garbage before */
export async function memoryIn(service: ChildProcess, collecting = false): Promise<Memory> {
  const answered = once(service, "message");
  service.send({ collecting } satisfies Question);
  const [contents] = (await answered) as [Contents];
  return { ...contents, resident: residentIn(service), mapped: kilobytes(service, "RssFile") * 1024 };
}

/** In bytes; Linux alone tells it. */
export const residentIn = (service: ChildProcess): number => kilobytes(service, "VmRSS") * 1024;

function kilobytes({ pid }: ChildProcess, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? Number.NaN);
}

/** What would be left of objects and of what they hold. */
export const heldBy = ({ objects, external }: Contents): number => objects + external;

export const megabytes = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(0)} MB`;

const ROWS: readonly (readonly [string, (memory: Memory) => number])[] = [
  ["process", ({ resident }) => resident],
  ["V8's heap: young objects", ({ heap }) => heap.young],
  ["V8's heap: other objects", ({ heap }) => heap.old],
  ["V8's heap: code", ({ heap }) => heap.code],
  ["buffers", ({ buffers }) => buffers],
  ["held by objects outside of the heap, other than buffers", ({ external, buffers }) => external - buffers],
  ["program and libraries, mapped from files", ({ mapped }) => mapped],
  [
    "the rest: malloc, SQLite, stacks, pages that V8 keeps",
    ({ resident, heap, external, mapped }) =>
      resident - heap.young - heap.old - heap.code - external - mapped,
  ],
];

export function printMemory(columns: Readonly<Record<string, Memory>>): void {
  const memories = Object.values(columns);
  printTable(
    ["memory by part", ...Object.keys(columns)],
    ROWS.map(([name, of]) => [name, ...memories.map((memory) => megabytes(of(memory)))]),
  );
}

/** What loading each library and each room adds, in a process of its own. */
export async function printModules(): Promise<void> {
  const args = [...NODE_FLAGS, "--expose-gc", join(import.meta.dirname, "modules.ts")];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  printTable(
    ["loaded in this order", "heap", "held outside", "process"],
    stdout
      .trim()
      .split("\n")
      .map((line) => line.split("\t")),
  );
}
