/** `node workshop/openapi/release.ts`: keeps the OpenAPI document of the version in package.json, once, as part of a release. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "../..");
const path = `docs/releases/openapi-${packageJson.version}.json`;

const { status, stdout, stderr } = spawnSync(process.execPath, ["workshop/openapi/print.ts"], {
  cwd: ROOT,
  encoding: "utf8",
  maxBuffer: 64 * 1024 * 1024,
});
if (status !== 0) throw new Error(`the document could not be made:\n${stderr}`);
// What was released stays as it was.
writeFileSync(join(ROOT, path), stdout, { flag: "wx" });
console.log(path);
