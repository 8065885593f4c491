/** Runs commands in this process as they are typed, or by what is given to them, in a world of the test's. */
import packageJson from "../../package.json" with { type: "json" };
import type { AdminWorld } from "../../scripts/admin/world.ts";
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

/** Typed as a user would type it: through the parser, so that a test finds what no command line can say. */
export async function runGiven(
  command: AnyCommand,
  given: Words,
  world: World | AdminWorld,
): Promise<number> {
  return await runCommand("assay", command, argvOf(command, given), world, explain);
}

/** By the names of arguments and options. */
export type Words = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

function argvOf({ positionals = {}, options = {} }: AnyCommand, given: Words): string[] {
  const dashed = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const words = Object.keys(positionals).flatMap((name) =>
    given[name] === undefined ? [] : [String(given[name])],
  );
  const typed = Object.keys(options).flatMap((name) => {
    const value = given[name];
    if (value === true) return [dashed(name)];
    if (value === undefined || value === false) return [];
    return [value].flat().map((one) => `${dashed(name)}=${one}`);
  });
  return [...typed, "--", ...words];
}

/** What a program does with an error of a command. @returns the exit code */
export async function shownIn(world: World, work: () => Promise<number>): Promise<number> {
  return await runCommand("assay", { summary: "", run: work }, [], world, explain);
}

/** What is typed after a command's name, in a world. @throws as the command does */
export const typed = (command: AnyCommand, words: readonly string[], world: World): Promise<number> =>
  runTyped("assay", command, words, world);
