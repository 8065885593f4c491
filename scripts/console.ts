/** The world of the command line: files, prompts and the two streams, so that commands get them as arguments. */
import { createReadStream } from "node:fs";
import { access, chown, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { createInterface as createQuestions } from "node:readline/promises";
import { type Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Environment } from "../api/settings/environment.ts";
import { orElse } from "../attestor/values/orElse.ts";
import { decodeText } from "../attestor/verify/document.ts";
import { Unusable } from "./errors.ts";

export interface World {
  out(line: string): void;
  err(line: string): void;
  /** How wide the output is; null: it goes to a file or another program, which wants each line as one. */
  columns(): number | null;
  /**
   * The text of a file, or of standard input for `-`.
   * @throws Unusable when it cannot be read, is no text or has more bytes than `limit`
   */
  readText(path: string, limit: number): Promise<string>;
  exists(path: string): Promise<boolean>;
  /** Writes a file that only its owner may read. @throws Unusable when it cannot, or when it exists */
  writeSecret(path: string, content: string): Promise<void>;
  /** Writes text as it is, with its line ends. */
  write(text: string): void;
  /** Unix milliseconds. */
  now(): number;
  /** Milliseconds on a clock that never goes back. */
  monotonic(): number;
  sleep(milliseconds: number): Promise<void>;
  readonly fetch: typeof fetch;
  readonly env: Environment;
  /** Asks for a yes. False where nobody is there to answer. */
  confirm(question: string): Promise<boolean>;
  /** Asks without showing what is typed. Without a terminal it takes the next line of standard input. */
  ask(question: string): Promise<string>;
}

/** @throws Unusable which names the file, when it cannot be read */
export async function readFile(path: string, limit: number, world: Pick<World, "readText">): Promise<string> {
  try {
    return await world.readText(path, limit);
  } catch (error) {
    throw new Unusable(`${fileName(path)} cannot be read: ${(error as Error).message}`);
  }
}

function fileName(path: string): string {
  if (path === "-") return "Standard input";
  return path === "" ? '""' : path;
}

/** What the first line of a file says. */
async function readFirstLine(path: string, limit: number, world: Pick<World, "readText">): Promise<string> {
  return (await readFile(path, limit, world)).split(/\r?\n/, 1)[0] ?? "";
}

const LONGEST_PASSPHRASE = 4_096;

/** The first line of a file, or what is typed where no file is named. */
export async function passphraseFrom(
  file: string | undefined,
  question: string,
  world: Pick<World, "readText" | "ask">,
): Promise<string> {
  if (file === undefined) return await world.ask(question);
  return await readFirstLine(file, LONGEST_PASSPHRASE, world);
}

type Input = Readable & Pick<NodeJS.ReadStream, "isTTY">;

/** @param input what is typed, or piped */
export function realWorld(env: Environment, input: Input = process.stdin): World {
  const ask = prompter(input);
  return {
    out: (line) => void process.stdout.write(`${plainText(line)}\n`),
    err: (line) => void process.stderr.write(`${plainText(line)}\n`),
    columns: () => (process.stdout.isTTY ? process.stdout.columns : null),
    readText: (path, limit) => readAll(path === "-" ? input : createReadStream(path), limit),
    exists: (path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    writeSecret,
    write: (text) => void process.stdout.write(text),
    now: Date.now,
    monotonic: () => performance.now(),
    sleep: (milliseconds) => sleep(milliseconds),
    fetch,
    env,
    confirm: async (question) => Boolean(input.isTTY) && (await askYes(question, input, process.stderr)),
    ask,
  };
}

/** @throws Unusable where it cannot be read, is no text or has more bytes than `limit` */
async function readAll(stream: Readable, limit: number): Promise<string> {
  const bytes = await readShort(stream, limit).catch((error) => {
    throw new Unusable(reasonOf(error));
  });
  if (bytes === null) throw new Unusable(`it has more than ${limit} bytes`);
  const text = decodeText(bytes);
  if (text === null) throw new Unusable("it is not UTF-8 text, nor UTF-16 with a byte order mark");
  return text;
}

/** The bytes of a stream or of an answer's body; null where there are more than that, of which no more are read. */
export async function readShort(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limit: number,
): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limit) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** null for what is no UTF-8 text. */
export const textOf = (bytes: Uint8Array): string | null =>
  orElse(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes), null);

async function writeSecret(path: string, content: string): Promise<void> {
  try {
    // Not `await using`: assay-verify, which has this file, runs in Node 20 as well.
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await giveToFolder(path);
  } catch (error) {
    throw new Unusable(reasonOf(error));
  }
}

/** A file that root made becomes that of its folder's owner: the service has to open it under its own user. */
export async function giveToFolder(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(dirname(path));
  await chown(path, uid, gid);
}

/** Why a file cannot be read or written, in words that end a sentence. */
export function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    ENOENT: "the file or folder does not exist",
    EISDIR: "it is a folder",
    ENOTDIR: "part of its path is not a folder",
    EACCES: "permission denied",
    EPERM: "permission denied",
    EEXIST: "it already exists",
    ENOSPC: "the disk is full",
    EROFS: "the disk is read-only",
  };
  return reasons[code ?? ""] ?? `the system says ${code ?? "nothing more"}`;
}

function prompter(input: Input): World["ask"] {
  let lines: AsyncIterator<string> | null = null;
  return async (question) => {
    if (input.isTTY) return askHidden(input, question);
    lines ??= createInterface({ input })[Symbol.asyncIterator]();
    const { done, value } = await lines.next();
    if (done) throw new Unusable("standard input ended before everything was answered");
    return value;
  };
}

function askHidden(input: Input, question: string): Promise<string> {
  process.stderr.write(question);
  // The line editor echoes into nothing.
  const nothing = new Writable({ write: (_chunk, _encoding, done) => done() });
  const editor = createInterface({ input, output: nothing, terminal: true });
  return new Promise((resolve, reject) => {
    let answer: string | null = null;
    editor.on("SIGINT", () => editor.close());
    editor.on("close", () => {
      process.stderr.write("\n");
      if (answer === null) reject(new Unusable("aborted"));
      else resolve(answer);
    });
    editor.question("", (line) => {
      answer = line;
      editor.close();
    });
  });
}

/**
 * @param terminal whether keys mean something, Ctrl-C and Ctrl-D among them
 * @returns true for a typed yes alone; Ctrl-C and Ctrl-D are a no
 */
export async function askYes(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  terminal?: boolean,
): Promise<boolean> {
  const lines = createQuestions({ input, output, ...(terminal === undefined ? {} : { terminal }) });
  // An input that ends leaves the question without an answer forever.
  const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
  try {
    const answer = await Promise.race([lines.question(`${question} [y/N] `), ended]);
    return /^y(es)?$/i.test(answer.trim());
  } catch {
    return false;
  } finally {
    lines.close();
  }
}

/**
 * Names come from files and contracts that others wrote: what would move the cursor, clear the screen or turn the
 * direction of reading is shown as its code point. Line ends stay.
 */
function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character === "\n"
      ? character
      : `<U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`,
  );
}
