/** Programs that Debian packages, for tests of what `npm` does not bring. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { lacking } from "./suite.ts";

const FOLDERS = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"];

/** Where a program is; undefined: it is not installed. Debian keeps servers where the path of a plain user does not lead. */
export const findProgram = (name: string): string | undefined =>
  FOLDERS.map((folder) => `${folder}/${name}`).find(existsSync);

/**
 * Where a program is, for the `before` of a test file. Where it is not installed the file's tests are skipped with a line
 * that says so; where CI is set they fail.
 * @param name of the program and of its package
 */
export function debianProgram(test: Mocha.Context, name: string): string {
  return findProgram(name) ?? lacking(test, `${name} is not installed (apt-get install ${name})`);
}

export type Daemon = Awaited<ReturnType<typeof startDaemon>>;

/**
 * Starts a program in the foreground.
 * @param ready resolves to true when it does its work
 * @param user whom it runs as; null: the user of the test
 */
export async function startDaemon(
  path: string,
  args: readonly string[],
  ready: () => Promise<boolean>,
  user: { readonly uid: number; readonly gid: number } | null = null,
) {
  const child = spawn(path, args, { ...user, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      output += chunk;
    });
  const ended = new Promise((resolve) => child.on("close", resolve));
  for (let tries = 0; !(await ready()); tries++) {
    if (tries > 400 || child.exitCode !== null) {
      child.kill("SIGKILL");
      throw new Error(`${path} did not start:\n${output}`);
    }
    await sleep(50);
  }
  return {
    /** Everything printed so far. */
    output: () => output,
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/**
 * For a `before`: where the program is missing the file's tests are skipped with a line that says so, and where CI is set
 * they fail.
 */
export function needsProgram(test: Mocha.Context, path: string, debianPackage: string): void {
  if (!existsSync(path))
    lacking(test, `${path} is missing (apt-get install ${debianPackage}), so what needs it is not tested`);
}
