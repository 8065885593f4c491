/**
 * Where the log goes: the standard output, without ever being waited for. A disk that is full, or a reader that has stopped
 * reading, costs lines of the log and nothing else.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";

const STDOUT = 1;
/** What may wait to be written; more is lost, and counted. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

type Destination = ReturnType<typeof pino.destination>;

let shared: Destination | undefined;

/** That of this process; the same one for all who ask. */
export function standardOutput(): Destination {
  shared ??= openStandardOutput();
  return shared;
}

function openStandardOutput(): Destination {
  // Node makes pipes blocking, and a thread that waits for a reader would keep the process from ending.
  const { _handle: handle } = process.stdout as unknown as {
    _handle?: { setBlocking?(blocking: boolean): void };
  };
  handle?.setBlocking?.(false);
  return openDestination(STDOUT);
}

/** @param dest a file descriptor that is not waited for */
export function openDestination(dest: number): Destination {
  const destination = pino.destination({ dest, sync: false, maxLength: MAX_WAITING_BYTES });
  let lost = 0;
  // Without a listener it would end the process. What could not be written is written with the next line.
  destination.on("error", () => {});
  destination.on("drop", () => {
    lost++;
  });
  destination.on("drain", () => {
    if (lost === 0) return;
    const note = { level: 40, time: new Date().toISOString(), lost };
    lost = 0;
    const msg = "log lines were lost because the log could not be written";
    destination.write(`${JSON.stringify({ ...note, msg })}\n`);
  });
  return destination;
}

/** Resolves when all is written, or after so long. Nothing is written afterwards. */
export async function endLog(withinMs: number): Promise<void> {
  const destination = standardOutput();
  const written = new Promise<void>((resolve) => destination.flush(() => resolve()));
  await Promise.race([written, sleep(withinMs)]);
  destination.destroy();
}
