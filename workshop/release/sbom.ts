/** The bill of materials: the packages and what of others' is in each, in CycloneDX as npm writes it. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { ROOT } from "../../build/buildOnce.ts";
import { bomRef } from "./libraries.ts";
import type { Packed } from "./pack.ts";
import { rootManifest } from "./plan.ts";

interface Component {
  readonly "bom-ref": string;
  readonly [member: string]: unknown;
}

interface Bom {
  readonly $schema: string;
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly tools: unknown; readonly component: Component };
  readonly components: readonly Component[];
}

/** Of everything that package-lock.json names. @throws Error with what npm says */
function bomOfLock(): Bom {
  // The workspaces are described below, by their tarballs; here they have no versions, which npm would stumble over.
  const args = [
    "sbom",
    "--package-lock-only",
    "--workspaces=false",
    "--sbom-format=cyclonedx",
    "--loglevel=error",
  ];
  const { status, stdout, stderr } = spawnSync("npm", args, {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`npm sbom failed:\n${stderr}`);
  return JSON.parse(stdout);
}

/**
 * @param timestamp of the commit, ISO 8601
 * @throws Error where a library of a package is not in package-lock.json
 */
export function bomOf(packages: readonly Packed[], timestamp: string): object {
  const { $schema, bomFormat, specVersion, metadata, components } = bomOfLock();
  const { version, license } = rootManifest();
  const known = new Map(components.map((component) => [component["bom-ref"], component]));
  const libraries = [...new Set(packages.flatMap((one) => one.libraries.map(bomRef)))].sort();
  const missing = libraries.filter((ref) => !known.has(ref));
  if (missing.length > 0) throw new Error(`package-lock.json does not name ${missing.join(", ")}.`);
  const own = packages.map(({ name, sha512, tarball }) => ({
    "bom-ref": `${name}@${version}`,
    type: "library",
    name,
    version,
    purl: `pkg:npm/${name}@${version}`,
    hashes: [{ alg: "SHA-512", content: sha512 }],
    licenses: [{ license: { id: license } }],
    properties: [{ name: "assay:tarball", value: tarball }],
  }));
  const root = { "bom-ref": `assay@${version}`, type: "application", name: "assay", version };
  const rest = libraries.map((ref) => {
    // Of the lock's tree; here a library stands in the packages that carry it.
    const { properties: _, scope: __, ...component } = known.get(ref) as Component;
    return component;
  });
  const body = {
    metadata: { timestamp, tools: metadata.tools, component: root },
    components: [...own, ...rest],
    dependencies: [
      { ref: root["bom-ref"], dependsOn: own.map((one) => one["bom-ref"]) },
      ...packages.map((one) => ({ ref: `${one.name}@${version}`, dependsOn: one.libraries.map(bomRef) })),
      ...libraries.map((ref) => ({ ref, dependsOn: [] })),
    ],
  };
  return { $schema, bomFormat, specVersion, serialNumber: serialOf(body), version: 1, ...body };
}

/** The same content has the same number. */
function serialOf(body: object): string {
  const hex = createHash("sha256").update(JSON.stringify(body)).digest("hex");
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `urn:uuid:${parts.join("-")}`;
}
