/** Runs a program to its end: exit code, errors in one line, streams that let the process go. */
import { UnusableDatabase } from "../database/errors.ts";
import { PlainError, realWorld, type World } from "./console.ts";

export type Main = (args: string[], world: World) => Promise<number>;

export async function runProgram(name: string, main: Main): Promise<void> {
  // A reader that has seen enough (`| head`) is no fault.
  process.stdout.on("error", () => process.exit());
  process.exitCode = await exitCodeOf(name, main, process.argv.slice(2), realWorld());
  // An open pipe that nobody reads any more would keep the process alive.
  process.stdin.destroy();
}

/** Runs it, and says in one line why it could not. */
export async function exitCodeOf(name: string, main: Main, args: string[], world: World): Promise<number> {
  try {
    return await main(args, world);
  } catch (error) {
    // Errors of others could contain anything, a stack or a secret, so only their kind is shown.
    const known = error instanceof PlainError || error instanceof UnusableDatabase;
    world.err(
      `${name}: ${known ? error.message : `this should not have happened (${(error as Error)?.name})`}`,
    );
    return 2;
  }
}
