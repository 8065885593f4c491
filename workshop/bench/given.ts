/** What is typed behind a bench's name, and a folder for as long as it takes. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/** @throws TypeError for an option that the bench does not have */
export const optionsGiven = <const O extends ParseArgsOptionsConfig>(options: O) =>
  parseArgs({ args: process.argv.slice(3), options }).values;

/** @param name of the option, for the error @throws Error */
export function wholeNumber(name: string, text: string, least: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least) return number;
  throw new Error(`--${name} takes a whole number from ${least} on`);
}

/** Gone when it is over, however it ends. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "assay-bench-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
