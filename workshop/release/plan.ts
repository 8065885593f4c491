/** Which packages there are, and what each is made of. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../build/buildOnce.ts";

export interface PackagePlan {
  /** Folder in `packages/`. */
  readonly folder: string;
  /** Whether it has a program of the package's name, `cli.ts`. */
  readonly program: boolean;
}

export const PLANS: readonly PackagePlan[] = [
  { folder: "client", program: false },
  { folder: "verify", program: true },
  { folder: "contracts", program: false },
];

/** `packages/<folder>/package.json`, as far as it is written by hand. */
interface OwnManifest {
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
