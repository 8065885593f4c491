/**
 * What became of a SQLite file and the two beside it since they were opened. SQLite never looks again. After a file
 * was deleted, replaced or truncated, it goes on with the open one, and commits to that are lost with the process.
 */
import { closeSync, fstatSync, openSync, readSync, renameSync, type Stats, statSync } from "node:fs";
import type BetterSqlite3 from "better-sqlite3";

/** The file is not a database, or not a complete one. */
export class Corrupt extends Error {
  readonly code = "SQLITE_CORRUPT";
}

/** SQLite would take what is left for a new database, and throw away the WAL. @throws Corrupt */
export function assertNotEmptied(path: string): void {
  if (lookAt(path)?.size === 0 && (lookAt(`${path}-wal`)?.size ?? 0) > 0)
    throw new Corrupt("it was cut off: it is empty, and its -wal is not");
}

/** Nothing that is written counts while it stands. The message is for clients too. */
export class FilesChanged extends Error {
  readonly code = "SQLITE_READONLY_DBMOVED";
  /** Until an operator restarts; otherwise until the file is back. */
  readonly lasts: boolean;
  /** What is read may be wrong as well, and nothing may be copied from one file to another. */
  readonly isDamage: boolean;

  constructor(what: string, kind: "moved" | "replaced" | "damaged") {
    const remedy = kind === "damaged" ? "restore a backup, or restart it" : "restart it";
    super(kind === "moved" ? what : `${what} while the service ran; an operator has to ${remedy}`);
    this.name = "FilesChanged";
    this.lasts = kind !== "moved";
    this.isDamage = kind === "damaged";
  }
}

const WAL_HEADER = 32;
const FRAME_HEADER = 24;
/** Each time the WAL is begun anew it has another salt, which each of its frames repeats. */
const SALT = { ofHeader: 16, ofFrame: 8, length: 8 };
/** Another process may begin the WAL anew between two looks, each time with another number of frames. */
const MOST_LOOKS = 5;

const isSame = (opened: Stats, found: Stats | undefined): found is Stats =>
  found !== undefined && found.ino === opened.ino && found.dev === opened.dev;
const lookAt = (path: string) => statSync(path, { throwIfNoEntry: false });

export class SqliteWatch {
  readonly #path: string;
  readonly #writer: BetterSqlite3.Database;
  readonly #opened: Record<"main" | "wal" | "shm", Stats>;
  readonly #pageSize: number;
  /** How many frames of the WAL count, by the index that all processes share. */
  readonly #frames: BetterSqlite3.Statement;
  /** SQLite locks the other two by this process: closing a handle of ours on them would give up its locks. */
  readonly #wal: number;
  #mainSize: number;
  #seen = { salt: "", frames: 0 };
  #fault: FilesChanged | null = null;
  #isSaved = false;

  /** @param writer has the file open, in WAL mode @throws SQLite's own error, SQLITE_READONLY where the disk takes no writes */
  constructor(path: string, writer: BetterSqlite3.Database) {
    this.#path = path;
    this.#writer = writer;
    // Opens the other two.
    writer.prepare("select 1 from sqlite_schema").get();
    this.#pageSize = writer.pragma("page_size", { simple: true }) as number;
    this.#frames = writer.prepare("pragma wal_checkpoint(noop)");
    this.#opened = { main: statSync(path), wal: statSync(`${path}-wal`), shm: statSync(`${path}-shm`) };
    this.#mainSize = this.#opened.main.size;
    this.#frames.get();
    this.#wal = openSync(`${path}-wal`, "r");
  }

  /** What was found and stays so. */
  get fault(): FilesChanged | null {
    return this.#fault;
  }

  /**
   * Before a write, and after it before the acknowledgement: some microseconds.
   * @throws FilesChanged, or SQLite's own error
   */
  assertInPlace(): void {
    const fault = this.#fault ?? this.#find();
    if (fault === null) return;
    if (fault.lasts) this.#fault = fault;
    if (fault.lasts && !fault.isDamage) this.#save();
    throw fault;
  }

