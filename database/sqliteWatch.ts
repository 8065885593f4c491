/**
 * Whether a SQLite file and the two beside it are still those that were opened. SQLite never looks again: after one was
 * deleted, replaced or cut off it goes on with what it has open, and what is committed to that is lost with the process.
 */
import { type Stats, statSync } from "node:fs";
import type BetterSqlite3 from "better-sqlite3";

/** The file itself, the log of what was committed, and the index to that log. */
export const SUFFIXES = ["", "-wal", "-shm"] as const;
type Suffix = (typeof SUFFIXES)[number];

/** Of the log, in bytes. */
const HEADER = 32;
const FRAME_HEADER = 24;
/** Another process may begin the log anew between two looks, which makes it shorter. */
const MOST_LOOKS = 3;

/** Nothing that is written counts. The message is for clients too. */
export class FilesChanged extends Error {
  readonly code = "database_files_changed";
  override readonly name = "FilesChanged";
}

export class SqliteWatch {
  readonly #path: string;
  readonly #writer: BetterSqlite3.Database;
  readonly #opened: Readonly<Record<Suffix, Stats>>;
  readonly #pageSize: number;
  /** How many frames of the log count, by the index that all processes share. */
  readonly #frames: BetterSqlite3.Statement<[], { readonly log: number }>;
  /** As it was last seen. */
  #mainSize: number;
  /** When the open transaction began. Until it ends nobody else can make it shorter. */
  #walSize = 0;
  #damage: FilesChanged | null = null;

  /** @param writer has the file open, in WAL mode @throws SQLite's own error, SQLITE_READONLY where the disk takes no writes */
  constructor(path: string, writer: BetterSqlite3.Database) {
    this.#path = path;
    this.#writer = writer;
    this.#pageSize = this.#pragma("page_size");
    this.#frames = writer.prepare("pragma wal_checkpoint(noop)");
    this.#frames.get();
    this.#opened = { "": statSync(path), "-wal": statSync(`${path}-wal`), "-shm": statSync(`${path}-shm`) };
    this.#mainSize = this.#opened[""].size;
  }

  /** One was cut off: what is read may be wrong too, and nothing may be copied from one to another. It stays so. */
  get damage(): FilesChanged | null {
    return this.#damage;
  }

  /** Before a transaction, and after its commit before that is acknowledged: some microseconds. @throws FilesChanged */
  assertInPlace(): void {
    if (this.#damage !== null) throw this.#damage;
    for (const suffix of SUFFIXES) {
      const { ino, dev } = this.#opened[suffix];
      const found = lookAt(`${this.#path}${suffix}`);
      if (found?.ino !== ino || found.dev !== dev)
        throw new FilesChanged(
          `${nameOf(suffix)} was moved, deleted or replaced while the service ran; nothing is written until it is back, or an operator restarts it`,
        );
    }
    if (this.#isMainCutOff()) throw this.#damagedBy("");
    if (this.#isWalCutOff()) throw this.#damagedBy("-wal");
  }

  begun(): void {
    this.#walSize = sizeOf(`${this.#path}-wal`);
  }

  /** Before the commit: what is written behind a hole would be lost at the next start. @throws FilesChanged */
  assertSinceBegun(): void {
    if (sizeOf(`${this.#path}-wal`) < this.#walSize) throw this.#damagedBy("-wal");
  }

  /** A file gets shorter by VACUUM too, and then says so itself. */
  #isMainCutOff(): boolean {
    const size = sizeOf(this.#path);
    if (size < this.#mainSize && (size === 0 || size < this.#pragma("page_count") * this.#pageSize))
      return true;
    this.#mainSize = size;
    return false;
  }

  #isWalCutOff(): boolean {
    for (let look = 0; look < MOST_LOOKS; look++) {
      const log = this.#frames.get()?.log ?? 0;
      if (log <= 0 || sizeOf(`${this.#path}-wal`) >= HEADER + log * (FRAME_HEADER + this.#pageSize))
        return false;
    }
    return true;
  }

  #damagedBy(suffix: Suffix): FilesChanged {
    this.#damage = new FilesChanged(
      `${nameOf(suffix)} was cut off while the service ran; an operator has to restart it, or restore a backup`,
    );
    return this.#damage;
  }

  #pragma(name: string): number {
    return this.#writer.pragma(name, { simple: true }) as number;
  }
}

function nameOf(suffix: Suffix): string {
  return suffix === "" ? "the database file" : `the database's ${suffix} file`;
}

function lookAt(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

export function sizeOf(path: string): number {
  return lookAt(path)?.size ?? 0;
}
