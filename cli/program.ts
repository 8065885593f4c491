/** Runs a program to its end: exit code, errors in one line, streams that let the process go. */
import { WrongDatabase } from "../database/compatibility.ts";
import { PlainError, realWorld, type World } from "./console.ts";

/** @param main takes what was typed; returns the exit code */
export async function runProgram(
  name: string,
  main: (args: string[], world: World) => Promise<number>,
): Promise<void> {
  const world = realWorld();
  // A reader that has seen enough (`| head`) is no fault.
  process.stdout.on("error", () => process.exit());
  try {
    process.exitCode = await main(process.argv.slice(2), world);
  } catch (error) {
    // What is not ours could carry anything, a stack or a secret, so only its kind is told.
    const known = error instanceof PlainError || error instanceof WrongDatabase;
    world.err(
      `${name}: ${known ? error.message : `this should not have happened (${(error as Error)?.name})`}`,
    );
    process.exitCode = 2;
  }
  // An open pipe that nobody reads any more would keep the process alive.
  process.stdin.destroy();
}
