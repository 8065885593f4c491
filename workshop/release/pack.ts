/** Tarballs, by npm itself: its members have no times, owners or order of this machine. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Staged } from "./stage.ts";

export interface Packed extends Staged {
  /** Below the output folder. */
  readonly tarball: string;
  readonly path: string;
  /** Bytes. */
  readonly packed: number;
  readonly unpacked: number;
  readonly files: readonly string[];
  readonly sha512: string;
}

/** @throws Error with what npm says */
export function pack(staged: Staged, out: string): Packed {
  mkdirSync(out, { recursive: true });
  const args = ["pack", "--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", out];
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd: staged.folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm pack failed for ${staged.name}:\n${stderr}`);
  const [{ filename, unpackedSize, files }] = JSON.parse(stdout) as [
    { filename: string; unpackedSize: number; files: { path: string }[] },
  ];
  const path = join(out, filename);
  return {
    ...staged,
    tarball: filename,
    path,
    packed: statSync(path).size,
    unpacked: unpackedSize,
    files: files.map((file) => file.path).sort(),
    sha512: createHash("sha512").update(readFileSync(path)).digest("hex"),
  };
}
