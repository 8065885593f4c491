/** Databases on disk for as long as a bench takes. */
import { join } from "node:path";
import type { Engine } from "../../database/open.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { withFolder } from "./given.ts";

export const ENGINES = ["sqlite", "postgres"] as const satisfies readonly Engine[];

export const ENGINE_NAMES = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;

/** Makes an empty database and tells its URL. */
export type NewDatabase = () => Promise<string>;

/** A commit waits for the disk on both engines, as it does in earnest. */
export async function withEngine(
  engine: Engine,
  use: (newDatabase: NewDatabase) => Promise<void>,
): Promise<void> {
  let made = 0;
  if (engine === "sqlite")
    return withFolder((folder) => use(async () => `sqlite:${join(folder, `${++made}.db`)}`));
  const { server, remove } = await startPostgres({ isDurable: true });
  try {
    await use(() => server.createDatabase());
  } finally {
    await remove();
  }
}
