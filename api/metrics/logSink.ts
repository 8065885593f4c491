/**
 * Where the log goes: the standard output, without ever being waited for. A disk that is full, or a reader that has
 * stopped reading, costs lines of the log and nothing else.
 */
import { fstatSync, write } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** What may wait to be written; more is lost, and counted. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** How often an end that waits for the last lines looks. */
const LOOK_EVERY_MS = 10;

/** Writes bytes somewhere, and tells when it can take more; an error loses them. */
interface Outlet {
  write(bytes: Buffer, done: (error: unknown, written: number) => void): void;
}

export type LogSink = ReturnType<typeof createLogSink>;

/** @param lostNote the line that tells how many lines were lost, once writing works again */
export function createLogSink(outlet: Outlet, lostNote: (lost: number) => string) {
  let waiting: string[] = [];
  let waitingBytes = 0;
  let lost = 0;
  let busy = false;
  let failing = false;

  /** What is to be written next. While writing fails, the note alone: where it has no room, nothing has. */
  function next(): { bytes: Buffer; lines: number; told: number } {
    const told = lost;
    const lines = failing ? [] : waiting;
    const text = (told > 0 ? lostNote(told) : "") + lines.join("");
    if (failing) lost += waiting.length;
    waiting = [];
    waitingBytes = 0;
    return { bytes: Buffer.from(text), lines: lines.length, told };
  }

  function push(): void {
    if (busy || waiting.length === 0) return;
    busy = true;
    const { bytes, lines, told } = next();
    writeAll(outlet, bytes, (error) => {
      busy = false;
      if (error === null) {
        lost -= told;
        failing = false;
        push();
      } else {
        lost += lines;
        failing = true;
      }
    });
  }

  return {
    /** Takes a line with its end; returns at once and never throws. */
    write(line: string) {
      if (waitingBytes + line.length > MAX_WAITING_BYTES) {
        lost++;
        return;
      }
      waiting.push(line);
      waitingBytes += line.length;
      push();
    },
    /** Resolves when all is written, or after so long. */
    async flush(withinMs: number) {
      for (let waited = 0; (busy || waiting.length > 0) && waited < withinMs; waited += LOOK_EVERY_MS)
        await sleep(LOOK_EVERY_MS);
    },
  };
}

/** A full disk may take a part of it. */
function writeAll(outlet: Outlet, bytes: Buffer, done: (error: unknown) => void): void {
  outlet.write(bytes, (error, written) => {
    if (error) done(error);
    else if (written < bytes.length) writeAll(outlet, bytes.subarray(written), done);
    else done(null);
  });
}

const STDOUT = 1;

/** The standard output, of any kind. */
function standardOutput(): Outlet {
  // Node would write to a file on the main thread, and throw where there is no room.
  if (fstatSync(STDOUT).isFile())
    return {
      write: (bytes, done) => write(STDOUT, bytes, 0, bytes.length, null, (error, n) => done(error, n)),
    };
  const stdout = process.stdout;
  // What the writes' own callbacks tell; without a listener it would end the process.
  stdout.on("error", () => {});
  // Node makes pipes blocking, so that a reader who stops would stop the service.
  const { _handle: handle } = stdout as unknown as { _handle?: { setBlocking?(blocking: boolean): void } };
  handle?.setBlocking?.(false);
  return {
    write: (bytes, done) => {
      stdout.write(bytes, (error) => done(error ?? null, bytes.length));
    },
  };
}

let shared: LogSink | undefined;

/** The sink of this process; the same one for all who ask. */
export function standardSink(): LogSink {
  shared ??= createLogSink(
    standardOutput(),
    (lost) =>
      `${JSON.stringify({ level: 40, time: new Date().toISOString(), lost, msg: "log lines were lost because the log could not be written" })}\n`,
  );
  return shared;
}
