/** The tarballs, as npm makes them, and what publint says of them. */
import { spawnSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Staged } from "./stage.ts";

export interface Packed extends Staged {
  /** Of the tarball. */
  readonly path: string;
  readonly bytes: number;
  /** Bytes of what is in it. */
  readonly unpacked: number;
  /** How many there are in it. */
  readonly files: number;
}

/** @throws Error with what npm says */
export function pack(staged: Staged, out: string): Packed {
  mkdirSync(out, { recursive: true });
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", out, "--loglevel=error"];
  const options = { cwd: staged.folder, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 } as const;
  const { status, stdout, stderr } = spawnSync("npm", args, options);
  if (status !== 0) throw new Error(`npm pack failed in ${staged.folder}:\n${stderr}`);
  const [{ filename, unpackedSize, entryCount }] = JSON.parse(stdout) as [
    { filename: string; unpackedSize: number; entryCount: number },
  ];
  const path = join(out, filename);
  return { ...staged, path, bytes: statSync(path).size, unpacked: unpackedSize, files: entryCount };
}

/** @returns what publint finds in a package, a line each; none where all is well */
export async function faultsOf({ name, folder }: Pick<Packed, "name" | "folder">): Promise<string[]> {
  const { publint } = await import("publint");
  const { formatMessage } = await import("publint/utils");
  const { messages, pkg } = await publint({ pkgDir: folder, strict: true });
  return messages.map((message) => `${name}: ${formatMessage(message, pkg, { color: false })}`);
}
