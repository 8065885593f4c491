/** A real disk of some megabytes that tests can fill or write-protect: a tmpfs, where this machine lets them mount one. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type SmallDisk = NonNullable<ReturnType<typeof smallDisk>>;

/** @returns null where mounting is refused */
export function smallDisk(megabytes = 2) {
  const folder = mkdtempSync(join(tmpdir(), "assay-disk-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder]);
  if (mounted.status !== 0) {
    rmSync(folder, { recursive: true });
    return null;
  }
  const remove = (): void => {
    spawnSync("umount", ["--lazy", folder]);
    rmSync(folder, { recursive: true, force: true });
  };
  const ballast = join(folder, "ballast");
  return {
    folder,
    /** Takes all the room that is left. */
    fill() {
      const { bfree, bsize } = statfsSync(folder);
      writeFileSync(ballast, Buffer.alloc(bfree * bsize));
    },
    /** Gives it back. */
    free: () => rmSync(ballast, { force: true }),
    /** Mounts it anew, for reading alone or for both. The kernel refuses the first while a file is open for writing. */
    remount(mode: "ro" | "rw") {
      const { status, stderr } = spawnSync("mount", ["-o", `remount,${mode}`, folder], { encoding: "utf8" });
      if (status !== 0) throw new Error(stderr);
    },
    remove,
    [Symbol.dispose]: remove,
  };
}

/** The same for a test that is skipped without one. It is ended by `using`. */
export function smallDiskFor(test: Mocha.Context, megabytes?: number): SmallDisk {
  const disk = smallDisk(megabytes);
  if (disk !== null) return disk;
  console.log(NO_MOUNT);
  return test.skip();
}

/** What a suite says when it cannot run. */
export const NO_MOUNT = "this machine lets nobody mount a tmpfs: the tests with a full disk are skipped";