  close(): void {
    closeSync(this.#wal);
  }

  #find(): FilesChanged | null {
    const main = lookAt(this.#path);
    if (!isSame(this.#opened.main, main))
      return new FilesChanged("the database file is no longer where it was opened", "moved");
    // First, and without SQLite, which would be killed by a look into what was cut off.
    const shm = lookAt(`${this.#path}-shm`);
    if (isSame(this.#opened.shm, shm) && shm.size < this.#opened.shm.size)
      return new FilesChanged("the database's file -shm was cut off", "damaged");
    if (this.#isCutOff(main)) return new FilesChanged("the database file was cut off", "damaged");
    if (!this.#isWalWhole())
      return new FilesChanged("the database's file -wal was cut off or overwritten", "damaged");
    for (const [name, found] of [["wal", lookAt(`${this.#path}-wal`)] as const, ["shm", shm] as const])
      if (!isSame(this.#opened[name], found))
        return new FilesChanged(`the database's file -${name} was deleted or replaced`, "replaced");
    return null;
  }

  /** A file gets shorter by VACUUM too, and then says so itself. */
  #isCutOff({ size }: Stats): boolean {
    if (size < this.#mainSize && (size === 0 || size < this.#pageCount() * this.#pageSize)) return true;
    this.#mainSize = size;
    return false;
  }

  #pageCount(): number {
    try {
      return this.#writer.pragma("page_count", { simple: true }) as number;
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }

  /** Whether the last frame that counts is in the open WAL, and of its generation. */
  #isWalWhole(): boolean {
    let frames = -1;
    for (let look = 0; look < MOST_LOOKS; look++) {
      const { log } = this.#frames.get() as { log: number };
      if (log <= 0) return true;
      if (this.#hasFrames(log)) return true;
      if (log === frames) return false;
      frames = log;
    }
    return true;
  }

  /** Its header and last frame; and the last one of before, which a hole would begin at. */
  #hasFrames(count: number): boolean {
    const header = this.#bytes(0, WAL_HEADER);
    const salt = header.toString("hex", SALT.ofHeader, SALT.ofHeader + SALT.length);
    const hasFrame = (number: number) => {
      const end = WAL_HEADER + number * (FRAME_HEADER + this.#pageSize);
      const frame = this.#bytes(end - this.#pageSize - FRAME_HEADER, FRAME_HEADER);
      const found = frame.toString("hex", SALT.ofFrame, SALT.ofFrame + SALT.length);
      return end <= fstatSync(this.#wal).size && found === salt;
    };
    const isWhole = hasFrame(count) && (salt !== this.#seen.salt || hasFrame(this.#seen.frames));
    if (isWhole) this.#seen = { salt, frames: count };
    return isWhole;
  }

  #bytes(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    readSync(this.#wal, bytes, 0, length, at);
    return bytes;
  }

  /**
   * What was acknowledged before is in the open WAL alone, which goes with this process: into the file with it. A WAL that
   * was put in its place must not be taken for its own at the next start. Not where another process may have begun to
   * write by locks of its own.
   */
  #save(): void {
    const wal = lookAt(`${this.#path}-wal`);
    if (this.#isSaved || (wal !== undefined && !isSame(this.#opened.shm, lookAt(`${this.#path}-shm`))))
      return;
    try {
      const [done] = this.#writer.pragma("wal_checkpoint(passive)") as [
        Record<"log" | "checkpointed", number>,
      ];
      this.#isSaved = done.log === done.checkpointed;
      if (this.#isSaved && wal !== undefined && !isSame(this.#opened.wal, wal))
        renameSync(`${this.#path}-wal`, `${this.#path}-wal.not-ours`);
    } catch {
      // A full disk, say: the next write tries again.
    }
  }
}
