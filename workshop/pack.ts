/** `npm run pack`: builds, packs and checks the npm packages. It publishes nothing. */
import { rmSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT } from "../build/buildOnce.ts";
import { faultsOf, pack } from "./release/pack.ts";
import { PLANS } from "./release/plan.ts";
import { stage } from "./release/stage.ts";

const OUT = join(ROOT, "cache/release");

const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

rmSync(OUT, { recursive: true, force: true });
for (const plan of PLANS) {
  const packed = pack(await stage(plan, join(OUT, "packages")), OUT);
  const { path, bytes, unpacked, files } = packed;
  const place = relative(process.cwd(), path);
  console.log(`packed   ${place}: ${kB(bytes)}, ${files} files of ${kB(unpacked)}`);
  for (const fault of await faultsOf(packed)) {
    console.log(`FAILED   ${fault}`);
    process.exitCode = 1;
  }
}
