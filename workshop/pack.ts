/** `npm run pack`: builds, packs and checks the npm packages. It publishes nothing. */
import { rmSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT } from "../build/buildOnce.ts";
import { buildPackage, PACKAGES } from "./release/build.ts";
import { faultsOf, pack } from "./release/pack.ts";

const OUT = join(ROOT, "cache/release");

const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

rmSync(OUT, { recursive: true, force: true });
for (const source of PACKAGES) {
  const built = await buildPackage(source, join(OUT, "packages"));
  const { path, size, unpackedSize, entryCount } = pack(built, OUT);
  const place = relative(process.cwd(), path);
  console.log(`packed   ${place}: ${kB(size)}, ${entryCount} files of ${kB(unpackedSize)}`);
  for (const fault of await faultsOf(built)) {
    console.log(`FAILED   ${fault}`);
    process.exitCode = 1;
  }
}
