/** The tarballs, as npm makes them, and what publint says of them. */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Built } from "./build.ts";

/** A tarball. Sizes are in bytes. */
interface Tarball {
  readonly path: string;
  readonly size: number;
  /** Of what is in it. */
  readonly unpackedSize: number;
  /** How many files are in it. */
  readonly entryCount: number;
}

/** @param out the folder that the tarball comes into @throws Error with what npm says */
export function pack({ folder }: Built, out: string): Tarball {
  mkdirSync(out, { recursive: true });
  const { status, stdout, stderr } = spawnSync(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", out, "--loglevel=error"],
    { cwd: folder, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  if (status !== 0) throw new Error(`npm pack failed in ${folder}:\n${stderr}`);
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(stdout);
  return { path: join(out, filename), size, unpackedSize, entryCount };
}

/** @returns what publint finds in a package, a line each; none where all is well */
export async function faultsOf({ name, folder }: Built): Promise<string[]> {
  const { publint } = await import("publint");
  const { formatMessage } = await import("publint/utils");
  const { messages, pkg } = await publint({ pkgDir: folder, strict: true });
  return messages.map((message) => `${name}: ${formatMessage(message, pkg, { color: false })}`);
}
