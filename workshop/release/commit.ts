/** What is released. */
import { spawnSync } from "node:child_process";
import { ROOT } from "../../build/buildOnce.ts";

export interface Commit {
  /** 40 hexadecimal digits; null outside of a repository. */
  readonly id: string | null;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Whether files differ from the commit's. */
  readonly isChanged: boolean;
}

/** Unix time 0 says that nobody knows. */
const UNKNOWN = "1970-01-01T00:00:00.000Z";

function git(...args: string[]): string | null {
  const { status, stdout } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}

export function commitOfRoot(): Commit {
  const seconds = git("log", "-1", "--format=%ct");
  return {
    id: git("rev-parse", "HEAD"),
    at: seconds === null ? UNKNOWN : new Date(Number(seconds) * 1000).toISOString(),
    isChanged: git("status", "--porcelain") !== "",
  };
}
