/** `npm run image`: what an image is built from, and whether it works. See docs/operations.md, "Installing as an image". */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { makeContext } from "./context.ts";
import { missingPrograms } from "./programs.ts";
import { testImage } from "./test.ts";

const HELP = `npm run image -- context <folder>   puts the build context of the image together, for
                                    podman, buildah or docker build <folder>
npm run image -- test [folder]      builds it on a base of debootstrap, starts it and trades through it; as root.
                                    A folder that is named is kept, and with it what debootstrap has installed`;

async function main([command, folder, ...rest]: readonly string[]): Promise<number> {
  if (
    rest.length > 0 ||
    (command !== "context" && command !== "test") ||
    (command === "context" && !folder)
  ) {
    console.error(HELP);
    return 2;
  }
  if (command === "context") {
    makeContext(resolve(folder ?? ""));
    return 0;
  }
  const missing = missingPrograms(["buildah", "debootstrap", "unshare", "nsenter"]);
  if (missing.length > 0 || process.getuid?.() !== 0) {
    console.log(`SKIPPED: the test of the image needs root and ${missing.join(", ") || "nothing else"}`);
    return 0;
  }
  const place = folder === undefined ? mkdtempSync(join(tmpdir(), "assay-image-")) : resolve(folder);
  try {
    await testImage(place, (line) => console.log(line));
    console.log("The image works.");
    return 0;
  } finally {
    if (folder === undefined) rmSync(place, { recursive: true, force: true });
  }
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  return 1;
});
