/** What SQLite's errors mean to callers. */
import { codeOf, DatabaseUnavailable } from "./errors.ts";
import { FilesChanged } from "./sqliteWatch.ts";

/** By the beginning of SQLite's code: nothing that the statement could have done better. */
const REASONS: readonly (readonly [string, string])[] = [
  ["BUSY", "another process has locked it"],
  ["LOCKED", "another process has locked it"],
  ["FULL", "its disk is full"],
  ["READONLY", "its disk takes no writes"],
  ["IOERR", "its disk fails"],
  ["CANTOPEN", "its file cannot be opened"],
  ["NOTADB", "its file is corrupt"],
  ["CORRUPT", "its file is corrupt"],
  ["PROTOCOL", "another process has locked it"],
];

/** null: the statement itself is at fault, or that is not known. */
function reasonOf(error: unknown): string | null {
  if (error instanceof FilesChanged) return error.message;
  const code = codeOf(error) ?? "";
  return REASONS.find(([beginning]) => code.startsWith(`SQLITE_${beginning}`))?.[1] ?? null;
}

/** The error as callers see it: DatabaseUnavailable, or its own where the statement is at fault. */
export function translate(error: unknown): unknown {
  const isClosed = error instanceof TypeError && error.message === "The database connection is not open";
  return isClosed || reasonOf(error) !== null ? unavailable(error) : error;
}

/** For those who are not at fault, whatever it was. */
export function unavailable(error: unknown): DatabaseUnavailable {
  return new DatabaseUnavailable(error, reasonOf(error));
}

export function isLocked(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error) ?? "");
}

export function isReadOnly(error: unknown): boolean {
  return codeOf(error)?.startsWith("SQLITE_READONLY") ?? false;
}

export function isCorrupt(error: unknown): error is Error {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error) ?? "");
}
