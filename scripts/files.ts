/** Reading and writing the records: whole or not at all, and on the disk before anybody relies on it. */
import { randomBytes } from "node:crypto";
import { link, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { reasonOf } from "./console.ts";
import { CommandError, Unusable } from "./errors.ts";

/** @returns null when there is no such file. @throws Unusable */
export async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new Unusable(`${path} cannot be read: ${reasonOf(error)}.`);
  }
}

/** @throws Unusable with everything that is wrong with it */
export function parseJson<T>(path: string, text: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Unusable(`${path} is not JSON.`);
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new Unusable(`${path} cannot be used:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** @returns null when there is no such file. @throws Unusable */
export async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
  const text = await readText(path);
  return text === null ? null : parseJson(path, text, schema);
}

const READABLE = 0o644;

function draftOf(path: string): string {
  return `${path}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
}

/** Replaces a file in one step. @throws Unusable */
export function writeJson(path: string, value: unknown, mode = READABLE): Promise<void> {
  return writeText(path, `${JSON.stringify(value, null, 2)}\n`, mode);
}

/** Replaces a file in one step. @throws Unusable */
export async function writeText(path: string, text: string, mode = READABLE): Promise<void> {
  await guarded(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    const draft = draftOf(path);
    await synced(draft, "wx", text, mode);
    await rename(draft, path);
  });
}

/** @returns false when the file exists already. @throws Unusable */
export async function createJson(path: string, value: unknown): Promise<boolean> {
  return await guarded(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    const draft = draftOf(path);
    await synced(draft, "wx", `${JSON.stringify(value, null, 2)}\n`);
    try {
      // Whole or not at all, and never over another one: a power cut must leave no half of a file.
      await link(draft, path);
      return true;
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") return false;
      if (!NO_LINKS.has(code)) throw error;
      return await createPlainly(path, value);
    } finally {
      await rm(draft, { force: true });
    }
  });
}

/** What file systems without hard links say, network drives and memory cards. */
const NO_LINKS = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EMLINK"]);

async function createPlainly(path: string, value: unknown): Promise<boolean> {
  try {
    await synced(path, "wx", `${JSON.stringify(value, null, 2)}\n`);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Adds one line of JSON. @throws Unusable */
export async function appendLine(path: string, value: unknown): Promise<void> {
  await guarded(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    // A line that a power cut left without its end stays a line of its own.
    const whole = ((await readText(path)) ?? "\n").endsWith("\n");
    await synced(path, "a", `${whole ? "" : "\n"}${JSON.stringify(value)}\n`);
  });
}

export async function remove(path: string): Promise<void> {
  await guarded(path, () => rm(path, { force: true }));
}

/** @returns where it lies now. @throws Unusable */
export async function setAside(path: string): Promise<string> {
  const aside = `${path}.${randomBytes(4).toString("hex")}.broken`;
  await guarded(path, () => rename(path, aside));
  return aside;
}

async function synced(path: string, flags: string, text: string, mode = READABLE): Promise<void> {
  const file = await open(path, flags, mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new Unusable(`${path} cannot be written: ${reasonOf(error)}.`);
  }
}
