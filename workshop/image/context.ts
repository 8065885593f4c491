/** Puts together what the image holds: the sources that run, the packages that they need, and Node. */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { environment } from "../../api/settings/environment.ts";
import { ROOT } from "../../build/buildOnce.ts";

/** Rooms that run in production, and what the build makes for them. */
const PARTS = [
  "api",
  "attestor",
  "chain",
  "cli",
  "client",
  "database",
  "deployments",
  "devnet",
  "market",
  "types/contracts",
  "web/dist",
  "LICENSE",
  "package.json",
];

/** Nothing of this runs: compilers and sources of native modules, types, maps, and what other packages only name. */
const UNUSED = [
  ".bin",
  ".package-lock.json",
  "@openzeppelin",
  "@typescript",
  "typescript",
  "better-sqlite3/{deps,src,binding.gyp,build}",
  "better-sqlite3/prebuilds/!(linux-*)",
  "pkcs11js/{src,lib,includes,pkcs11,binding.gyp,build/!(Release)}",
  "pkcs11js/build/Release/!(pkcs11.node)",
  "node-gyp",
  // Node strips types from no package, so that no TypeScript in one can run.
  "**/*.{ts,mts,cts,map,md,markdown,flow,c,cc,h,o,a,obj}",
];

/**
 * @param folder new or empty
 * @throws Error in words for people
 */
export function makeContext(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`);
  for (const part of ["types/contracts", "web/dist"])
    if (!existsSync(join(ROOT, part))) throw new Error(`there is no ${part}: run npm run setup first`);
  const app = join(folder, "app");
  mkdirSync(join(app, "bin"), { recursive: true });
  mkdirSync(join(folder, "data"));
  for (const part of PARTS) cpSync(join(ROOT, part), join(app, part), { recursive: true, dereference: true });
  // Records of this machine's local chain, and its journals.
  for (const own of globSync("deployments/{31337.*,ignition,*.pending.json,*.approvals.json,*.seen.json}", {
    cwd: app,
  }))
    rmSync(join(app, own), { recursive: true, force: true });
  cpSync(process.execPath, join(app, "bin/node"), { dereference: true });
  chmodSync(join(app, "bin/node"), 0o755);
  cpSync(join(ROOT, "deploy/image/healthy.mjs"), join(app, "bin/healthy.mjs"));
  cpSync(join(ROOT, "deploy/image/Containerfile"), join(folder, "Containerfile"));
  installPackages(app);
}

/** The lock file's packages without those of development, installed by this very Node. */
function installPackages(app: string): void {
  cpSync(join(ROOT, "package-lock.json"), join(app, "package-lock.json"));
  const { status } = spawnSync("npm", ["ci", "--omit=dev", "--no-audit", "--no-fund"], {
    cwd: app,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...environment(), PATH: `${join(ROOT, "node_modules/.bin")}:${environment().PATH}` },
  });
  if (status !== 0) throw new Error("npm ci failed");
  rmSync(join(app, "package-lock.json"));
  for (const pattern of UNUSED)
    for (const path of globSync(pattern, { cwd: join(app, "node_modules") }))
      rmSync(join(app, "node_modules", path), { recursive: true, force: true });
}
