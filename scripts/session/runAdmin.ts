/** Runs an admin command from a task: its exit code becomes the process's. */
import { isAbsolute, join } from "node:path";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { ExitCode } from "../adminErrors.ts";
import type { AdminContext } from "./context.ts";
import { contextFrom } from "./hardhatContext.ts";
import { plainText } from "./plainText.ts";
import { inWords } from "./session.ts";

/** The arguments of a command, as its task has them. */
export type TaskArguments<T> = T & { readonly dir?: string };

/** @param args with the option `dir` that every admin task has */
export async function runAdmin(
  hre: HardhatRuntimeEnvironment,
  args: { readonly dir?: string | undefined },
  command: (world: AdminContext) => Promise<ExitCode>,
): Promise<void> {
  process.exitCode = await inWords({ printError: (line) => console.error(plainText(line)) }, async () =>
    command(contextFrom(hre, args.dir)),
  );
}

/** A path that was typed, from where it was typed. */
export function typedPath(path: string | undefined): string | undefined {
  return path === undefined || isAbsolute(path) ? path : join(process.cwd(), path);
}
