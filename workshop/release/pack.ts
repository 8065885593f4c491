/** What npm itself makes: tarballs, whose members have no times, owners or order of this machine, and the bill of materials. */
import { spawnSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../build/buildOnce.ts";
import type { Staged } from "./stage.ts";

export interface Packed extends Staged {
  /** Below the output folder. */
  readonly tarball: string;
  readonly path: string;
  /** Bytes. */
  readonly packed: number;
  readonly unpacked: number;
  readonly files: readonly string[];
}

/** @throws Error with what npm says */
function npm(args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync("npm", [...args, "--loglevel=error"], {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`npm ${args[0]} failed in ${cwd}:\n${stderr}`);
  return stdout;
}

export function pack(staged: Staged, out: string): Packed {
  mkdirSync(out, { recursive: true });
  const printed = npm(["pack", "--json", "--ignore-scripts", "--pack-destination", out], staged.folder);
  const [{ filename, unpackedSize, files }] = JSON.parse(printed) as [
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
  };
}

/** CycloneDX of package-lock.json, the workshop's packages marked as such. What a package carries of it, its notices name. */
export function billOfMaterials(): string {
  // Without --omit=dev, which leaves out what the product and the workshop both need. The workspaces have no versions
  // here, which npm would stumble over.
  return npm(["sbom", "--sbom-format=cyclonedx", "--package-lock-only", "--workspaces=false"], ROOT);
}
