/** Reads every row of a SQLite file as of one moment, while the service goes on writing. */
import BetterSqlite3 from "better-sqlite3";
import { DatabaseUnavailable } from "../databaseErrors.ts";
import { BACKUP_TABLES, type BackupRow, type Row } from "./tables.ts";

/** Of one moment; `close` ends the reading. */
export interface Snapshot {
  /** Names of the migrations that the database has seen, in order. */
  readonly migrations: readonly string[];
  /** Table by table, in the order of `BACKUP_TABLES`. */
  rows(): Iterable<BackupRow>;
  close(): void;
}

const MIGRATIONS = "select name from kysely_migration order by name";

/** @param path of a SQLite file @throws DatabaseUnavailable, or the database's own error where it is none of ours */
export function openSnapshot(path: string): Snapshot {
  let file: BetterSqlite3.Database;
  try {
    file = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
  } catch (error) {
    throw new DatabaseUnavailable(error);
  }
  // The first read fixes the moment; writers go on beside it.
  file.exec("begin");
  const migrations = file
    .prepare<[], { name: string }>(MIGRATIONS)
    .all()
    .map(({ name }) => name);
  return {
    migrations,
    *rows() {
      for (const table of BACKUP_TABLES)
        for (const row of file.prepare<[], Row>(`select * from ${table}`).iterate()) yield { table, row };
    },
    close: () => void file.close(),
  };
}
