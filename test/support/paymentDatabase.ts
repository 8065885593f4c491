/** A SQLite file of its own, for tests in which the engine does not matter but a restart does. */
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function databaseFile(): { url: string; remove(): Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), "assay-paid-"));
  return {
    url: `sqlite:${join(folder, "assay.db")}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
