/** Programs of the machine that build and start images. */
import { spawnSync } from "node:child_process";

/** @throws Error with what the program said */
export function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw error;
  if (status !== 0)
    throw new Error(`${command} ${args[0] ?? ""} failed:\n${stdout.slice(-2_000)}${stderr.slice(-2_000)}`);
  return stdout;
}

/** Those of the names that are not to be had here. */
export function missingPrograms(names: readonly string[]): string[] {
  return names.filter(
    (name) => spawnSync("sh", ["-c", `command -v ${name}`], { stdio: "ignore" }).status !== 0,
  );
}

/** Buildah with a store of its own, without a daemon, namespaces of users or a registry. */
export function buildah(store: string, ...args: readonly string[]): string {
  return run("buildah", [
    "--storage-driver",
    "vfs",
    "--root",
    `${store}/storage`,
    "--runroot",
    `${store}/run`,
    ...args,
  ]);
}
