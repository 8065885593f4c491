/** Databases on disk for as long as a bench takes. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "../../../database/open.ts";
import { startPostgres } from "../../../test/support/postgres.ts";

export const ENGINES = ["sqlite", "postgres"] as const satisfies readonly Engine[];

/** Makes an empty database and tells its URL. */
export type NewDatabase = () => Promise<string>;

/** A commit waits for the disk on both engines, as it does in earnest. */
export async function withEngine(
  engine: Engine,
  use: (newDatabase: NewDatabase) => Promise<void>,
): Promise<void> {
  if (engine === "postgres") {
    const { server, remove } = await startPostgres({ isDurable: true });
    try {
      await use(() => server.createDatabase());
    } finally {
      await remove();
    }
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), "assay-bench-"));
  let made = 0;
  try {
    await use(async () => `sqlite:${join(folder, `${++made}.db`)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
