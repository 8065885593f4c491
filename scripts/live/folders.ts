/** Whether a folder takes files, and how much room its disk has. */
import { randomBytes } from "node:crypto";
import { access, rm, statfs, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

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
