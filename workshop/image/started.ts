/**
 * A container without a container engine: the image's root mounted read-only in a mount namespace of its own, a data
 * volume in it, and its program as its user. For the test of the image, as root.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { environment } from "../../api/settings/environment.ts";

export interface Started {
  readonly child: ChildProcess;
  /** Both streams so far. */
  output(): string;
}

const SCRIPT = `set -e
mount --bind "$1" "$1"
mount --bind "$2" "$1/var/lib/assay"
mkdir -p "$1/proc" "$1/dev"
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
mount -o remount,bind,ro "$1"
root="$1"; shift 2
exec chroot --userspec=65532:65532 "$root" "$@"`;

/** @param root the image's files @param data the volume, which belongs to 65532 */
export function startInImage(
  root: string,
  data: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): Started {
  const child = spawn(
    "unshare",
    ["--mount", "--propagation", "private", "sh", "-c", SCRIPT, "sh", root, data, ...args],
    {
      env: { PATH: environment().PATH, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk) => {
      text += chunk;
    });
  return { child, output: () => text };
}
