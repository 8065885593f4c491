/** `DATA_DIR/local.json`: where the local service stands and how to reach it, so that nobody copies and pastes. */
import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Address } from "../attestor/values/primitives.ts";

export const LocalFile = z.object({
  baseUrl: z.url(),
  rpcUrl: z.url(),
  chainId: z.int().min(1),
  /** Made for local use; the file is readable by its owner alone because of it. */
  apiKey: z.string().min(1),
  guard: Address,
  executor: Address,
  /** By symbol. */
  tokens: z.record(z.string(), Address),
});
export type LocalFile = z.infer<typeof LocalFile>;

const pathIn = (dataDir: string): string => join(dataDir, "local.json");

/** Replaces the file in one step, so that a reader never sees half of it. */
export async function writeLocalFile(dataDir: string, content: LocalFile): Promise<void> {
  const path = pathIn(dataDir);
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  // An existing file's mode would stay as it was; the draft is new, but an odd umask could still widen it.
  await chmod(draft, 0o600);
  await rename(draft, path);
}

/** @returns null where there is no file yet, or none that this program wrote */
export async function readLocalFile(dataDir: string): Promise<LocalFile | null> {
  try {
    const parsed = LocalFile.safeParse(JSON.parse(await readFile(pathIn(dataDir), "utf8")));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
