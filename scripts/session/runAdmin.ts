/** Runs an admin command from a task: its exit code becomes the process's. */
import { isAbsolute, join } from "node:path";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { NewTaskActionFunction } from "hardhat/types/tasks";
import type { ExitCode } from "../adminErrors.ts";
import { plainText } from "./confirm.ts";
import type { AdminContext } from "./context.ts";
import { contextFrom } from "./hardhatContext.ts";
import { inWords } from "./session.ts";

export type AdminCommand<T> = (
  world: AdminContext,
  args: T,
  hre: HardhatRuntimeEnvironment,
) => Promise<ExitCode>;

/** The task has the option `dir` as every admin task has it. */
export function actionOf<T extends object>(
  command: AdminCommand<T>,
): NewTaskActionFunction<T & { readonly dir?: string }> {
  return async (args, hre) => {
    process.exitCode = await inWords({ printError: (line) => console.error(plainText(line)) }, async () =>
      command(contextFrom(hre, args.dir), withTypedPaths(args), hre),
    );
  };
}

/** Options that name a file, from where it was typed: Hardhat runs tasks in the folder of its configuration. */
const FILES = ["safe", "proof", "out", "file"];

function withTypedPaths<T extends object>(args: T): T {
  const typed = Object.entries(args).map(([name, value]) => {
    const isPath = FILES.includes(name) && typeof value === "string" && !isAbsolute(value);
    return [name, isPath ? join(process.cwd(), value) : value];
  });
  return Object.fromEntries(typed) as T;
}
