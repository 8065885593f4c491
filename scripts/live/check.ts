/** One check of what a live service needs. */

import { randomBytes } from "node:crypto";
import { access, rm, statfs, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Config } from "../../api/settings/config.ts";
import type { Deployment } from "../../chain/deployment.ts";
import type { World } from "../console.ts";

/** It is not set, or not there. */
export class Missing extends Error {}
/** It is there and not as it must be. */
export class Wrong extends Error {}

export interface LiveCheck {
  readonly thing: string;
  /** What to do where it is not well. */
  readonly fix: string;
  /** @param signal aborted when its time is up @returns what was found. @throws Missing; anything else is wrong */
  run(signal: AbortSignal): Promise<string>;
}

export const check = (thing: string, fix: string, run: LiveCheck["run"]): LiveCheck => ({ thing, fix, run });

/** What the checks ask by. */
export interface Outside extends Pick<World, "fetch" | "now" | "monotonic" | "exists"> {
  /** Writes into a folder, or into the one that it will be made in, and removes it again. @returns bytes that are free */
  tryFolder(path: string): Promise<number>;
}

export interface Subject {
  readonly config: Config;
  readonly deployment: Deployment;
  readonly outside: Outside;
}

const MOST_CLOCK_MS = 2_000;

/** @throws Wrong where the clocks are too far apart. @param theirs unix milliseconds */
export function assertClock(theirs: number, ours: number, most = MOST_CLOCK_MS): void {
  const seconds = Math.round((theirs - ours) / 1_000);
  if (Math.abs(theirs - ours) > most)
    throw new Wrong(
      `its clock is ${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"} this machine's: synchronize both (NTP)`,
    );
}

/** @returns bytes that are free to this user. @throws the system's error, where nothing can be written */
export async function tryFolder(path: string): Promise<number> {
  let folder = path;
  while (await isMissing(folder)) folder = dirname(folder);
  const file = join(folder, `.check-live-${randomBytes(8).toString("hex")}`);
  await writeFile(file, "", { flag: "wx" }).finally(() => rm(file, { force: true }));
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function isMissing(path: string): Promise<boolean> {
  return await access(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT" && path !== dirname(path),
  );
}
