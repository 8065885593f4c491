/** Runs commands in this process as they are typed, in a world of the test's. */
import packageJson from "../../package.json" with { type: "json" };
import type { AnyCommand } from "../../scripts/command.ts";
import { COMMANDS } from "../../scripts/commands.ts";
import type { World } from "../../scripts/console.ts";
import { explain } from "../../scripts/explain.ts";
import { programOf, runCommand, runTyped } from "../../scripts/program.ts";

/** `assay` with these words. @returns the exit code */
export const assayIn = programOf("assay", COMMANDS, packageJson.version, explain);

/** `guard pause --reason "a drill"` */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!);
}

/** What a program does with an error of a command. @returns the exit code */
export async function shownIn(world: World, work: () => Promise<number>): Promise<number> {
  return await runCommand("assay", { summary: "", run: work }, [], world, explain);
}

/** What is typed after a command's name, in a world. @throws as the command does */
export const typed = (command: AnyCommand, words: readonly string[], world: World): Promise<number> =>
  runTyped("assay", command, words, world);
