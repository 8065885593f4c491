/** Runs an admin command from a task: its exit code becomes the process's. */
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { ExitCode } from "../admin/errors.ts";
import { plainText } from "../admin/plainText.ts";
import { inWords } from "../admin/session.ts";
import type { AdminWorld } from "../admin/world.ts";
import { worldFrom } from "./world.ts";

/** @param args with the option `dir` that every admin task has */
export async function runAdmin(
  hre: HardhatRuntimeEnvironment,
  args: { readonly dir?: string | undefined },
  command: (world: AdminWorld) => Promise<ExitCode>,
): Promise<void> {
  process.exitCode = await inWords({ printError: (line) => console.error(plainText(line)) }, async () =>
    command(worldFrom(hre, args.dir)),
  );
}
