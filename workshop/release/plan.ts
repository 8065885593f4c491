/** Which packages there are, what each is made of, and how large it may get. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../build/buildOnce.ts";

export interface PackagePlan {
  /** Folder in `packages/`. */
  readonly folder: string;
  /** Whether it has a program of the package's name, `cli.ts`. */
  readonly program: boolean;
  /** Bytes: of the tarball, of what it holds, and of the ES module `dist/index.js` with what it loads, after gzip. */
  readonly limits: { readonly packed: number; readonly unpacked: number; readonly module: number };
}

export const PLANS: readonly PackagePlan[] = [
  { folder: "client", program: false, limits: { packed: 1_150_000, unpacked: 4_700_000, module: 235_000 } },
  { folder: "verify", program: true, limits: { packed: 1_150_000, unpacked: 4_500_000, module: 215_000 } },
  { folder: "contracts", program: false, limits: { packed: 36_000, unpacked: 450_000, module: 4_000 } },
];

/** `packages/<folder>/package.json`, as far as it is written by hand. */
export interface OwnManifest {
  readonly name: string;
  /** Whether its name is a placeholder: npm publishes nothing that is private. */
  readonly private?: boolean;
  readonly description: string;
  readonly keywords: readonly string[];
}

const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));

export const manifestOf = ({ folder }: PackagePlan): OwnManifest =>
  readJson(`packages/${folder}/package.json`);

/** Of the root, for all packages. */
export function rootManifest(): { version: string; license: string } {
  const { version, license } = readJson("package.json");
  return { version, license };
}
