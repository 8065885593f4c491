/**
 * The last checkpoint that the log signed, in a file: outside of the database, so that a database restored to an older state
 * cannot make the log forget what it signed.
 */
import {
  closeSync,
  fdatasync,
  fsync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** More than any checkpoint has. */
const TRIAL = Buffer.alloc(4_096);

/** For operators and clients: without the path, which is nobody's business. */
export const stateFault = (error: unknown): string =>
  `its state folder cannot be written (${(error as NodeJS.ErrnoException).code ?? "unknown"})`;

/** The last checkpoint of the log, and of one that it took over from. */
export type LastCheckpoints = ReturnType<typeof lastCheckpointsIn>;

/**
 * A file is named after its log and its number of entries. A process that froze while writing, and resumes after another has
 * signed more, thus cannot overwrite the newer one. Smaller ones are deleted once a larger one exists.
 * @param folder made when it is first written to
 */
export function lastCheckpointsIn(folder: string) {
  /** Paths of checkpoints that a larger one of this process makes superfluous, by log. */
  const former = new Map<string, string[]>();
  /** What this process wrote last, by log: put back where the folder is gone. */
  const written = new Map<string, { readonly path: string; readonly note: string }>();
  return {
    /** @returns null where there is none. @throws when there is one that cannot be read */
    async read(origin: string) {
      const found = await Promise.all(
        filesOf(folder, origin).map(async (path) => ({ path, note: await readFile(path, "utf8") })),
      );
      found.sort((a, b) => sizeIn(a.note) - sizeIn(b.note));
      former.set(
        origin,
        found.map(({ path }) => path),
      );
      return found.at(-1)?.note ?? null;
    },
    has: (origin: string) => filesOf(folder, origin).length > 0,
    /** Resolves when it would outlive a loss of power. What has more entries stays the last one. */
    async write(origin: string, note: string) {
      const path = join(folder, `${fileNameOf(origin)}.${sizeIn(note)}.checkpoint`);
      const draft = `${path}.${process.pid}.tmp`;
      // Only the disk is waited for: with each other step a certificate would wait for a turn of the event loop more.
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const file = openSync(draft, "w", 0o600);
      try {
        writeFileSync(file, note);
        await promisify(fdatasync)(file);
      } finally {
        closeSync(file);
      }
      renameSync(draft, path);
      const directory = openSync(folder, "r");
      try {
        await promisify(fsync)(directory);
      } finally {
        closeSync(directory);
      }
      for (const old of former.get(origin) ?? [])
        if (old !== path && sizeOf(old) < sizeIn(note)) rmSync(old, { force: true });
      former.set(origin, [path]);
      written.set(origin, { path, note });
    },
    /** Why nothing can be written, found by writing; null: it can. */
    fault() {
      const trial = join(folder, `trial.${process.pid}.tmp`);
      try {
        if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined)
          for (const { path, note } of written.values())
            writeFileSync(path, note, { mode: 0o600, flush: true });
        const file = openSync(trial, "w", 0o600);
        try {
          writeSync(file, TRIAL);
        } finally {
          closeSync(file);
          rmSync(trial, { force: true });
        }
        return null;
      } catch (error) {
        return stateFault(error);
      }
    },
  };
}

/** A log's name without what file systems do not take. */
const fileNameOf = (origin: string): string => origin.replace(/[^A-Za-z0-9.-]/g, "_");

function filesOf(folder: string, origin: string): string[] {
  const start = `${fileNameOf(origin)}.`;
  const isIts = (name: string) =>
    name.startsWith(start) && /^[0-9]+\.checkpoint$/.test(name.slice(start.length));
  try {
    return readdirSync(folder)
      .filter(isIts)
      .map((name) => join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** The second line of a checkpoint; what is none, and will be found to be none, comes last. */
function sizeIn(note: string): number {
  const size = Number(note.split("\n")[1]);
  return Number.isSafeInteger(size) ? size : Number.POSITIVE_INFINITY;
}

/** As a file's name says it. */
const sizeOf = (path: string): number => Number(/\.([0-9]+)\.checkpoint$/.exec(path)?.[1]);
