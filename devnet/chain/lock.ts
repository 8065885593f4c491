/**
 * One chain a data directory. The lock is the operating system's, taken through SQLite: it is gone the moment
 * the process is, however it ended, which a file with a process id cannot promise.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { ChainStartError } from "./errors.ts";

export interface Lock {
  release(): void;
}

/** @throws ChainStartError `in_use` when another chain holds the directory */
export function lockDirectory(directory: string): Lock {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const database = new Database(join(directory, "lock"), { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if ((error as { code?: string }).code !== "SQLITE_BUSY") throw error;
    throw new ChainStartError(
      "in_use",
      `Another local chain is running on ${directory}. Stop it first, or set DATA_DIR to another directory.`,
      { cause: error },
    );
  }
  return { release: () => database.close() };
}
